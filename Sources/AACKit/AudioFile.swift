import AACContainers
public import AudioFiles
public import PCM

/// Whole sounds in one call: AAC or PCM, told apart by what is in the file.
public enum AudioFile {
  /// All of a file's sound.
  ///
  /// - Parameters:
  ///   - sampleRate: convert to this rate.
  ///   - channelCount: mix to this many channels.
  public static func decode(
    _ path: String, sampleRate: Int? = nil, channelCount: Int? = nil
  ) throws(AACKitError) -> PCMBuffer {
    let reader = try adapt(try open(path), sampleRate: sampleRate, channelCount: channelCount)
    var whole = PCMBuffer(format: reader.format)
    var buffer = whole
    do {
      while try reader.read(8192, into: &buffer) > 0 { whole.append(buffer) }
    } catch { throw AACKitError(.audioFile(error), path: path) }
    return whole
  }

  /// Encodes a sound to a new file; the container follows the extension.
  ///
  /// - Throws: `exists` where there is a file already and `replacing` is false.
  @discardableResult
  public static func encode(
    _ sound: PCMBuffer, to path: String, _ options: EncodeOptions = EncodeOptions(), replacing: Bool = false
  ) throws(AACKitError) -> EncodeSummary {
    var options = options
    if let container = Transcoder.container(for: path) { options.output.container = container }
    let files = try OutputFiles(path, options.output.container, replacing: replacing)
    let summary = try Transcoder.encode(
      BufferReader(sound), to: files.sink, sidecar: files.sidecar, options)
    try files.commit()
    return summary
  }

  /// A reader for the file at `path`: AAC in any container, or PCM.
  public static func open(
    _ path: String, options: AACReader.Options = AACReader.Options(), cancellation: Cancellation? = nil
  ) throws(AACKitError) -> any AudioReader {
    let source = try openByteSource(path)
    let content: Probe.Content
    do { content = try Probe.identify(source) } catch { throw AACKitError(.container(error), path: path) }
    if case .container = content {
      return try AACReader(source, path: path, options: options, cancellation: cancellation)
    }
    do { return try AudioFileReader(path: path, cancellation: cancellation) } catch {
      throw AACKitError(.audioFile(error), path: path)
    }
  }

  /// `reader` at another rate and with other channels, where they are asked for.
  public static func adapt(
    _ reader: any AudioReader, sampleRate: Int? = nil, channelCount: Int? = nil
  ) throws(AACKitError) -> any AudioReader {
    var format = reader.format
    if let sampleRate { format.sampleRate = sampleRate }
    if let channelCount, channelCount != format.channelCount {
      guard let layout = ChannelLayout.standard(channelCount: channelCount) else {
        throw AACKitError(.unsupported("\(channelCount) channels have no usual layout: choose 1 to 8"))
      }
      guard ChannelMixer(from: format.layout, to: layout) != nil else {
        throw AACKitError(
          .unsupported("channels without places (\(format.layout.name)) cannot be mixed to others"))
      }
      format.layout = layout
    }
    return format == reader.format ? reader : ConvertingReader(reader, to: format)
  }
}

/// Reads a sound that is in memory.
public final class BufferReader: AudioReader {
  private let sound: PCMBuffer
  private var position = 0

  public init(_ sound: PCMBuffer) { self.sound = sound }

  public var format: PCMFormat { sound.format }
  public var frameCount: Int64? { Int64(sound.frameCount) }

  public func read(_ frames: Int, into buffer: inout PCMBuffer) throws(AudioFileError) -> Int {
    let count = max(0, min(frames, sound.frameCount - position))
    buffer.resize(to: count, format: sound.format)
    for channel in sound.channels.indices {
      for frame in 0..<count { buffer.channels[channel][frame] = sound.channels[channel][position + frame] }
    }
    position += count
    return count
  }
}
