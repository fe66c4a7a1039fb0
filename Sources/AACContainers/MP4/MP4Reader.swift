public import AAC

/// Reads the AAC track of an MP4, M4A, MOV or 3GP file, with its tables at either end or in fragments.
public final class MP4Reader: PacketReader {
  public private(set) var info: StreamInfo
  public private(set) var warnings: WarningList
  public var configurationChanges: Int { 0 }
  /// Tracks of the file, those that are not read too.
  public let trackCount: Int
  /// The track that is read.
  private let trackNumber: Int
  /// Packets that the tables list behind the point where the file turned out to be cut off. Of fragments that are
  /// missing altogether nothing is known.
  public private(set) var missingCount: Int64 = 0

  private let source: any ByteSource
  private let window: ByteWindow
  private var walk: SampleWalk
  /// The walk from the first sample on, for going back.
  private let start: SampleWalk
  /// The sample that is due, while its bytes have not been read.
  private var pending: Sample?
  private let sound: SoundStretches
  private let timing: TrackTiming
  /// The usual duration of a sample in the media's time scale.
  private let typicalDelta: UInt32
  private var packetCount: Int64 = 0
  private var isFinished = false
  /// The samples have ADTS headers, which do not belong here.
  private var stripsHeaders: Bool?
  /// The last packet that was found to be padding in part.
  private var paddedPacket: Int64 = -1

  /// Finds the track to be read.
  ///
  /// - Parameter track: its number, from 1 in the file's order; `nil` for the first one with AAC that is enabled and
  ///   can be decoded, or else the first one with AAC.
  /// - Throws: `noTrack` where the track asked for is not there or is no AAC; without a wish `notAAC` or `unsupported`
  ///   with the name of what is there instead; `needsSeeking` where the tables stand behind the sound in something that
  ///   cannot be rewound.
  public init(_ source: any ByteSource, track: Int? = nil) throws(ContainerError) {
    self.source = source
    let window = ByteWindow(source)
    self.window = window
    let opened = try MP4Opening(window, track: track)
    var warnings = WarningList()
    if track == nil, opened.tracks.count(where: { $0.kind == .audio }) > 1 {
      let count = opened.tracks.count { $0.kind == .audio }
      warnings.add(.ignored, "the file has \(count) tracks of sound; track \(opened.number) is read")
    }
    for remark in opened.remarks { warnings.add(.irregular, remark, at: opened.moov.start) }
    trackCount = opened.movie.tracks.count
    trackNumber = opened.number
    let hasFragments = opened.movie.isFragmented
    info = StreamInfo(container: hasFragments ? .fmp4 : .m4a, configuration: opened.configuration)
    info.configurationBytes = opened.configurationBytes
    info.preRoll = max(info.preRoll, opened.track.preRoll)
    info.tracks = opened.tracks
    info.track = opened.number
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
    if let table = walk.table {
      times = try table.sumTimes()
      if times.count != UInt64(table.sampleCount) {
        warnings.add(
          .irregular,
          "the file tells the durations of \(times.count) packets and the sizes of \(table.sampleCount)",
          at: opened.moov.start)
      }
    }
    if !hasFragments { packetCount = Int64(walk.table?.sampleCount ?? 0) }
    start = walk
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
    sound = timing.sound
    info.expectedFrames = opened.expectedFrames(timing, in: window)
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

  public func seek(to time: Int64) throws(ContainerError) -> Int64? {
    guard source.isSeekable else { return nil }
    let duration = Int64(max(1, timing.packetDuration))
    let index = max(0, sound.position(of: time) / duration)
    let present = packetCount + (pending == nil ? 0 : 1)
    let goesOn = index >= present && !isFinished
    let headers = ByteWindow(source, blockSize: Self.headerBlock)
    var (ahead, from) = goesOn ? (walk, present) : (start, 0)
    var near = start
    if let place = try near.jump(to: index, in: headers), place > from { (ahead, from) = (near, place) }
    let reached = try ahead.skip(from: from, to: index, in: headers)
    walk = ahead
    pending = nil
    isFinished = false
    packetCount = reached
    return reached
  }

  /// Bytes that are read at once for the sake of a fragment's header.
  private static let headerBlock = 1 << 10

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
    guard stripsHeaders != false else { return }
    var head = [UInt8](data.prefix(ADTSHeader.byteCount))
    guard head.count == ADTSHeader.byteCount, let header = try? ADTSHeader(parsing: head),
      header.frameLength == data.count
    else {
      stripsHeaders = stripsHeaders ?? false
      return
    }
    head = []
    if stripsHeaders == nil {
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
    packet.duration = duration
    sound.trim(&packet, at: packetCount &* Int64(duration))
    packet.padding = max(packet.padding, min(padding, duration - packet.priming))
    packetCount += 1
    if padding > 0, packetCount > paddedPacket {
      paddedPacket = packetCount
      info.padding += padding
      if info.delaySource == .none { info.delaySource = .sampleTimes }
    }
  }

  private func finish() {
    isFinished = true
    guard info.packetCount == nil else { return }
    info.packetCount = packetCount
    let frames = packetCount &* Int64(timing.packetDuration) - Int64(timing.priming)
    info.validFrames = min(timing.validFrames ?? .max, max(0, frames - Int64(info.padding)))
  }

  public func survey() throws(ContainerError) -> StreamSurvey? {
    guard source.isSeekable else { return nil }
    return try MP4Reader(source, track: trackNumber).count()
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
