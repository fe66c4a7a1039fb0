/// Where fragments are and how long they all last, by what the file says of itself beside them: `sidx` in front, `mfra`
/// behind.
///
/// These are hints. A place is taken only where there is a fragment that tells its time itself, and a length is never
/// what sound is trimmed by.
struct FragmentHints {
  /// Boxes in front of the first fragment that are looked at.
  private static let mostBoxes = 64
  /// Indexes that lie in each other.
  private static let deepest = 8

  private let trackID: UInt32
  private let movieEnd: Int64

  init(trackID: UInt32, movieEnd: Int64) {
    self.trackID = trackID
    self.movieEnd = movieEnd
  }

  /// An index and where its first part begins.
  private struct Found {
    var index: SegmentIndex
    var anchor: Int64

    init?(_ index: SegmentIndex, behind box: Box) {
      guard index.timescale > 0, index.firstOffset < UInt64(BoxCursor.largestOffset), box.end < 1 << 61 else {
        return nil
      }
      self.index = index
      anchor = box.end + Int64(index.firstOffset)
    }

    // 65,535 numbers of 32 bits do not overflow.
    var end: Int64 { index.references.reduce(anchor) { $0 + Int64($1.size) } }
    var duration: UInt64 { index.references.reduce(0) { $0 + UInt64($1.duration) } }

    /// The part in which `time` lies, or the last one, and where it begins.
    func part(of time: UInt64) -> (reference: SegmentIndex.Reference, place: Int64)? {
      guard var found = index.references.first.map({ ($0, anchor) }) else { return nil }
      var (start, place) = (index.earliestTime, anchor)
      for reference in index.references {
        guard start <= time else { break }
        found = (reference, place)
        start = start.addingReportingOverflow(UInt64(reference.duration)).partialValue
        place += Int64(reference.size)
      }
      return found
    }
  }

  /// The first index of the track in front of the fragments.
  private func first(in window: ByteWindow) throws(ContainerError) -> Found? {
    var cursor = BoxCursor(from: movieEnd, to: nil, in: nil)
    for _ in 0..<Self.mostBoxes {
      guard let box = try cursor.next(in: window), box.type != "moof", box.type != "mdat" else { return nil }
      guard box.type == "sidx", !box.isCut else { continue }
      let index = try SegmentIndex(box, in: window)
      if index.trackID == trackID { return Found(index, behind: box) }
    }
    return nil
  }

  /// Where a fragment may be that is not behind a time.
  ///
  /// - Parameters:
  ///   - mediaTime: in the media's time scale `scale`.
  ///   - offset: where in the media the edit list begins, for times are told as they are heard.
  func place(of mediaTime: UInt64, offset: UInt64, scale: UInt32, in window: ByteWindow)
    throws(ContainerError)
    -> Int64?
  {
    let heard = mediaTime > offset ? mediaTime - offset : 0
    if let found = try first(in: window) {
      return try place(of: heard, scale: scale, found, in: window)
    }
    guard var list = try RandomAccessIndex(of: trackID, in: window) else { return nil }
    return try list.place(of: heard).flatMap { Int64(exactly: $0) }
  }

  /// Goes down from an index to those that it refers to. They lie behind it, so that there is an end.
  private func place(
    of heard: UInt64, scale: UInt32, _ first: Found, in window: ByteWindow
  ) throws(ContainerError) -> Int64? {
    var found = first
    for _ in 0..<Self.deepest {
      let time = TrackTiming.scale(heard, Int(found.index.timescale), scale)
      guard let part = found.part(of: UInt64(max(0, time))) else { return nil }
      guard part.reference.isIndex else { return part.place }
      var cursor = BoxCursor(from: part.place, to: nil, in: nil)
      guard let box = try cursor.next(in: window), box.type == "sidx", !box.isCut,
        let next = Found(try SegmentIndex(box, in: window), behind: box)
      else { return nil }
      found = next
    }
    return nil
  }

  /// How long all fragments last as they are heard, and in which time scale; `nil` where no index covers the file to
  /// its end.
  func duration(in window: ByteWindow) throws(ContainerError) -> (time: UInt64, scale: UInt32)? {
    guard let found = try first(in: window), try reachesEnd(found.end, in: window) else { return nil }
    return (found.duration, found.index.timescale)
  }

  private func reachesEnd(_ end: Int64, in window: ByteWindow) throws(ContainerError) -> Bool {
    guard let length = window.source.length, end <= length else { return false }
    if end == length { return true }
    var cursor = BoxCursor(from: end, to: nil, in: nil)
    guard let box = try cursor.next(in: window) else { return false }
    return box.type == "mfra" && !box.isCut
  }
}
