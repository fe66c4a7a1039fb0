public import AAC

/// Writes ADTS: a header in front of each access unit.
///
/// Channels that have no 3-bit number travel as a program config element in front of every access unit.
public final class ADTSWriter: PacketWriter {
  /// What stands in the headers.
  public struct Options: Sendable, Equatable {
    /// Add a checksum to each frame.
    public var checksums = false
    /// Say MPEG-2 (ID 1) instead of MPEG-4. Access units with noise substitution are refused then.
    public var mpeg2 = false
    /// Time of the first sample, told by an ID3 tag in front: for packed audio.
    public var timestamp: TransportTimestamp?
    public init(checksums: Bool = false, mpeg2: Bool = false) {
      self.checksums = checksums
      self.mpeg2 = mpeg2
    }
  }

  private let sink: any ByteSink
  private let options: Options
  private var header: ADTSHeader
  /// Makes the program config element where there has to be one, from the first access unit.
  private let choice: ProgramChoice?
  /// The element to be put in front of each access unit.
  private var prefix: [UInt8] = []
  private var scanner: AccessUnitScanner?
  private var frame: [UInt8] = []
  private var isFinished = false
  public private(set) var packetCount: Int64 = 0

  /// - Throws: `cannotCarry` where ADTS has no way to say the configuration.
  public init(
    _ sink: any ByteSink, configuration: AudioSpecificConfig, options: Options = Options()
  ) throws(ContainerError) {
    self.sink = sink
    self.options = options
    let type = configuration.objectType
    guard (1...(options.mpeg2 ? 3 : 4)).contains(type.rawValue) else {
      throw ContainerError(
        .cannotCarry("\(options.mpeg2 ? "MPEG-2 " : "")ADTS has no number for \(type.name) audio"))
    }
    guard let rateIndex = configuration.samplingRate.index else {
      throw ContainerError(
        .cannotCarry("ADTS has no number for the sampling rate \(configuration.samplingRate.hertz) Hz"))
    }
    guard configuration.frameLength == 1024 else {
      throw ContainerError(
        .cannotCarry("ADTS cannot say that frames are \(configuration.frameLength) samples long"))
    }
    let needsConfig = configuration.programConfig != nil || configuration.channelConfiguration > 7
    choice = needsConfig ? try ProgramChoice(configuration, rateIndex: rateIndex, container: "ADTS") : nil
    header = ADTSHeader(
      samplingRateIndex: rateIndex,
      channelConfiguration: needsConfig ? 0 : configuration.channelConfiguration, frameLength: 0)
    header.profile = type.rawValue - 1
    header.isMPEG2 = options.mpeg2
    header.hasChecksum = options.checksums
    if options.checksums || options.mpeg2 {
      do {
        scanner = try AccessUnitScanner(configuration)
      } catch {
        throw ContainerError(.configuration(error))
      }
    }
  }

  public func write(_ packet: Packet) throws(ContainerError) {
    guard !isFinished else { throw ContainerError(.misuse("the writer is finished")) }
    try PacketCheck.refuseFramed(packet.data)
    if packetCount == 0, let choice { prefix = choice.config(first: packet.data)?.elementBytes ?? [] }
    let hasOwnConfig = choice != nil && ProgramConfig(leading: packet.data) != nil
    let prefix = hasOwnConfig ? [] : prefix
    header.frameLength = header.headerLength + prefix.count + packet.data.count
    guard header.frameLength <= ADTSHeader.maximumFrameLength else {
      throw ContainerError(
        .cannotCarry(
          "the access unit \(packetCount) has \(packet.data.count) bytes, an ADTS frame holds "
            + "\(ADTSHeader.maximumFrameLength - header.headerLength - prefix.count)"))
    }
    frame.removeAll(keepingCapacity: true)
    let word = header.word
    for index in 0..<ADTSHeader.byteCount {
      frame.append(UInt8(truncatingIfNeeded: word >> UInt64((ADTSHeader.byteCount - 1 - index) * 8)))
    }
    if header.hasChecksum { frame.append(contentsOf: [0, 0]) }
    frame.append(contentsOf: prefix)
    frame.append(contentsOf: packet.data)
    try examine()
    if packetCount == 0, let timestamp = options.timestamp { try sink.append(timestamp.tag) }
    try sink.append(frame)
    packetCount += 1
  }

  /// Fills in the checksum and refuses what MPEG-2 does not have.
  private func examine() throws(ContainerError) {
    guard scanner != nil else { return }
    let start = header.headerLength
    do {
      try scanner?.scan(frame, range: start..<frame.count)
    } catch {
      throw ContainerError(.misuse("the access unit \(packetCount) is damaged: \(error)"))
    }
    guard let layout = scanner?.layout else { return }
    if options.mpeg2, layout.usesNoise {
      throw ContainerError(
        .cannotCarry("the access unit \(packetCount) uses noise substitution, which MPEG-2 does not have"))
    }
    guard header.hasChecksum else { return }
    var checksum = ADTSChecksum()
    checksum.add(bytes: frame.prefix(ADTSHeader.byteCount))
    checksum.add(layout.protectedRegions, of: frame, from: start)
    frame[ADTSHeader.byteCount] = UInt8(truncatingIfNeeded: checksum.value >> 8)
    frame[ADTSHeader.byteCount + 1] = UInt8(truncatingIfNeeded: checksum.value)
  }

  public func finish() throws(ContainerError) {
    isFinished = true
    try sink.flush()
  }
}
