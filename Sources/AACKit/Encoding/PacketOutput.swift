public import AAC
public import AACContainers

/// How a container is to be written.
public struct PacketOutput: Sendable {
  public var container: ContainerFormat
  /// ADTS, also in transport streams: add a checksum to each frame.
  public var checksums = false
  /// Say MPEG-2, which has no noise substitution.
  public var mpeg2 = false
  public var tags = Tags()
  /// For MP4, as tags are.
  public var chapters: [Chapter] = []
  /// The configuration's bytes as another container had them.
  public var configurationBytes: [UInt8]?
  /// Rate in which the packets are timed; `nil`: the output rate that the configuration tells.
  public var timeRate: Int?
  /// Fragmented MP4: packets in a fragment; `nil`: about a second.
  public var packetsPerFragment: Int?
  /// Fragmented MP4: seconds that a fragment lasts, within ``FragmentedMP4Writer/fragmentSeconds``; wins over
  /// `packetsPerFragment`.
  public var fragmentSeconds: Double?
  /// Fragmented MP4: frames to come, as far as that is known, for the size of its index.
  public var expectedFrames: Int64?

  public init(_ container: ContainerFormat) { self.container = container }

  /// Opens the writer on a sink. On one that cannot be rewound an M4A file becomes fragmented MP4.
  ///
  /// - Parameter sidecar: for raw access units, where what describes them goes.
  public func open(
    _ sink: any ByteSink, sidecar: (any ByteSink)? = nil, configuration: AudioSpecificConfig
  ) throws(ContainerError) -> any PacketWriter {
    switch container {
    case .adts:
      return try ADTSWriter(
        sink, configuration: configuration, options: .init(checksums: checksums, mpeg2: mpeg2))
    case .m4a where sink.isSeekable:
      var options = M4AWriter.Options(tags: tags)
      options.chapters = chapters
      options.mpeg2 = mpeg2
      options.configurationBytes = configurationBytes
      options.timescale = timeRate
      return try M4AWriter(sink, configuration: configuration, options: options)
    case .m4a, .fmp4:
      var options = FragmentedMP4Writer.Options(tags: tags)
      options.chapters = chapters
      options.mpeg2 = mpeg2
      options.configurationBytes = configurationBytes
      options.timescale = timeRate
      options.packetsPerFragment = packetsPerFragment
      options.fragmentSeconds = fragmentSeconds
      options.expectedFrames = expectedFrames
      options.keepsHeadersInPages = sink is RecordingFile
      return try FragmentedMP4Writer(sink, configuration: configuration, options: options)
    case .adif: return try ADIFWriter(sink, configuration: configuration)
    case .raw:
      guard let sidecar else {
        throw ContainerError(
          .cannotCarry("raw access units need a file beside them that describes them"))
      }
      return try RawWriter(
        sink, sidecar: sidecar, configuration: configuration, configurationBytes: configurationBytes,
        timeRate: timeRate, tags: tags)
    case .loas:
      var options = LOASWriter.Options()
      options.configurationBytes = configurationBytes
      return try LOASWriter(sink, configuration: configuration, options: options)
    case .ts:
      var options = TransportStreamWriter.Options()
      options.mpeg2 = mpeg2
      options.checksums = checksums
      return try TransportStreamWriter(sink, configuration: configuration, options: options)
    case .flv: throw ContainerError(.cannotCarry("\(container.name) is read, but not written"))
    }
  }
}

/// The packets of a container. Raw access units are read where the file that describes them lies beside
/// them (`NAME.raw.json`).
func openPackets(
  _ source: any ByteSource, path: String?, _ options: PacketReadingOptions = PacketReadingOptions()
) throws(AACKitError) -> any PacketReader {
  do throws(ContainerError) {
    if let path, path.hasSuffix(".raw"), let sidecar = try? FileSource(path: path + ".json") {
      return try RawReader(source, sidecar: sidecar)
    }
    return try openPacketReader(source, options: options)
  } catch { throw AACKitError(.container(error), path: path) }
}
