public import AAC

/// Reads the sound of an MP4 file that lost its tables (`moov`), as recorders leave it that were killed.
///
/// Access units are found by their syntax, one behind the other. What the tables would have said is given, or
/// guessed: the rate that reads furthest, and the channels of the first access unit.
public final class UnfinishedMP4Reader: PacketReader {
  /// What is known of the sound. Whatever is `nil` is guessed.
  public struct Hint: Sendable, Equatable {
    /// The configuration of another file of the same recorder.
    public var configurationBytes: [UInt8]?
    /// Rate in which that file's packets are timed.
    public var timeRate: Int?
    /// Frames at the start to be thrown away.
    public var priming = 0
    /// Rate of the core coder, in Hz.
    public var sampleRate: Int?
    public var channelCount: Int?
    public init() {}
  }

  public private(set) var info: StreamInfo
  public private(set) var warnings = WarningList()
  public var configurationChanges: Int { 0 }
  /// Other rates at which the data reads as well, in Hz; empty where none was guessed.
  public let otherRates: [Int]

  /// How far behind a fault the next access unit is looked for, and how far in all: 16 times as far as there are
  /// access units, as much as pictures between them may need, and a little more.
  private static let reach: Int64 = 1 << 18
  private static let patience: Int64 = 1 << 20

  private let source: any ByteSource
  private let data: MediaData
  private var walk: UnitWalk
  private var position: Int64
  private var searched: Int64 = 0
  private var lostCount = 0
  private var time: Int64
  private var packetCount: Int64 = 0
  private var byteCount: Int64 = 0
  private var isFinished = false

  /// - Throws: `malformed` where there is no sound, or none that can be read; `needsSeeking` for pipes;
  ///   `configuration` for a hint that cannot be used.
  public init(_ source: any ByteSource, hint: Hint = Hint()) throws(ContainerError) {
    guard source.isSeekable else {
      throw ContainerError(.needsSeeking("sound without tables cannot be read from a pipe"))
    }
    guard let data = try MediaData(in: ByteWindow(source)), data.end > data.start else {
      throw ContainerError(.malformed("the file has neither tables (moov) nor sound (mdat)"), at: 0)
    }
    let guess = try UnitGuess(data, hint, in: source)
    self.source = source
    self.data = data
    walk = guess.walk
    position = guess.start
    otherRates = guess.otherRates
    info = StreamInfo(container: .m4a, configuration: guess.configuration)
    if let bytes = hint.configurationBytes { info.configurationBytes = bytes }
    if let rate = hint.timeRate, rate == 2 * info.timeRate {
      info.timeRate = rate
      info.packetDuration *= 2
    }
    info.priming = min(max(0, hint.priming), 1 << 20)
    if info.priming > 0 { info.delaySource = .editList }
    time = -Int64(info.priming)
    if position > data.start {
      warnings.add(
        .junk, "\(position - data.start) bytes in front of the first access unit were passed over",
        at: data.start, skipped: position - data.start)
    }
  }

  public func nextPacket(into packet: inout Packet) throws(ContainerError) -> Bool {
    packet.data.removeAll(keepingCapacity: true)
    while !isFinished {
      if lostCount > 0 {
        lostCount -= 1
        return deliver(&packet)
      }
      if position == data.end { break }
      switch try walk.look(at: position, in: source) {
      case .unit(let size):
        walk.copy(size, at: position, to: &packet.data)
        position += Int64(size)
        byteCount += Int64(size)
        return deliver(&packet)
      case .cut:
        // Other bytes look like the beginning of an access unit too.
        if let found = try find(enough: 3) {
          passOver(to: found)
        } else {
          warnings.add(.cutOff, "the last access unit is cut off", at: position)
          position = data.end
        }
      case .none:
        if let found = try find() {
          passOver(to: found)
        } else {
          let rest = data.end - position
          warnings.add(
            .junk, "\(rest) bytes behind the last access unit were left", at: position, skipped: rest)
          position = data.end
        }
      }
    }
    if !isFinished {
      isFinished = true
      info.packetCount = packetCount
      info.validFrames = max(0, time)
    }
    return false
  }

  /// The next access units behind what is none.
  private func find(enough: Int = 2) throws(ContainerError) -> Int64? {
    let reach = min(Self.reach, Self.patience + 16 * byteCount - searched)
    guard reach > 0 else { return nil }
    return try walk.find(behind: position, reach: reach, enough: enough, in: source)
  }

  private func passOver(to found: Int64) {
    searched += found - position
    lostCount =
      DamagedGap.lostFrames(
        Int(found - position), at: position, frameBytes: byteCount, frameCount: packetCount,
        name: "access unit", warnings: &warnings) ?? 0
    position = found
  }

  private func deliver(_ packet: inout Packet) -> Bool {
    packet.presentationTime = time
    packet.duration = info.packetDuration
    packet.priming = Int(max(0, min(-time, Int64(info.packetDuration))))
    packet.padding = 0
    time += Int64(info.packetDuration)
    packetCount += 1
    return true
  }

  public func survey() throws(ContainerError) -> StreamSurvey? {
    var hint = Hint()
    hint.configurationBytes = info.configurationBytes
    hint.timeRate = info.timeRate
    hint.priming = info.priming
    return try UnfinishedMP4Reader(source, hint: hint).count()
  }
}
