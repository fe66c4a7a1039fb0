public import AAC

/// Reads ADTS: `.aac` files, and streams joined anywhere.
public final class ADTSReader: PacketReader {
  /// How the reader treats what it finds.
  public struct Options: Sendable {
    /// Compare checksums where frames have them.
    public var verifiesChecksums = true
    /// Give an empty packet in place of one whose checksum does not fit, instead of the doubtful data. Only
    /// where most of the stream's checksums do: some encoders write other numbers there.
    public var dropsDamagedPackets = false
    /// How many bytes of something else may stand in front of the first frame.
    public var junkLimit = 1 << 20
    public init() {}
  }

  public private(set) var info: StreamInfo
  public private(set) var warnings: WarningList
  public private(set) var configurationChanges = 0
  /// Frames whose checksum was compared, and those where it did not fit.
  public private(set) var checkedCount = 0
  public private(set) var mismatchCount = 0

  private let source: any ByteSource
  private let options: Options
  private let window: ByteWindow
  private var framer: ADTSFramer
  private var firstFrame: ADTSFramer.Frame?
  /// The frame at hand, where it has several access units.
  private var blocks = ADTSBlocks()
  private var header: ADTSHeader
  /// Packets that stand for lost ones and are still to be given.
  private var lostCount = 0
  private var time: Int64 = 0
  private var packetCount: Int64 = 0
  private var isFinished = false

  /// Looks for the first frame.
  ///
  /// - Throws: `notAAC` where there is none; `needsMoreData` where a `FeedSource` has not enough (make the
  ///   reader again after feeding).
  public init(_ source: any ByteSource, options: Options = Options()) throws(ContainerError) {
    self.source = source
    self.options = options
    let window = ByteWindow(source)
    self.window = window
    let start = try TagBlock.endOfLeadingTags(in: window)
    framer = ADTSFramer(at: start)
    var warnings = WarningList()
    guard
      case .frame(let frame) = try framer.next(in: window, junkLimit: options.junkLimit, warnings: &warnings)
    else {
      throw ContainerError(.notAAC("data without ADTS headers"), at: start)
    }
    self.warnings = warnings
    header = frame.header
    firstFrame = frame
    info = StreamInfo(container: .adts, configuration: try frame.header.configuration())
    try adopt(frame)
    info.tags = try ID3Tags.read(in: window)
  }

  public func nextPacket(into packet: inout Packet) throws(ContainerError) -> Bool {
    while true {
      if blocks.hasNext {
        blocks.next(into: &packet.data)
        return deliver(&packet)
      }
      if lostCount > 0 {
        lostCount -= 1
        packet.data.removeAll(keepingCapacity: true)
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

  /// Finds the next frame and splits it. False at the end.
  private func loadFrame() throws(ContainerError) -> Bool {
    guard !isFinished else { return false }
    if let frame = firstFrame {
      try load(frame)
      firstFrame = nil
      source.release(before: framer.position)
      return true
    }
    let before = framer
    switch try framer.next(in: window, warnings: &warnings) {
    case .end:
      isFinished = true
      info.packetCount = packetCount
      info.validFrames = time
      return false
    case .lost(let count):
      lostCount = count
    case .frame(let frame):
      do {
        if frame.header.steadyPart != header.steadyPart { try change(to: frame) }
        try load(frame)
      } catch {
        // What is missing may come: the frame is looked at again then.
        if error.reason == .needsMoreData { framer = before }
        throw error
      }
    }
    source.release(before: framer.position)
    return true
  }

  private func change(to frame: ADTSFramer.Frame) throws(ContainerError) {
    let old = header
    info.configuration = try frame.header.configuration()
    header = frame.header
    try adopt(frame)
    configurationChanges += 1
    warnings.add(
      .configurationChange,
      "the stream changes from \(old.summary) to \(frame.header.summary)", at: frame.start)
  }

  /// Takes over what a new configuration's first frame says.
  private func adopt(_ frame: ADTSFramer.Frame) throws(ContainerError) {
    if info.configuration.objectType == .scalableSampleRate,
      try ADTSProfile.isLowComplexity(frame, framer, in: window)
    {
      info.configuration.objectType = .lowComplexity
      warnings.add(
        .irregular, "the headers say SSR, but there is no gain control data: it is read as LC",
        at: frame.start)
    }
    if frame.header.channelConfiguration == 0 {
      let unit = try window.bytes(
        min(frame.header.frameLength - frame.header.headerLength, 512),
        at: frame.start + Int64(frame.header.headerLength))
      info.configuration.programConfig = ProgramConfig(leading: unit)
    }
    info.isMPEG2 = frame.header.isMPEG2
    info.hasChecksums = frame.header.hasChecksum
    refreshInfo()
  }

  private func refreshInfo() {
    info.configurationBytes = info.configuration.bytes
    info.timeRate = info.configuration.outputRate
    info.packetDuration = info.configuration.outputFrameLength
    blocks.prepare(for: info.configuration)
  }

  private func load(_ frame: ADTSFramer.Frame) throws(ContainerError) {
    try blocks.load(frame, from: window, verify: options.verifiesChecksums && !frame.isRepaired)
    if let text = blocks.trouble { warnings.add(.irregular, text, at: frame.start) }
    let believes = 2 * mismatchCount < checkedCount
    checkedCount += blocks.checkedCount
    mismatchCount += blocks.mismatchCount
    if blocks.mismatchCount > 0 {
      warnings.add(.checksum, "the checksum does not fit its frame", at: frame.start)
      if options.dropsDamagedPackets, believes { blocks.emptyDamaged() }
    }
    guard header.channelConfiguration == 0, let config = blocks.leadingProgramConfig else { return }
    guard config != info.configuration.programConfig else { return }
    if packetCount > 0 {
      configurationChanges += 1
      warnings.add(.configurationChange, "the stream's channels change", at: frame.start)
    }
    info.configuration.programConfig = config
    refreshInfo()
  }

  public func survey() throws(ContainerError) -> StreamSurvey? {
    guard source.isSeekable else { return nil }
    var silent = options
    silent.verifiesChecksums = false
    return try ADTSReader(source, options: silent).count()
  }

  private func count() throws(ContainerError) -> StreamSurvey {
    var counter = SurveyCounter(packetsPerSecond: max(1, info.timeRate / info.packetDuration))
    var ignored = WarningList()
    var step = ADTSFramer.Step.end
    if let firstFrame { step = .frame(firstFrame) }
    while true {
      switch step {
      case .end: return counter.finish(frames: counter.survey.packetCount * Int64(info.packetDuration))
      case .lost(let number): for _ in 0..<number { counter.add(0) }
      case .frame(let frame):
        // The blocks of one frame share its bytes; their borders would need the bits themselves.
        let bytes = Int(frame.end - frame.start) - frame.header.headerLength
        for block in 0..<frame.header.blockCount {
          let share = bytes * (block + 1) / frame.header.blockCount - bytes * block / frame.header.blockCount
          counter.add(max(0, share))
        }
      }
      step = try framer.next(in: window, warnings: &ignored)
    }
  }
}

extension ADTSHeader {
  /// For messages: `44100 Hz, channel configuration 2`.
  var summary: String { "\(samplingRate) Hz, channel configuration \(channelConfiguration)" }
}
