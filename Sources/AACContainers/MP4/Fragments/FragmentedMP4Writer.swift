public import AAC

/// Writes MP4 in fragments, as CMAF has them (ISO/IEC 23000-19, brand `cmfc`): to pipes, for streaming, and so that a
/// recording that is cut short can be played up to its last fragment.
///
/// Fragments last about a second, or what ``Options/fragmentSeconds`` says. Each is written as a whole and never
/// touched again.
///
/// Where the sink can be rewritten, room is left in front of the first fragment. `finish()` puts an index of all
/// fragments (`sidx`) there and the whole duration (`mehd`) into the header, for players that seek and show a length
/// without reading the file through. Up to the end the room is an empty box, so that a file that was never finished
/// lacks nothing but that. To a pipe neither is written: an index of one fragment in front of each would repeat what the
/// fragment's own header says. No list of fragments stands at the end (`mfra`): FFmpeg and browsers do not look for one.
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
    /// Packets in a fragment, 1 to 65,536; `nil`: about a second.
    public var packetsPerFragment: Int?
    /// Seconds that a fragment lasts, within ``FragmentedMP4Writer/fragmentSeconds``; wins over `packetsPerFragment`.
    ///
    /// A fragment is made of whole packets. The borders are the ones nearest to whole multiples of this length in what
    /// is heard, priming left out. So fragments differ by a packet, and no border is off by more than half of one,
    /// however long the sound is: streams of the same sound at different rates have theirs next to each other.
    public var fragmentSeconds: Double?
    /// Frames that are going to be written, as far as that is known: the index gets as much room as it will need. With
    /// none, or one that turns out too small, some entries of the index stand for several fragments each.
    public var expectedFrames: Int64?
    /// Write `sidx` and `mehd` where the sink can be rewritten.
    public var writesIndex = true
    /// Let no fragment's header lie across two pages of 4096 bytes, where a write may end that is killed, or finds
    /// the disk full: some players give up a whole file for half a header. Headers of more than about 1000 packets do
    /// not fit a page.
    public var keepsHeadersInPages = false
    public init(tags: Tags = Tags()) { self.tags = tags }
  }

  /// How long fragments can be, in seconds.
  public static let fragmentSeconds: ClosedRange<Double> = 0.02...60

  private static let mostPackets = 1 << 16

  private let sink: any ByteSink
  private let options: Options
  private let chapters: [Chapter]
  private let header: MovieHeader
  private var grid: FragmentGrid
  private var room: SegmentIndexRoom?
  /// Where `mehd` is to be, which is an empty box until then.
  private var durationPlace: Int64 = 0
  private var packetDuration = 0
  private var priming = 0
  private var hasStarted = false
  private var isFinished = false
  private var sequence = 0
  /// Of the fragment at hand: what all before it last (23000-19, 7.3.2.2).
  private var decodeTime: Int64 = 0

  /// The fragment at hand.
  private var data: [UInt8] = []
  private var sizes: [Int] = []
  private var durations: [Int] = []

  /// - Throws: `misuse` for a length of fragments or chapters that cannot be.
  public init(
    _ sink: any ByteSink, configuration: AudioSpecificConfig, options: Options = Options()
  ) throws(ContainerError) {
    self.sink = sink
    self.options = options
    chapters = try Chapter.checked(options.chapters)
    header = MovieHeader(
      configuration, bytes: options.configurationBytes, timescale: options.timescale, mpeg2: options.mpeg2)
    let second = header.timescale / max(1, configuration.outputFrameLength)
    if let seconds = options.fragmentSeconds {
      guard Self.fragmentSeconds.contains(seconds) else {
        let range = Self.fragmentSeconds
        throw ContainerError(
          .misuse("fragments of \(seconds) s: \(range.lowerBound) to \(range.upperBound) are possible"))
      }
      grid = FragmentGrid(.seconds(seconds), timescale: header.timescale)
    } else {
      let packets = min(max(1, options.packetsPerFragment ?? second), Self.mostPackets)
      grid = FragmentGrid(.packets(packets), timescale: header.timescale)
    }
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
    let end = decodeTime + Int64(sizes.count) * Int64(packetDuration)
    if sizes.count == Self.mostPackets
      || grid.isComplete(
        packetCount: sizes.count, end: end, priming: Int64(priming), packetDuration: packetDuration)
    {
      try writeFragment()
    }
  }

  public func finish() throws(ContainerError) {
    guard !isFinished else { return }
    isFinished = true
    if !sizes.isEmpty || !hasStarted { try writeFragment() }
    try sink.flush()
    guard let room, sequence > 0 else { return }
    try room.fill(sink, timescale: header.timescale, priming: Int64(priming))
    try MovieHeader.fillDuration(max(0, decodeTime - Int64(priming)), sink, at: durationPlace)
    try sink.flush()
  }

  private func start() throws(ContainerError) {
    hasStarted = true
    let hasIndex = options.writesIndex && sink.isSeekable
    var durationPlace: Int64 = 0
    var bytes = ByteBuilder()
    header.writeFileType(fragmented: true, to: &bytes)
    bytes.box("moov") {
      header.writeMovieHeader(duration: 0, to: &$0)
      $0.box("trak") {
        header.writeTrackHeader(duration: 0, alternateGroup: 0, to: &$0)
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
        if hasIndex {
          durationPlace = sink.length + Int64($0.count)
          MovieHeader.reserveDuration(in: &$0)
        }
        $0.fullBox("trex") {
          $0.uint32(Int64(MovieHeader.trackID))
          $0.uint32(1)  // default_sample_description_index
          $0.uint32(Int64(packetDuration))
          $0.zeros(8)
        }
      }
      MetadataItems.write(options.tags, gapless: nil, chapters: chapters, to: &$0)
    }
    if hasIndex {
      let room = SegmentIndexRoom(at: sink.length + Int64(bytes.count), fragmentCount: expectedFragments)
      room.reserve(in: &bytes)
      self.room = room
      self.durationPlace = durationPlace
    }
    try sink.append(bytes.bytes)
  }

  /// The first fragment is as long as the others, or longer by the priming.
  private var expectedFragments: Int? {
    guard let frames = options.expectedFrames, frames > 0 else { return nil }
    let first = Double(sizes.count * packetDuration - priming)
    let usual = options.fragmentSeconds.map { $0 * Double(header.timescale) } ?? max(1, first)
    return Int(min(Double(frames) / max(usual, Double(packetDuration)), 1e6).rounded(.up)) + 2
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
    let gap = bytes.count
    writeMovieFragment(dataOffset: size + 8, to: &bytes)
    bytes.uint32(Int64(data.count) + 8)
    bytes.fourCC("mdat")
    try sink.append(bytes.bytes)
    try sink.append(data)
    try sink.flush()
    grid.next()
    let duration = durations.reduce(0) { $0 + Int64($1) }
    room?.add(gap: gap, size: size + 8 + data.count, duration: duration)
    decodeTime += duration
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
