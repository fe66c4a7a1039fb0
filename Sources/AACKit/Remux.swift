import AAC
public import AACContainers
public import AudioFiles

/// What came of copying packets.
public struct RemuxSummary: Sendable, Equatable {
  public var packetCount: Int64 = 0
  public var payloadBytes: Int64 = 0
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
  ///   - path: name of the input, for messages; `outputPath`: that of the output.
  /// - Throws: what reading or writing throws; `noSamples`; `cancelled`.
  public static func remux(
    _ source: any ByteSource, to sink: any ByteSink, sidecar: (any ByteSink)? = nil, _ output: PacketOutput,
    path: String? = nil, outputPath: String? = nil, cancellation: Cancellation? = nil,
    progress: (Progress) -> Void = { _ in }
  ) throws(AACKitError) -> RemuxSummary {
    let reader = try openPackets(source, path: path)
    let configuration = reader.info.configuration
    var output = output
    var tags = reader.info.tags
    tags.merge(output.tags)
    output.tags = tags
    if output.chapters.isEmpty { output.chapters = reader.info.chapters }
    output.configurationBytes = reader.info.configurationBytes
    output.timeRate = reader.info.timeRate
    let writer: any PacketWriter
    do {
      writer = try output.open(sink, sidecar: sidecar, configuration: configuration)
    } catch { throw AACKitError(.container(error), path: outputPath) }

    var summary = RemuxSummary()
    let silence = SilentPacket.data(for: configuration)
    let changes = reader.configurationChanges
    var packet = Packet(data: [], presentationTime: 0, duration: 0)
    while true {
      if cancellation?.isCancelled == true { throw AACKitError(.cancelled) }
      do {
        guard try reader.nextPacket(into: &packet) else { break }
      } catch { throw AACKitError(.container(error), path: path) }
      if reader.configurationChanges != changes {
        throw AACKitError(
          .unsupported("the configuration changes at frame \(summary.packetCount), which no file can hold"),
          path: path)
      }
      if packet.data.isEmpty {
        summary.replacedCount += 1
        guard let silence else { continue }
        packet.data = silence
      }
      do { try writer.write(packet) } catch { throw AACKitError(.container(error), path: outputPath) }
      summary.packetCount += 1
      summary.payloadBytes += Int64(packet.data.count)
      progress(
        Progress(
          frames: max(0, packet.presentationTime), total: reader.info.validFrames,
          sampleRate: reader.info.timeRate))
    }
    if summary.packetCount == 0 { throw AACKitError(.noSamples, path: path) }
    do { try writer.finish() } catch { throw AACKitError(.container(error), path: outputPath) }
    summary.warnings = reader.warnings.items.map(\.description)
    return summary
  }
}
