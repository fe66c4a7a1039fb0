import AAC
public import AACContainers
public import AudioFiles

/// What came of copying packets.
public struct RemuxSummary: Sendable, Equatable {
  public var packetCount: Int64 = 0
  public var payloadBytes: Int64 = 0
  /// Seconds of sound.
  public var duration = 0.0
  /// Packets that the input had lost, replaced by silence to keep the time.
  public var replacedCount: Int64 = 0
  public var warnings: [String] = []
}

extension Transcoder {
  /// Copies the packets of one container to another without decoding them.
  ///
  /// - Parameters:
  ///   - output: the container; its tags are added to the input's, those without a value are removed; its
  ///     chapters replace the input's, where it has some.
  ///   - track: the number of the track that is copied, from 1; `nil` for the usual one.
  ///   - seconds: the stretch of the sound that is copied. In MP4 it is exact to the sample, by what the file says is to
  ///     be dropped; elsewhere it is made of whole packets. Chapters of the input go along with it.
  ///   - path: name of the input, for messages; `outputPath`: that of the output.
  /// - Throws: what reading or writing throws; `noSamples`; `cancelled`.
  public static func remux(
    _ source: any ByteSource, to sink: any ByteSink, sidecar: (any ByteSink)? = nil, _ output: PacketOutput,
    track: Int? = nil, seconds: Range<Double>? = nil, path: String? = nil, outputPath: String? = nil,
    cancellation: Cancellation? = nil,
    progress: (Progress) -> Void = { _ in }
  ) throws(AACKitError) -> RemuxSummary {
    let reader = try openPackets(source, path: path, PacketReadingOptions(track: track))
    let configuration = reader.info.configuration
    var output = output
    var tags = reader.info.tags
    tags.merge(output.tags)
    output.tags = tags
    if output.chapters.isEmpty {
      output.chapters = seconds.map { reader.info.chapters.within($0) } ?? reader.info.chapters
    }
    output.configurationBytes = reader.info.configurationBytes
    output.timeRate = reader.info.timeRate
    output.expectedFrames = expectedFrames(reader.info, seconds)
    let writer: any PacketWriter
    do {
      writer = try output.open(sink, sidecar: sidecar, configuration: configuration)
    } catch { throw AACKitError(.container(error), path: outputPath) }

    var summary = RemuxSummary()
    var frames: Int64 = 0
    var packets = CopiedPackets(reader, path: path, cancellation: cancellation)
    var cut = seconds.map { PacketCut($0, of: reader.info, trims: output.container.tellsPriming) }
    var packet = Packet(data: [], presentationTime: 0, duration: 0)
    while try packets.next(into: &packet) {
      if cut?.isOver == true { break }
      if cut?.take(&packet) == false { continue }
      if packets.isReplacement { summary.replacedCount += 1 }
      guard !packet.data.isEmpty else { continue }
      do { try writer.write(packet) } catch { throw AACKitError(.container(error), path: outputPath) }
      summary.packetCount += 1
      frames &+= Int64(packet.validFrames)
      summary.payloadBytes += Int64(packet.data.count)
      progress(
        Progress(
          frames: max(0, packet.presentationTime),
          total: reader.info.validFrames ?? reader.info.expectedFrames,
          sampleRate: reader.info.timeRate))
    }
    summary.duration = Double(frames) / Double(max(1, reader.info.timeRate))
    if summary.packetCount == 0 { throw AACKitError(.noSamples, path: path) }
    do { try writer.finish() } catch { throw AACKitError(.container(error), path: outputPath) }
    summary.warnings = reader.warnings.items.map(\.description)
    return summary
  }

  /// About how much sound is copied, by what the input tells.
  private static func expectedFrames(_ info: StreamInfo, _ seconds: Range<Double>?) -> Int64? {
    let whole = (info.validFrames ?? info.expectedFrames).map { Double($0) } ?? .infinity
    let part = seconds.map { ($0.upperBound - $0.lowerBound) * Double(info.timeRate) } ?? .infinity
    let frames = min(whole, part)
    return frames < 1e15 ? Int64(frames) : nil
  }
}

extension ContainerFormat {
  /// Whether it has a place for how much of the first and last packets is no sound.
  var tellsPriming: Bool { [.m4a, .fmp4, .raw].contains(self) }
}
