public import AAC

/// Reads LOAS: LATM elements behind sync words, as broadcasting has them.
public final class LOASReader: PacketReader {
  /// How far a first frame, and a first configuration, may be away.
  private static let junkLimit = 1 << 20
  /// Configurations that are not read, until the stream is given up.
  private static let patience = 4

  public private(set) var info: StreamInfo
  public private(set) var warnings: WarningList
  public private(set) var configurationChanges = 0
  /// How the stream is multiplexed at present.
  public private(set) var muxConfig: StreamMuxConfig

  private let source: any ByteSource
  private let window: ByteWindow
  private var framer: LOASFramer
  private var units: LATMUnits
  private var frame: [UInt8] = []
  /// Packets that stand for lost ones and are still to be given.
  private var lostCount = 0
  private var refusedCount = 0
  private var time: Int64 = 0
  private var packetCount: Int64 = 0
  private var isFinished = false

  /// Looks for the first frame with a configuration.
  ///
  /// - Throws: `notAAC` where there is no frame, `malformed` where none has a configuration, `unsupported`
  ///   or `configuration` for what is not read; `needsMoreData` where a `FeedSource` has not enough (make
  ///   the reader again after feeding).
  public init(_ source: any ByteSource) throws(ContainerError) {
    self.source = source
    window = ByteWindow(source)
    let start = try TagBlock.endOfLeadingTags(in: window)
    var framer = LOASFramer(at: start)
    var units = LATMUnits()
    var warnings = WarningList()
    var frame: [UInt8] = []
    try Self.findConfig(in: window, from: start, &framer, &units, &frame, &warnings)
    guard let config = units.config, let configuration = config.configuration else {
      throw ContainerError(.notAAC("data without LOAS frames"), at: start)
    }
    self.framer = framer
    self.units = units
    self.frame = frame
    self.warnings = warnings
    muxConfig = config
    info = StreamInfo(container: .loas, configuration: configuration)
    adopt(config)
  }

  /// Passes over the frames in front of the first configuration.
  private static func findConfig(
    in window: ByteWindow, from start: Int64, _ framer: inout LOASFramer, _ units: inout LATMUnits,
    _ bytes: inout [UInt8], _ warnings: inout WarningList
  ) throws(ContainerError) {
    var passed = 0
    var refusals = 0
    var firstRefusal: ContainerError?
    while true {
      guard case .frame(let frame) = try framer.next(in: window, junkLimit: junkLimit, warnings: &warnings)
      else {
        guard passed > 0 else { throw ContainerError(.notAAC("data without LOAS frames"), at: start) }
        if let firstRefusal { throw firstRefusal }
        throw ContainerError(.malformed("no LOAS frame tells the configuration"), at: start)
      }
      try load(frame, from: window, &bytes)
      do {
        if try units.load(bytes, isWhole: true) == .changed { break }
      } catch {
        if case .unsupported = error.reason {
          refusals += 1
          firstRefusal = firstRefusal ?? ContainerError(.configuration(error), at: frame.start)
          if refusals == patience, let firstRefusal { throw firstRefusal }
        }
      }
      passed += 1
      guard frame.end - start < Int64(junkLimit) else {
        throw ContainerError(.malformed("no LOAS frame tells the configuration"), at: start)
      }
    }
    guard passed > 0 else { return }
    warnings.add(
      .ignored, "\(passed) frames in front of the first configuration were passed over", at: start)
  }

  private static func load(
    _ frame: LOASFramer.Frame, from window: ByteWindow, _ bytes: inout [UInt8]
  ) throws(ContainerError) {
    bytes.removeAll(keepingCapacity: true)
    try window.append(frame.byteCount, at: frame.start + Int64(LOASFramer.headerLength), to: &bytes)
  }

  public func nextPacket(into packet: inout Packet) throws(ContainerError) -> Bool {
    while true {
      if lostCount > 0 {
        lostCount -= 1
        packet.data.removeAll(keepingCapacity: true)
        return deliver(&packet)
      }
      if units.hasNext {
        units.next(into: &packet.data)
        source.release(before: framer.position)
        return deliver(&packet)
      }
      guard try loadFrame() else { return false }
    }
  }

  private func deliver(_ packet: inout Packet) -> Bool {
    packet.presentationTime = time
    packet.duration = info.packetDuration
    packet.priming = 0
    packet.padding = 0
    time += Int64(info.packetDuration)
    packetCount += 1
    return true
  }

  /// Finds the next frame and takes it apart. False at the end.
  private func loadFrame() throws(ContainerError) -> Bool {
    guard !isFinished else { return false }
    let before = framer
    switch try framer.next(in: window, warnings: &warnings) {
    case .end:
      isFinished = true
      info.packetCount = packetCount
      info.validFrames = time
      return false
    case .lost(let count): lostCount = count * units.usualCount
    case .frame(let found):
      do {
        try Self.load(found, from: window, &frame)
      } catch {
        // What is missing may come: the frame is looked at again then.
        framer = before
        throw error
      }
      try take(found)
    }
    source.release(before: framer.position)
    return true
  }

  private func take(_ found: LOASFramer.Frame) throws(ContainerError) {
    let outcome: LATMUnits.Outcome
    do {
      outcome = try units.load(frame, isWhole: true)
    } catch {
      try bear(error, found)
      return
    }
    refusedCount = 0
    switch outcome {
    case .noConfig: break
    case .loaded:
      if !units.hasNext, !units.isPartial, units.byteCount < found.byteCount {
        warnings.add(.lost, "a LOAS frame is damaged: it holds no access unit", at: found.start)
        lostCount = units.usualCount
      } else if units.byteCount != found.byteCount {
        warnings.add(
          .irregular, "\(found.byteCount - units.byteCount) bytes of a LOAS frame belong to nothing",
          at: found.start)
      }
    case .changed:
      guard let config = units.config else { return }
      let old = info
      adopt(config)
      guard info.configuration != old.configuration else { return }
      configurationChanges += 1
      warnings.add(
        .configurationChange,
        "the stream changes from \(old.configuration.summary) to \(info.configuration.summary)",
        at: found.start)
    }
  }

  /// A frame that cannot be read: damage, or from here on something else.
  private func bear(_ error: AACError, _ found: LOASFramer.Frame) throws(ContainerError) {
    // A frame that was wiped out looks like another kind of stream too.
    if case .unsupported = error.reason, frame.contains(where: { $0 != 0 }) {
      refusedCount += 1
      // Once is damage; a stream of another kind says so again and again.
      if refusedCount == Self.patience {
        units.forgetConfig()
        throw ContainerError(.configuration(error), at: found.start, advice: .readOn)
      }
    }
    guard units.config != nil else { return }
    warnings.add(.lost, "a LOAS frame is damaged: \(error)", at: found.start)
    lostCount = units.usualCount
  }

  private func adopt(_ config: StreamMuxConfig) {
    muxConfig = config
    config.describe(in: &info, warnings: &warnings)
  }

  public func survey() throws(ContainerError) -> StreamSurvey? {
    guard source.isSeekable else { return nil }
    return try LOASReader(source).count()
  }
}

extension StreamMuxConfig {
  /// The configuration of the stream that is decoded.
  var configuration: AudioSpecificConfig? { chosenStream.flatMap { streams[$0].configuration } }

  /// Puts what it says of that stream into a reader's `info`.
  func describe(in info: inout StreamInfo, warnings: inout WarningList) {
    guard let chosenStream, let configuration else { return }
    info.configuration = configuration
    info.configurationBytes = streams[chosenStream].configurationBytes
    info.timeRate = configuration.outputRate
    info.packetDuration = configuration.outputFrameLength
    guard streams.count > 1 else { return }
    warnings.add(.ignored, "the multiplex has \(streams.count) streams; one is read")
  }
}

extension AudioSpecificConfig {
  /// For messages: `44100 Hz LC, channel configuration 2`.
  var summary: String {
    "\(samplingRate.hertz) Hz \(objectType.name), channel configuration \(channelConfiguration)"
  }
}

extension PacketReader {
  /// Reads all packets for a survey; faults are passed over.
  func count() throws(ContainerError) -> StreamSurvey {
    var counter = SurveyCounter(packetsPerSecond: max(1, info.timeRate / max(1, info.packetDuration)))
    var packet = Packet(data: [], presentationTime: 0, duration: 0)
    var frames: Int64 = 0
    var failureCount = 0
    while failureCount < 1000 {
      do {
        guard try nextPacket(into: &packet) else { break }
        counter.add(packet.data.count)
        frames += Int64(packet.duration)
      } catch {
        failureCount += 1
      }
    }
    return counter.finish(frames: frames)
  }
}
