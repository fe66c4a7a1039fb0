public import AAC

/// Writes MP4 in fragments of about a second: to pipes, and so that a recording that is cut short can be
/// played up to its last fragment.
///
/// Priming is told by an edit list without an end. Padding is known only at the end: there the last samples
/// are said to be shorter than their access units, down to nothing.
public final class FragmentedMP4Writer: PacketWriter {
  /// What the file says beside the sound.
  public struct Options: Sendable, Equatable {
    public var tags = Tags()
    /// Written as a list only: their texts would be in the way between fragments.
    public var chapters: [Chapter] = []
    public var mpeg2 = false
    /// The configuration's bytes as another container had them.
    public var configurationBytes: [UInt8]?
    /// As `M4AWriter.Options.timescale`.
    public var timescale: Int?
    /// Packets in a fragment; `nil`: about a second.
    public var packetsPerFragment: Int?
    /// Let no fragment's header lie across two pages of 4096 bytes, where a write may end that is killed, or finds
    /// the disk full: some players give up a whole file for half a header.
    public var keepsHeadersInPages = false
    public init(tags: Tags = Tags()) { self.tags = tags }
  }

  private let sink: any ByteSink
  private let options: Options
  private let chapters: [Chapter]
  private let header: MovieHeader
  private let fragmentLength: Int
  private var packetDuration = 0
  private var priming = 0
  private var hasStarted = false
  private var isFinished = false
  private var sequence = 0
  private var decodeTime: Int64 = 0

  /// The fragment at hand.
  private var data: [UInt8] = []
  private var sizes: [Int] = []
  private var durations: [Int] = []

  public init(
    _ sink: any ByteSink, configuration: AudioSpecificConfig, options: Options = Options()
  ) throws(ContainerError) {
    self.sink = sink
    self.options = options
    chapters = try Chapter.checked(options.chapters)
    header = MovieHeader(
      configuration, bytes: options.configurationBytes, timescale: options.timescale, mpeg2: options.mpeg2)
    let second = header.timescale / max(1, configuration.outputFrameLength)
    fragmentLength = min(max(1, options.packetsPerFragment ?? second), 1024)
  }

  public func write(_ packet: Packet) throws(ContainerError) {
    guard !isFinished else { throw ContainerError(.misuse("the writer is finished")) }
    try PacketCheck.refuseFramed(packet.data)
    guard packet.data.count <= SampleTable.largestSample else {
      throw ContainerError(.misuse("the packet has \(packet.data.count) bytes"))
    }
    if packetDuration == 0 { packetDuration = packet.duration }
    guard packet.duration == packetDuration, packetDuration > 0 else {
      throw ContainerError(
        .misuse("the packet lasts \(packet.duration) frames, those before \(packetDuration)"))
    }
    guard packet.priming == 0 || !hasStarted else {
      throw ContainerError(.misuse("the priming is longer than a fragment"))
    }
    // What is dropped goes on to the end: after padding comes only padding.
    guard packet.padding > 0 || durations.last ?? packetDuration == packetDuration else {
      throw ContainerError(.misuse("a packet follows the padding"))
    }
    priming += packet.priming
    data.append(contentsOf: packet.data)
    sizes.append(packet.data.count)
    durations.append(packetDuration - min(packet.padding, packetDuration))
    if sizes.count >= fragmentLength { try writeFragment() }
  }

  public func finish() throws(ContainerError) {
    guard !isFinished else { return }
    isFinished = true
    if !sizes.isEmpty || !hasStarted { try writeFragment() }
    try sink.flush()
  }

  private func start() throws(ContainerError) {
    hasStarted = true
    var bytes = ByteBuilder()
    header.writeFileType(fragmented: true, to: &bytes)
    bytes.box("moov") {
      header.writeMovieHeader(duration: 0, to: &$0)
      $0.box("trak") {
        header.writeTrackHeader(duration: 0, to: &$0)
        if priming > 0 { EditList.write([.init(duration: 0, mediaTime: Int64(priming))], to: &$0) }
        $0.box("mdia") {
          header.writeMediaHeader(duration: 0, to: &$0)
          $0.box("minf") {
            header.writeMediaInformationHead(to: &$0)
            $0.box("stbl") {
              header.writeSampleDescription(to: &$0)
              $0.fullBox("stts") { $0.uint32(0) }
              $0.fullBox("stsc") { $0.uint32(0) }
              $0.fullBox("stsz") { $0.zeros(8) }
              $0.fullBox("stco") { $0.uint32(0) }
              MovieHeader.writeRollDescription(to: &$0)
            }
          }
        }
      }
      $0.box("mvex") {
        $0.fullBox("trex") {
          $0.uint32(Int64(MovieHeader.trackID))
          $0.uint32(1)  // default_sample_description_index
          $0.uint32(Int64(packetDuration))
          $0.zeros(8)
        }
      }
      MetadataItems.write(options.tags, gapless: nil, chapters: chapters, to: &$0)
    }
    try sink.append(bytes.bytes)
  }

  private func writeFragment() throws(ContainerError) {
    if !hasStarted { try start() }
    guard !sizes.isEmpty else { return }
    sequence += 1
    var bytes = ByteBuilder()
    writeMovieFragment(dataOffset: 0, to: &bytes)
    let size = bytes.count
    bytes.removeAll()
    if options.keepsHeadersInPages { fillPage(before: size + 8, to: &bytes) }
    writeMovieFragment(dataOffset: size + 8, to: &bytes)
    bytes.uint32(Int64(data.count) + 8)
    bytes.fourCC("mdat")
    try sink.append(bytes.bytes)
    try sink.append(data)
    try sink.flush()
    decodeTime += Int64(sizes.count) * Int64(packetDuration)
    data.removeAll(keepingCapacity: true)
    sizes.removeAll(keepingCapacity: true)
    durations.removeAll(keepingCapacity: true)
  }

  private static let pageSize: Int64 = 4096

  /// Puts an empty box in front of a header of `size` bytes that would not fit the page at hand.
  private func fillPage(before size: Int, to bytes: inout ByteBuilder) {
    let rest = Self.pageSize - sink.length % Self.pageSize
    guard Int64(size) > rest, Int64(size) <= Self.pageSize - 8 else { return }
    // A box has eight bytes at least.
    bytes.box("free") { $0.zeros(Int(rest >= 8 ? rest - 8 : rest)) }
  }

  private func writeMovieFragment(dataOffset: Int, to bytes: inout ByteBuilder) {
    let isUsual = durations.allSatisfy { $0 == packetDuration }
    bytes.box("moof") {
      $0.fullBox("mfhd") { $0.uint32(Int64(sequence)) }
      $0.box("traf") {
        // default-base-is-moof, default duration
        $0.fullBox("tfhd", flags: 0x2_0008) {
          $0.uint32(Int64(MovieHeader.trackID))
          $0.uint32(Int64(packetDuration))
        }
        $0.fullBox("tfdt", version: 1) { $0.uint64(decodeTime) }
        // data offset, sizes, and durations where they differ
        $0.fullBox("trun", flags: isUsual ? 0x201 : 0x301) {
          $0.uint32(Int64(sizes.count))
          $0.uint32(Int64(dataOffset))
          for index in sizes.indices {
            if !isUsual { $0.uint32(Int64(durations[index])) }
            $0.uint32(Int64(sizes[index]))
          }
        }
        MovieHeader.writeRollGroup(sampleCount: sizes.count, to: &$0)
      }
    }
  }
}
