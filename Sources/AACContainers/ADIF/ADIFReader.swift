public import AAC

/// Reads ADIF: one header, then access units back to back, whose lengths only their own syntax tells.
/// Behind a fault there is no way to go on.
public final class ADIFReader: PacketReader {
  public let header: ADIFHeader
  public private(set) var info: StreamInfo
  public private(set) var warnings = WarningList()
  public var configurationChanges: Int { 0 }

  private let source: any ByteSource
  private let window: ByteWindow
  private let start: Int64
  private var units: UnitSplitter
  private var time: Int64 = 0
  private var packetCount: Int64 = 0
  private var isFinished = false

  /// - Throws: `configuration` for object types whose access units cannot be told apart here.
  public init(_ source: any ByteSource) throws(ContainerError) {
    self.source = source
    window = ByteWindow(source)
    let offset = try TagBlock.endOfLeadingTags(in: window)
    let bytes = try window.bytes(ADIFHeader.largestByteCount, at: offset)
    var length = 0
    var header = try ADIFHeader(parsing: bytes, byteCount: &length)
    var units = try UnitSplitter(header.configuration(), from: offset + Int64(length))
    if !header.isVariableRate, header.programs.count > 1 {
      // Which of the two readings is right shows in whether access units follow.
      var probe: [UInt8] = []
      var trial = units
      var otherLength = 0
      let isFirst = try? trial.next(into: &probe, from: source)
      if isFirst != true,
        let other = try? ADIFHeader(parsing: bytes, fullnessOnce: true, byteCount: &otherLength)
      {
        header = other
        length = otherLength
        units = try UnitSplitter(other.configuration(), from: offset + Int64(length))
      }
    }
    self.header = header
    self.units = units
    start = offset + Int64(length)
    info = StreamInfo(container: .adif, configuration: try header.configuration())
    if header.bitRate > 0 {
      if header.isVariableRate {
        info.declaredMaximumBitRate = header.bitRate
      } else {
        info.declaredBitRate = header.bitRate
      }
    }
    if header.programs.count > 1 {
      warnings.add(
        .ignored, "the file has \(header.programs.count) programs; the first one's layout is used", at: offset
      )
    }
  }

  public func nextPacket(into packet: inout Packet) throws(ContainerError) -> Bool {
    guard !isFinished else { return false }
    do throws(ContainerError) {
      guard try units.next(into: &packet.data, from: source) else {
        finish()
        return false
      }
    } catch {
      if error.reason == .needsMoreData { throw error }
      finish()
      if try units.onlyPaddingIsLeft(in: window) { return false }
      guard case .truncated = error.reason else { throw error }
      warnings.add(.cutOff, "the last access unit is cut off", at: units.offset)
      return false
    }
    packet.presentationTime = time
    packet.duration = info.packetDuration
    packet.priming = 0
    packet.padding = 0
    time += Int64(info.packetDuration)
    packetCount += 1
    source.release(before: units.offset)
    return true
  }

  private func finish() {
    isFinished = true
    info.packetCount = packetCount
    info.validFrames = time
  }

  public func survey() throws(ContainerError) -> StreamSurvey? {
    guard source.isSeekable else { return nil }
    var counter = SurveyCounter(packetsPerSecond: max(1, info.timeRate / info.packetDuration))
    var units = try UnitSplitter(info.configuration, from: start)
    var data: [UInt8] = []
    while (try? units.next(into: &data, from: source)) == true { counter.add(data.count) }
    return counter.finish(frames: counter.survey.packetCount * Int64(info.packetDuration))
  }
}
