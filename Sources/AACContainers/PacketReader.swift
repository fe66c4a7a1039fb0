public import AAC

/// Reads a container packet by packet, in order.
///
/// Not safe for use from several threads at a time.
public protocol PacketReader: AnyObject {
  /// What is known so far; grows while reading where the container tells things late.
  var info: StreamInfo { get }
  var warnings: WarningList { get }
  /// Counts changes of `info.configuration` inside of the stream. Where it differs from before a call,
  /// the packet needs a decoder of the new configuration.
  var configurationChanges: Int { get }

  /// Puts the next packet into `packet`, whose storage is used again, and returns true; false at the end.
  ///
  /// A packet with empty data stands for one that was lost: conceal it to keep the time line.
  /// After a throw the next call goes on with what can still be read, or returns false.
  func nextPacket(into packet: inout Packet) throws(ContainerError) -> Bool

  /// Goes to the packet in which `time` lies, forward or back, without reading what is between.
  ///
  /// - Parameter time: in frames at `info.timeRate`, as packets have it; before the first packet that one is meant,
  ///   behind the last one the end.
  /// - Returns: the number of packets in front of the place; `nil` where there are no tables to go by or the source
  ///   cannot be rewound: then everything is as before, as it is after a throw.
  func seek(to time: Int64) throws(ContainerError) -> Int64?

  /// Walks over all packets without disturbing `nextPacket`; `nil` where the source cannot be read twice.
  func survey() throws(ContainerError) -> StreamSurvey?
}

extension PacketReader {
  public func seek(to time: Int64) throws(ContainerError) -> Int64? { nil }

  /// The next packet; `nil` at the end.
  public func nextPacket() throws(ContainerError) -> Packet? {
    var packet = Packet(data: [], presentationTime: 0, duration: 0)
    return try nextPacket(into: &packet) ? packet : nil
  }
}

/// Writes packets to a container.
public protocol PacketWriter: AnyObject {
  /// Takes one access unit. The first packets' `priming` and the last one's `padding` go into the
  /// container where it has a place for them.
  func write(_ packet: Packet) throws(ContainerError)
  /// Completes the container. Nothing can be written afterwards.
  func finish() throws(ContainerError)
}

/// How containers are read, whichever they are.
public struct PacketReadingOptions: Sendable {
  /// Give an empty packet in place of one that is known to be damaged: its checksum does not fit.
  public var dropsDamagedPackets = false
  /// Give empty packets where time stamps tell that some are missing (MPEG transport streams).
  public var fillsGaps = false
  /// The number of the track or stream that is read, from 1; `nil` for the usual one. Most containers have one only.
  public var track: Int?
  public init(dropsDamagedPackets: Bool = false, fillsGaps: Bool = false, track: Int? = nil) {
    self.dropsDamagedPackets = dropsDamagedPackets
    self.fillsGaps = fillsGaps
    self.track = track
  }
}

/// Opens the container in `source`, whichever it is.
///
/// Which losses a container can know: a transport stream by its time stamps and counters; ADTS and LOAS by the
/// bytes that damaged frames leave, but not frames that were cut out whole; MP4 has its packets in tables, where
/// gaps in time are what its maker wanted.
///
/// - Throws: `noTrack` where the track asked for cannot be read; `notAAC` or `unsupported` with the name of what is
///   there instead. Raw access units cannot be told from noise: `RawReader` wants to be named.
public func openPacketReader(
  _ source: any ByteSource, options: PacketReadingOptions = PacketReadingOptions()
) throws(ContainerError) -> any PacketReader {
  var adts = ADTSReader.Options()
  adts.dropsDamagedPackets = options.dropsDamagedPackets
  let format = try Probe.detect(source)
  if let track = options.track, track != 1, ![.m4a, .fmp4, .ts].contains(format) {
    throw ContainerError(.noTrack("there is no track \(track): \(format.name) holds one only"))
  }
  switch format {
  case .adts: return try ADTSReader(source, options: adts)
  case .m4a, .fmp4: return try MP4Reader(source, track: options.track)
  case .adif: return try ADIFReader(source)
  case .loas: return try Probe.hasLOASFrames(source) ? LOASReader(source) : LATMReader(source)
  case .ts:
    var transport = TransportStreamReader.Options()
    transport.adts = adts
    transport.fillsGaps = options.fillsGaps
    transport.track = options.track
    return try TransportStreamReader(source, options: transport)
  case .flv: return try FLVReader(source)
  case .raw:
    throw ContainerError(.unsupported("reading raw access units without a sidecar"), at: 0)
  }
}
