public import AAC

/// Reads the AAC track of an MP4, M4A, MOV or 3GP file, with its tables at either end or in fragments.
public final class MP4Reader: PacketReader {
  public private(set) var info: StreamInfo
  public private(set) var warnings: WarningList
  public var configurationChanges: Int { 0 }
  /// Tracks of the file, those that are not read too.
  public let trackCount: Int
  /// Packets that the tables list behind the point where the file turned out to be cut off. Of fragments that are
  /// missing altogether nothing is known.
  public private(set) var missingCount: Int64 = 0

  private let source: any ByteSource
  private let window: ByteWindow
  private var walk: SampleWalk
  /// The sample that is due, while its bytes have not been read.
  private var pending: Sample?
  private var time: Int64
  private let timing: TrackTiming
  /// The usual duration of a sample in the media's time scale.
  private let typicalDelta: UInt32
  private var packetCount: Int64 = 0
  private var isFinished = false
  /// The samples have ADTS headers, which do not belong here.
  private var stripsHeaders = false

  /// Finds the first AAC track.
  ///
  /// - Throws: `notAAC` or `unsupported` with the name of what is there instead; `needsSeeking` where the
  ///   tables stand behind the sound in something that cannot be rewound.
  public init(_ source: any ByteSource) throws(ContainerError) {
    self.source = source
    let window = ByteWindow(source)
    self.window = window
    let opened = try MP4Opening(window)
    var warnings = WarningList()
    for remark in opened.remarks { warnings.add(.irregular, remark, at: opened.moov.start) }
    trackCount = opened.movie.tracks.count
    let hasFragments = opened.movie.isFragmented
    info = StreamInfo(container: hasFragments ? .fmp4 : .m4a, configuration: opened.configuration)
    info.configurationBytes = opened.configurationBytes
    info.tags = opened.movie.metadata.tags
    let chapters = ChapterTrack.read(of: opened.track, in: opened.movie, source: source)
    info.chapters = chapters.isEmpty ? opened.movie.metadata.chapters : chapters
    let descriptor = opened.descriptor
    info.isMPEG2 = descriptor.objectTypeIndication != 0x40
    if descriptor.averageBitRate > 0 { info.declaredBitRate = Int(descriptor.averageBitRate) }
    if descriptor.maximumBitRate > 0 { info.declaredMaximumBitRate = Int(descriptor.maximumBitRate) }

    var walk = SampleWalk(
      table: opened.table, fragments: opened.fragments, mostBytes: SampleWalk.mostBytes(in: source))
    var packetCount: Int64?
    var times = SampleTable.Times()
    if let table = walk.table { times = try table.sumTimes() }
    if !hasFragments { packetCount = Int64(walk.table?.sampleCount ?? 0) }
    if times.count == 0 {
      times.first = opened.trackDefaults?.duration ?? 0
      pending = try walk.next(in: window)
      if let pending, times.first == 0 { times.first = pending.duration }
    }
    self.walk = walk
    typicalDelta = times.first
    var timing = TrackTiming(
      opened.configuration, mediaScale: opened.track.timescale, typicalDelta: times.first)
    timing.resolve(
      packetCount: packetCount, mediaDuration: packetCount == nil ? nil : times.total,
      edits: opened.track.edits, movieScale: opened.movie.timescale, gapless: opened.movie.metadata.gapless)
    for remark in timing.remarks { warnings.add(.ignored, remark, at: opened.moov.start) }
    self.timing = timing
    info.timeRate = timing.timeRate
    info.packetDuration = timing.packetDuration
    info.priming = timing.priming
    info.padding = timing.padding
    info.delaySource = timing.source
    info.packetCount = packetCount
    info.validFrames = timing.validFrames
    info.expectedFrames = opened.expectedFrames(timing, in: window)
    time = -Int64(timing.priming)
    self.warnings = warnings
  }

  public func nextPacket(into packet: inout Packet) throws(ContainerError) -> Bool {
    guard !isFinished else { return false }
    do {
      if pending == nil { pending = try walk.next(in: window) }
      guard let sample = pending else {
        finish()
        return false
      }
      try load(sample, into: &packet.data)
      let padding = try padding(of: sample)
      pending = nil
      deliver(&packet, padding: padding)
      return true
    } catch {
      // Behind a fault the tables cannot be trusted.
      if error.reason != .needsMoreData {
        if case .truncated = error.reason, pending != nil { countMissing() }
        finish()
      }
      throw error
    }
  }

  private func countMissing() {
    if let all = info.packetCount {
      missingCount = all - packetCount
      return
    }
    var ahead = walk
    missingCount = 1
    while (try? ahead.next(in: window)) != nil { missingCount += 1 }
  }

  private func load(_ sample: Sample, into data: inout [UInt8]) throws(ContainerError) {
    source.release(before: sample.offset)
    data.removeAll(keepingCapacity: true)
    let got = try window.append(sample.size, at: sample.offset, to: &data)
    guard got == sample.size else {
      let of = info.packetCount.map { " of \($0)" } ?? ""
      throw ContainerError(
        .truncated("the file, in the access unit \(packetCount + 1)\(of),"), at: sample.offset + Int64(got))
    }
    guard packetCount == 0 || stripsHeaders else { return }
    var head = [UInt8](data.prefix(ADTSHeader.byteCount))
    guard head.count == ADTSHeader.byteCount, let header = try? ADTSHeader(parsing: head),
      header.frameLength == data.count
    else { return }
    head = []
    if packetCount == 0 {
      stripsHeaders = true
      warnings.add(.irregular, "the access units have ADTS headers, which were taken off", at: sample.offset)
    }
    data.removeFirst(header.headerLength)
  }

  /// Packets that may be padding altogether.
  private static let longestPadding = 16

  /// Frames of a sample that are to be dropped at a fragmented file's very end: it and all that follow are
  /// said to be shorter than their access units.
  private func padding(of sample: Sample) throws(ContainerError) -> Int {
    guard info.container == .fmp4, timing.validFrames == nil, sample.duration < typicalDelta else { return 0 }
    var ahead = walk
    var count = 0
    while let next = try ahead.next(in: window) {
      count += 1
      guard next.duration == 0, count <= Self.longestPadding else { return 0 }
    }
    let frames = Int(clamping: timing.frames(UInt64(sample.duration)))
    return max(0, timing.packetDuration - frames)
  }

  private func deliver(_ packet: inout Packet, padding: Int) {
    let duration = timing.packetDuration
    packet.presentationTime = time
    packet.duration = duration
    packet.priming = Int(max(0, min(-time, Int64(duration))))
    packet.padding = padding
    if let valid = timing.validFrames {
      packet.padding = Int(max(0, min(time + Int64(duration) - valid, Int64(duration))))
    }
    packet.padding = min(packet.padding, duration - packet.priming)
    time += Int64(duration)
    packetCount += 1
    if padding > 0 {
      info.padding += padding
      if info.delaySource == .none { info.delaySource = .sampleTimes }
    }
  }

  private func finish() {
    isFinished = true
    guard info.packetCount == nil else { return }
    info.packetCount = packetCount
    info.validFrames = min(timing.validFrames ?? .max, max(0, time - Int64(info.padding)))
  }

  public func survey() throws(ContainerError) -> StreamSurvey? {
    guard source.isSeekable else { return nil }
    return try MP4Reader(source).count()
  }

  private func count() throws(ContainerError) -> StreamSurvey {
    var counter = SurveyCounter(packetsPerSecond: max(1, info.timeRate / info.packetDuration))
    var shortTail = 0
    while true {
      if pending == nil { pending = try walk.next(in: window) }
      guard let sample = pending else { break }
      pending = nil
      // Samples that lie behind the end of the file are not there.
      if let length = source.length, sample.offset + Int64(sample.size) > length { break }
      counter.add(sample.size)
      if sample.duration > 0 { shortTail = 0 }
      let frames = Int(clamping: timing.frames(UInt64(sample.duration)))
      if sample.duration < typicalDelta { shortTail += max(0, timing.packetDuration - frames) }
    }
    let frames = counter.survey.packetCount * Int64(timing.packetDuration)
    var padding = info.padding
    if let valid = timing.validFrames {
      padding = Int(clamping: max(0, frames - Int64(timing.priming) - valid))
    } else if info.container == .fmp4 {
      padding = shortTail
    }
    return counter.finish(frames: frames, priming: timing.priming, padding: padding)
  }
}

/// The samples of a track: those in the tables, then those in fragments.
struct SampleWalk {
  var table: SampleTable?
  var fragments: FragmentWalk?
  /// Samples that lie on top of each other could make a small file as long as it likes.
  let mostBytes: Int64?
  private var byteCount: Int64 = 0

  init(table: SampleTable?, fragments: FragmentWalk?, mostBytes: Int64?) {
    self.table = table
    self.fragments = fragments
    self.mostBytes = mostBytes
  }

  /// A sound that comes again may be stored once, but not always the same one.
  static func mostBytes(in source: any ByteSource) -> Int64? {
    source.length.map { 4 * min($0, 1 << 60) + 1 << 16 }
  }

  mutating func next(in window: ByteWindow) throws(ContainerError) -> Sample? {
    guard let sample = try tabled(in: window) else { return nil }
    byteCount += Int64(sample.size)
    if let mostBytes, byteCount > mostBytes {
      throw ContainerError(
        .malformed("the samples have more bytes than the file, again and again"), at: sample.offset)
    }
    return sample
  }

  private mutating func tabled(in window: ByteWindow) throws(ContainerError) -> Sample? {
    if let sample = try table?.next() { return sample }
    return try fragments?.next(in: window)
  }
}
