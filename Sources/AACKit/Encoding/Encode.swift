public import AAC
public import AACContainers
public import AudioFiles
import PCM

/// What came of encoding a sound.
public struct EncodeSummary: Sendable, Equatable {
  public var settings: EncoderSettings
  public var effective: AACEncoder.Effective
  /// Frames of sound, at the stream's rate.
  public var frames: Int64
  public var packetCount: Int64
  /// Bytes of the access units, without the container.
  public var payloadBytes: Int64
  /// The input was cancelled and the stream ended there.
  public var wasCancelled = false

  /// Seconds of sound.
  public var duration: Double { Double(frames) / Double(settings.sampleRate) }
  /// Mean bits a second over all packets, those for priming and padding included.
  public var bitRate: Double {
    let packetSeconds = Double(packetCount) * 1024 / Double(settings.sampleRate)
    return packetCount > 0 ? Double(payloadBytes) * 8 / packetSeconds : 0
  }
}

extension Transcoder {
  /// Encodes all that `source` has to `sink`.
  ///
  /// - Parameters:
  ///   - sidecar: for raw access units, where what describes them goes.
  ///   - progress: called after each block, about five times a second of sound.
  /// - Throws: what reading, encoding or writing throws; `noSamples` where the container cannot say that there are none
  ///   (MP4 and raw access units can); `cancelled`.
  public static func encode(
    _ source: any AudioReader, to sink: any ByteSink, sidecar: (any ByteSink)? = nil,
    _ options: EncodeOptions = EncodeOptions(), cancellation: Cancellation? = nil,
    progress: (Progress) -> Void = { _ in }
  ) throws(AACKitError) -> EncodeSummary {
    let (reader, layout) = try prepare(source, options)
    let sampleRate = reader.format.sampleRate
    let settings = options.encoderSettings(PCMFormat(sampleRate: sampleRate, layout: layout))
    var output = options.output(for: source)
    output.expectedFrames = reader.frameCount
    var run = try EncodeRun(settings, sink, sidecar, output)
    var buffer = PCMBuffer(format: reader.format)
    let block = 8192
    var isCancelled = false
    while true {
      if cancellation?.isCancelled == true { isCancelled = true }
      if isCancelled { break }
      do throws(AudioFileError) {
        if try reader.read(block, into: &buffer) == 0 { break }
      } catch {
        guard error.reason == .interrupted else { throw AACKitError(.audioFile(error)) }
        isCancelled = true
        break
      }
      buffer.format.layout = layout
      try run.push(buffer)
      progress(Progress(frames: run.frames, total: reader.frameCount, sampleRate: sampleRate))
    }
    if isCancelled, !options.endsWhenCancelled { throw AACKitError(.cancelled) }
    if run.frames == 0, isCancelled { throw AACKitError(.cancelled) }
    if run.frames == 0, !options.output.container.tellsPriming { throw AACKitError(.noSamples) }
    var summary = try run.finish()
    summary.wasCancelled = isCancelled
    return summary
  }

  /// The source in the rate and channels asked for, and the layout under which it is encoded.
  static func prepare(
    _ source: any AudioReader, _ options: EncodeOptions
  ) throws(AACKitError) -> (reader: any AudioReader, layout: ChannelLayout) {
    var format = source.format
    if let sampleRate = options.sampleRate { format.sampleRate = sampleRate }
    if let count = options.channelCount, count != format.channelCount {
      guard let layout = ChannelLayout.standard(channelCount: count) else {
        throw AACKitError(.unsupported("\(count) channels have no usual layout: choose 1 to 8"))
      }
      format.layout = layout
    }
    let layout = format.layout.codingLayout
    if layout.channelCount > 8 {
      throw AACKitError(
        .unsupported("\(layout.channelCount) channels cannot be encoded: mix them to 1 to 8 channels first"))
    }
    // A layout taken for another one of the same order needs no mixing.
    let isRenamed = ChannelMixer(from: format.layout, to: layout).map { mixer in
      mixer.gains.indices.allSatisfy { mixer.gains[$0][$0] == 1 } && mixer.isPermutation
    }
    if isRenamed == false { format.layout = layout }
    if format == source.format { return (source, layout) }
    guard
      source.format.layout == format.layout
        || ChannelMixer(from: source.format.layout, to: format.layout) != nil
    else {
      throw AACKitError(
        .unsupported("channels without places (\(source.format.layout.name)) cannot be mixed to others"))
    }
    return (ConvertingReader(source, to: format, downmix: DownmixChoice.stream.downmix(of: source)), layout)
  }
}

extension EncodeOptions {
  /// The output with the tags that go with a source.
  func output(for source: any AudioReader) -> PacketOutput {
    guard carriesTags else { return output }
    var output = output
    output.tags = Tags(of: source, changed: output.tags)
    return output
  }
}

/// Encoder and container of one run.
private struct EncodeRun {
  private let encoder: AACEncoder
  private let writer: any PacketWriter
  private let settings: EncoderSettings
  private(set) var frames: Int64 = 0
  private var packetCount: Int64 = 0
  private var payloadBytes: Int64 = 0

  init(
    _ settings: EncoderSettings, _ sink: any ByteSink, _ sidecar: (any ByteSink)?, _ output: PacketOutput
  ) throws(AACKitError) {
    self.settings = settings
    do { encoder = try AACEncoder(settings) } catch { throw AACKitError(.codec(error)) }
    do {
      writer = try output.open(sink, sidecar: sidecar, configuration: encoder.configuration)
    } catch { throw AACKitError(.container(error)) }
  }

  mutating func push(_ buffer: PCMBuffer) throws(AACKitError) {
    let packets: [Packet]
    do { packets = try encoder.encode(buffer) } catch {
      var time = Double(frames) / Double(settings.sampleRate)
      if case .notFinite(_, let frame) = error.reason { time = Double(frame) / Double(settings.sampleRate) }
      throw AACKitError(.codec(error), time: time)
    }
    frames += Int64(buffer.frameCount)
    try write(packets)
  }

  mutating func finish() throws(AACKitError) -> EncodeSummary {
    let packets: [Packet]
    do { packets = try encoder.finish() } catch { throw AACKitError(.codec(error)) }
    try write(packets)
    do { try writer.finish() } catch { throw AACKitError(.container(error)) }
    return EncodeSummary(
      settings: settings, effective: encoder.effective, frames: frames, packetCount: packetCount,
      payloadBytes: payloadBytes)
  }

  private mutating func write(_ packets: [Packet]) throws(AACKitError) {
    for packet in packets {
      do { try writer.write(packet) } catch { throw AACKitError(.container(error)) }
      packetCount += 1
      payloadBytes += Int64(packet.data.count)
    }
  }
}
