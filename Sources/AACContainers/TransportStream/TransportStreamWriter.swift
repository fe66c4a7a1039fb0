public import AAC

/// Writes an MPEG transport stream with one AAC stream in ADTS frames (ISO/IEC 13818-1).
///
/// Times are exact: each is computed from the count of frames, to the nearest 1/90000 s, and errors do not add up. There is
/// no place for priming and padding.
public final class TransportStreamWriter: PacketWriter {
  /// How the stream is laid out.
  public struct Options: Sendable, Equatable {
    /// Time stamp of the first packet, in 1/90000 s; from 2³³ on they begin again at 0. At least 0.
    public var startTime: Int64 = 126_000
    /// ADTS frames that share a time stamp, 1 to 16.
    public var framesPerUnit = 4
    public var mpeg2 = false
    public var checksums = false
    public init() {}
  }

  /// How far the clock is behind the time stamps: what a receiver holds back.
  private static let lead: Int64 = 63_000
  /// Time between two times that the tables are told, in 1/90000 s.
  private static let tableInterval: Int64 = 22_500
  private static let largestUnit = 60_000

  private let sink: any ByteSink
  private let options: Options
  private let frame = FrameSink()
  private let framer: ADTSWriter
  private let rate: Int64
  private var packetizer = TransportPacketizer()
  private var content: [UInt8] = []
  private var contentFrames = 0
  /// Frames of sound in front of the unit at hand.
  private var position: Int64 = 0
  private var contentDuration: Int64 = 0
  private var lastTables: Int64?
  private var isFinished = false

  /// - Throws: `cannotCarry` where ADTS has no way to say the configuration.
  public init(
    _ sink: any ByteSink, configuration: AudioSpecificConfig, options: Options = Options()
  ) throws(ContainerError) {
    self.sink = sink
    self.options = options
    framer = try ADTSWriter(
      frame, configuration: configuration,
      options: .init(checksums: options.checksums, mpeg2: options.mpeg2))
    rate = Int64(max(1, configuration.outputRate))
  }

  public func write(_ packet: Packet) throws(ContainerError) {
    guard !isFinished else { throw ContainerError(.misuse("the writer is finished")) }
    frame.bytes.removeAll(keepingCapacity: true)
    try framer.write(packet)
    if contentFrames > 0, content.count + frame.bytes.count > Self.largestUnit { try writeUnit() }
    content.append(contentsOf: frame.bytes)
    contentFrames += 1
    contentDuration += Int64(packet.duration)
    if contentFrames >= min(max(1, options.framesPerUnit), 16) { try writeUnit() }
  }

  public func finish() throws(ContainerError) {
    guard !isFinished else { return }
    isFinished = true
    if contentFrames > 0 { try writeUnit() }
    try sink.flush()
  }

  /// 1/90000 s from the first packet to a frame.
  private func time(ofFrame frame: Int64) -> Int64 {
    // Whole seconds first: the product of a long recording would not fit.
    frame / rate * 90_000 + (frame % rate * 90_000 + rate / 2) / rate
  }

  private func writeUnit() throws(ContainerError) {
    let elapsed = time(ofFrame: position)
    let stamp = max(0, options.startTime) &+ elapsed
    var bytes: [UInt8] = []
    if lastTables.map({ elapsed - $0 >= Self.tableInterval }) ?? true {
      packetizer.put(section: TransportTables.association, pid: 0, to: &bytes)
      packetizer.put(section: TransportTables.map, pid: TransportTables.mapPID, to: &bytes)
      lastTables = elapsed
    }
    packetizer.put(
      pes: Self.header(stamp, contentLength: content.count) + content, pid: TransportTables.audioPID,
      clock: stamp &- Self.lead, to: &bytes)
    try sink.append(bytes)
    position += contentDuration
    content.removeAll(keepingCapacity: true)
    contentFrames = 0
    contentDuration = 0
  }

  /// A PES packet's header with a time stamp (2.4.3.6).
  private static func header(_ time: Int64, contentLength: Int) -> [UInt8] {
    var bytes = ByteBuilder()
    bytes.put(0x0000_01C0, 4)  // packet_start_code_prefix, the first audio stream
    bytes.uint16(contentLength + 8)
    bytes.uint8(0x84)  // data_alignment_indicator
    bytes.uint8(0x80)  // a presentation time stamp
    bytes.uint8(5)
    let stamp = time & 0x1_FFFF_FFFF
    bytes.uint8(0x21 | Int(stamp >> 30 & 7) << 1)
    bytes.uint16(Int(stamp >> 15 & 0x7FFF) << 1 | 1)
    bytes.uint16(Int(stamp & 0x7FFF) << 1 | 1)
    return bytes.bytes
  }
}

/// Holds one ADTS frame.
private final class FrameSink: ByteSink {
  var bytes: [UInt8] = []
  var length: Int64 { Int64(bytes.count) }
  var isSeekable: Bool { false }

  func append(_ data: [UInt8]) throws(ContainerError) { bytes.append(contentsOf: data) }
  func flush() throws(ContainerError) {}

  func rewrite(_ data: [UInt8], at offset: Int64) throws(ContainerError) { throw refuseSeeking() }

  func read(
    at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>
  ) throws(ContainerError) {
    throw refuseSeeking()
  }
}
