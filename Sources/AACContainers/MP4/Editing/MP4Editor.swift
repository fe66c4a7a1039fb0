/// Changes tags and chapters of an MP4 file and nothing else: what is not understood stays byte for byte, and all
/// offsets are corrected where something has to move.
///
/// Nothing is written here: `plan` tells what the new file is made of.
public final class MP4Editor {
  /// Room that is left behind the tables where they have to move anyway.
  static let padding: Int64 = 4096
  /// More room than this is given back.
  private static let largestPadding: Int64 = 1 << 20
  private static let largestMovie: Int64 = 1 << 28
  private static let boxLimit = 1 << 20

  public let tags: Tags
  public let chapters: [Chapter]
  /// The container: `m4a` or `fmp4`.
  public var container: ContainerFormat { opened.movie.isFragmented ? .fmp4 : .m4a }

  private let source: any ByteSource
  private let window: ByteWindow
  private let opened: MP4Opening
  private let length: Int64
  private let boxes: [Box]
  private let moov: Box
  private let movie: BoxNode

  /// - Throws: `cannotCarry` for a container that holds no tags, `needsSeeking` for a pipe; `malformed` or
  ///   `unsupported` where it would not be safe to change the file.
  public init(_ source: any ByteSource) throws(ContainerError) {
    let format = try Probe.detect(source)
    guard format == .m4a || format == .fmp4 else {
      throw ContainerError(
        .cannotCarry("\(format.name) holds no tags"), advice: .remuxFirst)
    }
    guard source.isSeekable, let length = source.length else {
      throw ContainerError(.needsSeeking("tags are edited in files"))
    }
    self.source = source
    self.length = length
    window = ByteWindow(source)
    opened = try MP4Opening(window)
    moov = opened.moov
    let content = opened.movie.metadata
    guard !content.isIncomplete else {
      let remark = content.remarks.last ?? "there are tags in two places"
      throw ContainerError(.malformed(remark), at: moov.start, advice: .remuxFirst)
    }
    tags = content.tags
    let list = ChapterTrack.read(of: opened.track, in: opened.movie, source: source)
    chapters = list.isEmpty ? content.chapters : list
    boxes = try Self.scan(window)
    guard boxes.count(where: { $0.type == "moov" }) == 1 else {
      throw ContainerError(.malformed("there are several moov boxes"), at: moov.start, advice: .remuxFirst)
    }
    guard moov.end - moov.start <= Self.largestMovie else {
      throw ContainerError(
        .unsupported("tables of \(moov.end - moov.start) bytes"), at: moov.start, advice: .remuxFirst)
    }
    guard let movie = try BoxNode(moov, in: window), movie.children != nil else {
      throw ContainerError(.malformed("the box moov is damaged"), at: moov.start, advice: .remuxFirst)
    }
    self.movie = movie
  }

  /// The boxes of the file. What follows the last one is none and is left alone.
  private static func scan(_ window: ByteWindow) throws(ContainerError) -> [Box] {
    var cursor = BoxCursor(from: try TagBlock.endOfLeadingTags(in: window), to: nil, in: nil)
    var boxes: [Box] = []
    while boxes.count < boxLimit {
      do throws(ContainerError) {
        guard let box = try cursor.next(in: window) else { return boxes }
        if box.isCut, ["moov", "mdat", "moof"].contains(box.type) {
          throw ContainerError(.truncated("the file"), at: box.start, advice: .repairFirst)
        }
        boxes.append(box)
      } catch {
        if case .malformed = error.reason { return boxes }
        throw error
      }
    }
    throw ContainerError(.unsupported("a file of so many boxes"), advice: .remuxFirst)
  }

  /// What has to be written so that the file has these tags and chapters; `nil` where it has them already.
  ///
  /// - Throws: `misuse` for chapters that are not in the sound; `unsupported` where something cannot be moved.
  public func plan(tags newTags: Tags, chapters newChapters: [Chapter]) throws(ContainerError) -> EditPlan? {
    let newChapters = try Chapter.checked(newChapters)
    guard newTags != tags || newChapters != chapters else { return nil }
    var edit = MovieEdit(movie)
    if newTags != tags { try edit.set(newTags, gapless: opened.movie.metadata.gaplessBoxes) }
    var region = Region(moov: moov, boxes: boxes)
    var track: ChapterTrack?
    var trackID = 0
    if newChapters != chapters {
      let texts = textTracks()
      try edit.removeChapters(texts: Set(texts.map(\.id)))
      region.takeNames(of: texts, boxes, source: source)
      if !newChapters.isEmpty {
        let made = try newTrack(newChapters)
        trackID = try edit.addChapters(newChapters, to: opened.track.id, hasTrack: made != nil)
        track = made
      }
    }
    return try layOut(edit, region, track, trackID)
  }

  /// The tracks with the present chapters' names.
  private func textTracks() -> [Track] {
    opened.movie.tracks.filter { track in
      ChapterTrack.handlers.contains(track.handler) && opened.track.chapterTracks.contains(track.id)
    }
  }

  /// Fragmented files have the list only.
  private func newTrack(_ chapters: [Chapter]) throws(ContainerError) -> ChapterTrack? {
    let reader = try MP4Reader(source)
    var known = reader.info.validFrames
    if known == nil { known = try reader.survey()?.validFrames }
    let frames = known ?? 0
    let rate = reader.info.timeRate
    if let last = chapters.last, last.start * Double(rate) >= Double(frames) {
      throw ContainerError(.misuse("the chapter '\(last.title)' starts behind the end of the sound"))
    }
    guard !opened.movie.isFragmented else { return nil }
    let scale = opened.movie.timescale
    return ChapterTrack(
      chapters, duration: frames, rate: rate,
      movieDuration: TrackTiming.scale(UInt64(max(0, frames)), Int(scale), UInt32(clamping: rate)),
      movieScale: Int(scale))
  }

  // MARK: Layout

  /// Tables, room and names in place of what is in `region`, everything else as it is.
  private func layOut(
    _ edit: MovieEdit, _ region: Region, _ track: ChapterTrack?, _ trackID: Int
  ) throws(ContainerError) -> EditPlan {
    var names = ByteBuilder()
    if let track { names.box("mdat") { $0.append(track.data) } }
    var size = edit.root.byteCount
    // Moving may take wider tables, which move things again.
    for _ in 0..<4 {
      let trackSize = track.map { Self.bytes(of: $0, trackID, offset: 0).count } ?? 0
      let needed = Int64(size + trackSize + names.count)
      let room = room(for: needed, in: region)
      let delta = region.end == length ? 0 : needed + room - region.size
      var root = try edit.withOffsets { (offset) throws(ContainerError) in
        try region.map(offset, by: delta)
      }
      guard root.byteCount == size else {
        size = root.byteCount
        continue
      }
      if let track {
        let offset = region.start + Int64(size + trackSize) + room + 8
        if let node = BoxNode(Self.bytes(of: track, trackID, offset: offset)) { root.children?.append(node) }
      }
      var head = EditParts()
      root.write(to: &head)
      var rest = ByteBuilder()
      if room > 0 { rest.box("free") { $0.zeros(Int(room - 8)) } }
      rest.append(names.bytes)
      head.append(rest.bytes)
      return try plan(head, region, delta, removed: edit.removedTracks)
    }
    throw ContainerError(.unsupported("moving this file's tables"), at: moov.start, advice: .remuxFirst)
  }

  private static func bytes(of track: ChapterTrack, _ id: Int, offset: Int64) -> [UInt8] {
    var bytes = ByteBuilder()
    track.write(id: id, offset: offset, usesLargeOffsets: true, to: &bytes)
    return bytes.bytes
  }

  /// Bytes of an empty box behind the tables. Nothing moves where they fit into what was there.
  private func room(for needed: Int64, in region: Region) -> Int64 {
    guard region.end < length else { return 0 }
    let spare = region.size - needed
    return spare == 0 || (8...Self.largestPadding).contains(spare) ? spare : Self.padding
  }

  private func plan(
    _ head: EditParts, _ region: Region, _ delta: Int64, removed: Set<UInt32>
  ) throws(ContainerError) -> EditPlan {
    var patches: [FragmentOffsets.Patch] = []
    if delta != 0 {
      try refuseWhatCannotMove(behind: region)
      patches = try FragmentOffsets(boxes, in: window) { (offset) throws(ContainerError) in
        try region.map(offset, by: delta)
      }.patches
    }
    return EditPlan(
      source: source, length: length, start: region.start, end: region.end, head: head, patches: patches,
      removedTracks: removed)
  }

  /// Offsets that are not looked into.
  private func refuseWhatCannotMove(behind region: Region) throws(ContainerError) {
    let index = boxes.first { ["sidx", "ssix"].contains($0.type) && $0.start < region.start }
    if let index {
      throw ContainerError(
        .unsupported("an index in front of the tables"), at: index.start, advice: .remuxFirst)
    }
    let located = boxes.first { $0.type == "meta" }
    if movie.contains("saio") || movie.contains("iloc") || located != nil {
      throw ContainerError(
        .unsupported("moving data that is found by other tables"), at: located?.start ?? moov.start,
        advice: .remuxFirst)
    }
  }
}

/// The part of a file that is written anew: `moov`, and the room and the chapters' names right behind it.
private struct Region {
  let start: Int64
  private(set) var end: Int64

  var size: Int64 { end - start }

  init(moov: Box, boxes: [Box]) {
    start = moov.start
    end = moov.end
    takeRoom(boxes)
  }

  private mutating func takeRoom(_ boxes: [Box]) {
    for box in boxes where box.start == end && ["free", "skip"].contains(box.type) && !box.isCut {
      end = box.end
    }
  }

  /// Takes an `mdat` in which there is nothing but what `tracks` hold.
  mutating func takeNames(of tracks: [Track], _ boxes: [Box], source: any ByteSource) {
    guard let box = boxes.first(where: { $0.start == end && $0.type == "mdat" }) else { return }
    var place = box.content
    for track in tracks {
      guard let parent = track.tableBox,
        var table = try? SampleTable(track.tables, source: source, parent: parent)
      else { return }
      while let sample = try? table.next() {
        guard sample.offset == place else { return }
        place += Int64(sample.size)
      }
    }
    guard place == box.end else { return }
    end = box.end
    takeRoom(boxes)
  }

  /// The new place of what is at `offset`.
  func map(_ offset: UInt64, by delta: Int64) throws(ContainerError) -> UInt64 {
    guard offset >= UInt64(start), offset < UInt64(BoxCursor.largestOffset) else { return offset }
    guard offset >= UInt64(end) else {
      throw ContainerError(.unsupported("sound among the tables"), at: Int64(offset), advice: .remuxFirst)
    }
    return UInt64(Int64(offset) + delta)
  }
}
