public import AAC

/// Writes an M4A file: its tables in front, exact to the sample.
///
/// The sound is written as it comes. `finish()` moves it back to make room for the tables, so the sink has
/// to be seekable; for pipes there is `FragmentedMP4Writer`. Until then the sink holds no valid file.
public final class M4AWriter: PacketWriter {
  /// What the file says beside the sound.
  public struct Options: Sendable, Equatable {
    public var tags = Tags()
    /// Written as a list and as a track. Those that start behind the end of the sound are left out.
    public var chapters: [Chapter] = []
    /// Write `iTunSMPB` beside the edit list, for players that know only that.
    public var writesGaplessTag = true
    /// Call the codec MPEG-2 AAC.
    public var mpeg2 = false
    /// The configuration's bytes as another container had them.
    public var configurationBytes: [UInt8]?
    /// Ticks a second; `nil`: the output rate that the configuration tells. For spectral band replication
    /// that is not announced give the doubled rate, and packets timed in it.
    public var timescale: Int?
    public init(tags: Tags = Tags()) { self.tags = tags }
  }

  private static let moveBlock = 1 << 18
  private static let mdatHeader: Int64 = 8
  private static let chapterTrackID = MovieHeader.trackID + 1

  private let sink: any ByteSink
  private let options: Options
  private var chapters: [Chapter]
  private var chapterTrack: ChapterTrack?
  private var header: MovieHeader
  private let base: Int64
  private let mdatStart: Int64
  private var sizes = CompactSizes()
  private var rate: BitRateMeter
  private let chunkLength: Int
  private var sound = SoundStretches()
  private var packetDuration = 0
  private var isFinished = false

  /// - Throws: `needsSeeking` where the sink is a pipe.
  public init(
    _ sink: any ByteSink, configuration: AudioSpecificConfig, options: Options = Options()
  ) throws(ContainerError) {
    guard sink.isSeekable else {
      throw ContainerError(
        .needsSeeking("an M4A file cannot be written to a pipe, fragmented MP4 can"), at: sink.length,
        advice: .useAnotherContainer)
    }
    self.sink = sink
    self.options = options
    chapters = try Chapter.checked(options.chapters)
    header = MovieHeader(
      configuration, bytes: options.configurationBytes, timescale: options.timescale, mpeg2: options.mpeg2)
    base = sink.length
    // About a second in a chunk.
    chunkLength = max(1, header.timescale / max(1, configuration.outputFrameLength))
    rate = BitRateMeter(packetsPerSecond: chunkLength)
    var start = ByteBuilder()
    header.writeFileType(fragmented: false, to: &start)
    mdatStart = base + Int64(start.count)
    start.uint32(0)  // to the end, until it is known
    start.fourCC("mdat")
    try sink.append(start.bytes)
  }

  public func write(_ packet: Packet) throws(ContainerError) {
    guard !isFinished else { throw ContainerError(.misuse("the writer is finished")) }
    try PacketCheck.refuseFramed(packet.data)
    guard packet.data.count <= SampleTable.largestSample else {
      throw ContainerError(.misuse("the packet \(sizes.count) has \(packet.data.count) bytes"))
    }
    guard sizes.count < Int(UInt32.max) else {
      throw ContainerError(.cannotCarry("an MP4 file holds at most \(UInt32.max) packets"))
    }
    if sizes.count == 0 { packetDuration = packet.duration }
    guard packet.duration == packetDuration, packetDuration > 0 else {
      throw ContainerError(
        .misuse("the packet \(sizes.count) lasts \(packet.duration) frames, those before \(packetDuration)"))
    }
    try sink.append(packet.data)
    sizes.append(packet.data.count)
    rate.add(packet.data.count)
    sound.add(packet)
  }

  public func finish() throws(ContainerError) {
    guard !isFinished else { return }
    isFinished = true
    header.descriptor.averageBitRate = rate.average(
      bytes: sizes.total, frames: Int64(sizes.count) * Int64(packetDuration), timescale: header.timescale)
    header.descriptor.maximumBitRate = max(rate.maximum, header.descriptor.averageBitRate)
    header.descriptor.bufferSize = max(header.descriptor.bufferSize, min(sizes.largest, 0xFF_FFFF))

    try addChapters()
    // The tables' size does not depend on the offsets in them, apart from their width.
    let dataSize = sink.length - mdatStart - Self.mdatHeader
    var layout = Layout(dataStart: 0, usesLargeOffsets: false)
    let small = moovByteCount(layout)
    let mdatSize = Self.mdatHeader + dataSize
    let largeMdat = mdatSize > Int64(UInt32.max)
    let mdatHeader = Self.mdatHeader + (largeMdat ? 8 : 0)
    layout.usesLargeOffsets = mdatStart + small + mdatHeader + dataSize > Int64(UInt32.max)
    var moovSize = small
    if layout.usesLargeOffsets { moovSize = moovByteCount(layout) }
    layout.dataStart = mdatStart - base + moovSize + mdatHeader

    let oldData = mdatStart + Self.mdatHeader
    try move(from: oldData, to: base + layout.dataStart, count: dataSize)
    try writeTables(layout)
    var mdat = ByteBuilder()
    mdat.uint32(largeMdat ? 1 : mdatSize)
    mdat.fourCC("mdat")
    if largeMdat { mdat.uint64(mdatSize + 8) }
    try sink.rewrite(mdat.bytes, at: mdatStart + moovSize)
    try sink.flush()
  }

  /// Puts the chapters' names behind the sound.
  private func addChapters() throws(ContainerError) {
    chapters.removeAll { ($0.start * Double(header.timescale)).rounded() >= Double(validFrames) }
    guard !chapters.isEmpty else { return }
    let track = ChapterTrack(
      chapters, duration: validFrames, rate: header.timescale, movieDuration: validFrames,
      movieScale: header.timescale)
    try sink.append(track.data)
    chapterTrack = track
  }

  /// Moves the sound towards the end, the last block first.
  private func move(from: Int64, to: Int64, count: Int64) throws(ContainerError) {
    var gap = to - from
    while gap > 0 {
      let size = min(gap, Int64(Self.moveBlock))
      try sink.append([UInt8](repeating: 0, count: Int(size)))
      gap -= size
    }
    var left = count
    var block = [UInt8](repeating: 0, count: Int(min(Int64(Self.moveBlock), max(1, count))))
    while left > 0 {
      let size = Int(min(left, Int64(block.count)))
      if size < block.count { block.removeLast(block.count - size) }
      left -= Int64(size)
      try sink.read(at: from + left, into: &block, 0..<size)
      try sink.rewrite(block, at: to + left)
    }
  }

  // MARK: Tables

  private struct Layout {
    /// Place of the first sample, counted from the start of the container.
    var dataStart: Int64
    var usesLargeOffsets: Bool
  }

  private var chunkCount: Int { (sizes.count + chunkLength - 1) / chunkLength }
  private var isOneRun: Bool { sizes.count % chunkLength == 0 }
  private var sizeTableBytes: Int64 { 20 + 4 * Int64(sizes.count) }

  private var mediaDuration: Int64 { Int64(sizes.count) * Int64(packetDuration) }
  private var validFrames: Int64 { sound.frameCount }

  /// Priming and padding, for players that know no edit lists; `nil` where more than those is left out.
  private var gaplessInfo: GaplessInfo? {
    guard options.writesGaplessTag, sound.stretches.count <= 1 else { return nil }
    return GaplessInfo(
      priming: Int(clamping: sound.priming),
      padding: Int(clamping: mediaDuration - sound.priming - validFrames), validFrames: validFrames)
  }

  private func moovByteCount(_ layout: Layout) -> Int64 {
    Int64(head(layout).count) + tableByteCount(layout) + Int64(tail(layout).count)
  }

  private func tableByteCount(_ layout: Layout) -> Int64 {
    sizeTableBytes + 16 + Int64(chunkCount) * (layout.usesLargeOffsets ? 8 : 4)
  }

  /// What follows the long tables in `moov`.
  private func tail(_ layout: Layout) -> [UInt8] {
    var bytes = ByteBuilder()
    chapterTrack?.write(
      id: Self.chapterTrackID, offset: layout.dataStart + sizes.total,
      usesLargeOffsets: layout.usesLargeOffsets, to: &bytes)
    MetadataItems.write(options.tags, gapless: gaplessInfo, chapters: chapters, to: &bytes)
    return bytes.bytes
  }

  /// `moov` up to the two long tables, with all sizes as if they were there. They come last in their track, so that
  /// they can be written in blocks.
  private func head(_ layout: Layout) -> [UInt8] {
    let longTables = tableByteCount(layout)
    let valid = validFrames
    var moov = ByteBuilder()
    moov.box("moov", reserving: longTables + Int64(tail(layout).count)) {
      header.writeMovieHeader(duration: valid, trackCount: chapterTrack == nil ? 1 : 2, to: &$0)
      $0.box("trak", reserving: longTables) {
        header.writeTrackHeader(duration: valid, to: &$0)
        if chapterTrack != nil {
          $0.box("tref") { $0.box("chap") { $0.uint32(Int64(Self.chapterTrackID)) } }
        }
        EditList.write(sound.edits, to: &$0)
        $0.box("mdia", reserving: longTables) {
          header.writeMediaHeader(duration: mediaDuration, to: &$0)
          $0.box("minf", reserving: longTables) {
            header.writeMediaInformationHead(to: &$0)
            $0.box("stbl", reserving: longTables) {
              header.writeSampleDescription(to: &$0)
              writeShortTables(to: &$0)
            }
          }
        }
      }
    }
    return moov.bytes
  }

  private func writeShortTables(to bytes: inout ByteBuilder) {
    bytes.fullBox("stts") {
      $0.uint32(sizes.count > 0 ? 1 : 0)
      if sizes.count > 0 {
        $0.uint32(Int64(sizes.count))
        $0.uint32(Int64(packetDuration))
      }
    }
    bytes.fullBox("stsc") {
      let full = sizes.count / chunkLength
      $0.uint32((full > 0 ? 1 : 0) + (isOneRun ? 0 : 1))
      if full > 0 { for value in [1, chunkLength, 1] { $0.uint32(Int64(value)) } }
      if !isOneRun { for value in [full + 1, sizes.count % chunkLength, 1] { $0.uint32(Int64(value)) } }
    }
    MovieHeader.writeRollDescription(to: &bytes)
    MovieHeader.writeRollGroup(sampleCount: sizes.count, to: &bytes)
  }

  private func writeTables(_ layout: Layout) throws(ContainerError) {
    var block = ByteBuilder()
    block.append(head(layout))
    var place = mdatStart
    func spill(atLeast size: Int) throws(ContainerError) {
      guard block.count >= size, block.count > 0 else { return }
      try sink.rewrite(block.bytes, at: place)
      place += Int64(block.count)
      block.removeAll()
    }
    block.uint32(sizeTableBytes)
    block.fourCC("stsz")
    block.uint32(0)
    block.uint32(0)
    block.uint32(Int64(sizes.count))
    for index in 0..<sizes.count {
      block.uint32(Int64(sizes[index]))
      try spill(atLeast: Self.moveBlock)
    }
    let width = layout.usesLargeOffsets ? 8 : 4
    block.uint32(16 + Int64(chunkCount * width))
    block.fourCC(layout.usesLargeOffsets ? "co64" : "stco")
    block.uint32(0)
    block.uint32(Int64(chunkCount))
    var offset = layout.dataStart
    for index in 0..<sizes.count {
      if index % chunkLength == 0 {
        block.put(UInt64(offset), width)
        try spill(atLeast: Self.moveBlock)
      }
      offset += Int64(sizes[index])
    }
    block.append(tail(layout))
    try spill(atLeast: 0)
  }
}
