import AAC
public import AACContainers
public import AudioFiles

/// How parts are joined.
public struct JoinOptions: Sendable, Equatable {
  /// Make a chapter of each part, named by its title or its file, instead of taking along the chapters in them.
  public var chaptersFromParts = false
  public init() {}
}

/// What came of joining.
public struct JoinSummary: Sendable, Equatable {
  public var packetCount: Int64 = 0
  public var payloadBytes: Int64 = 0
  /// Seconds of sound.
  public var duration = 0.0
  /// Packets that the parts had lost, replaced by silence to keep the time.
  public var replacedCount: Int64 = 0
  /// Joints of parts that were cut from one stream: not a frame of them was dropped or added.
  public var seamlessCount = 0
  /// Seconds of priming and padding that are heard between parts, since the container cannot tell of them.
  public var gap = 0.0
  public var warnings: [String] = []
}

extension Transcoder {
  /// Copies the packets of several files one behind the other into one, without decoding them.
  ///
  /// In an M4A file that can be rewound the sound is exactly that of the parts, by an edit for each of them. In other
  /// containers the padding of one part and the priming of the next stay between them, as far as they are not whole
  /// packets (`JoinSummary.gap`). Parts that were cut from one stream meet without a gap in all containers.
  ///
  /// Tags that all parts have in common go along, and the first part's covers; `output.tags` are added, and
  /// `output.chapters` replace all others.
  ///
  /// - Parameters:
  ///   - paths: the parts in order; each is opened twice.
  ///   - outputPath: name of the output, for messages.
  /// - Throws: `unsupported` where a part is coded otherwise than the first, naming what differs; what reading or
  ///   writing throws; `noSamples`; `cancelled`.
  public static func join(
    _ paths: [String], to sink: any ByteSink, sidecar: (any ByteSink)? = nil, _ output: PacketOutput,
    options: JoinOptions = JoinOptions(), outputPath: String? = nil, cancellation: Cancellation? = nil,
    progress: (Progress) -> Void = { _ in }
  ) throws(AACKitError) -> JoinSummary {
    var plan = try JoinPlan(paths, countsFrames: output.chapters.isEmpty, options)
    var output = output
    plan.tags.merge(output.tags)
    output.tags = plan.tags
    if output.chapters.isEmpty { output.chapters = plan.chapters }
    output.configurationBytes = plan.first.configurationBytes
    output.timeRate = plan.first.timeRate
    output.expectedFrames = plan.frameCount
    let writer: any PacketWriter
    do {
      writer = try output.open(sink, sidecar: sidecar, configuration: plan.first.configuration)
    } catch { throw AACKitError(.container(error), path: outputPath) }
    var run = JoinRun(
      writer, info: plan.first, tellsGaps: output.container == .m4a && sink.isSeekable,
      total: plan.frameCount,
      outputPath: outputPath)
    for path in paths { try run.append(path, cancellation, progress) }
    return try run.finish()
  }
}

/// Joining as far as it has come.
private struct JoinRun {
  private let writer: any PacketWriter
  private let info: StreamInfo
  private let total: Int64?
  private let outputPath: String?
  private var joint: PacketJoint
  private var summary = JoinSummary()
  private var frames: Int64 = 0

  init(_ writer: any PacketWriter, info: StreamInfo, tellsGaps: Bool, total: Int64?, outputPath: String?) {
    self.writer = writer
    self.info = info
    self.total = total
    self.outputPath = outputPath
    joint = PacketJoint(tellsGaps: tellsGaps, lead: PacketCut.lead(of: info.configuration))
  }

  mutating func append(
    _ path: String, _ cancellation: Cancellation?, _ progress: (Progress) -> Void
  ) throws(AACKitError) {
    let reader = try openPackets(try openByteSource(path), path: path)
    var packets = CopiedPackets(reader, path: path, cancellation: cancellation)
    var head: [Packet] = []
    var isHead = true
    var packet = Packet(data: [], presentationTime: 0, duration: 0)
    while try packets.next(into: &packet) {
      if packets.isReplacement { summary.replacedCount += 1 }
      guard !packet.data.isEmpty else { continue }
      if isHead {
        head.append(packet)
        guard head.count == PacketJoint.mostCommon else { continue }
        try write(joint.begin(head))
        isHead = false
      } else {
        try write(joint.add(packet))
      }
      progress(Progress(frames: frames, total: total, sampleRate: info.timeRate))
    }
    if isHead { try write(joint.begin(head)) }
    summary.warnings += reader.warnings.items.map { "\(path): \($0.description)" }
  }

  mutating func finish() throws(AACKitError) -> JoinSummary {
    try write(joint.finish())
    if summary.packetCount == 0 { throw AACKitError(.noSamples, path: outputPath) }
    do { try writer.finish() } catch { throw AACKitError(.container(error), path: outputPath) }
    let rate = Double(max(1, info.timeRate))
    summary.duration = Double(frames) / rate
    summary.gap = Double(joint.gapFrames) / rate
    summary.seamlessCount = joint.seamlessCount
    return summary
  }

  private mutating func write(_ packets: [Packet]) throws(AACKitError) {
    for packet in packets {
      do { try writer.write(packet) } catch { throw AACKitError(.container(error), path: outputPath) }
      summary.packetCount += 1
      summary.payloadBytes += Int64(packet.data.count)
      frames += Int64(packet.validFrames)
    }
  }
}
