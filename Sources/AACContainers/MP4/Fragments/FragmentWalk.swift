/// Walks over the samples of one track in the fragments (`moof`) of a file.
struct FragmentWalk {
  private static let largestFragment: Int64 = 16 << 20
  /// Samples of no size in one run: more make no sense, and a small file could claim hours with them.
  private static let largestEmptyRun: UInt32 = 16

  private let trackID: UInt32
  private let defaults: [Movie.TrackDefaults]
  private let start: Int64
  private var cursor: BoxCursor

  /// The media's time scale, and where in it the edit list begins: what an index tells its times by.
  var timescale: UInt32 = 0
  var editStart: UInt64 = 0
  /// When the present fragment is decoded, in that time scale, where it says so.
  private(set) var decodeTime: UInt64?

  /// The present fragment's runs, whose entries are read from its bytes.
  private var runs: [Run] = []
  private var bytes: [UInt8] = []
  private var runIndex = 0
  private var entryIndex = 0
  private var offset: Int64 = 0

  private struct Run {
    var start: Int64
    var count: UInt32
    /// Place of the entries in the fragment's bytes, and the size of one.
    var entries: Int
    var stride: Int
    var durationPlace: Int?
    var sizePlace: Int?
    var duration: UInt32
    var size: UInt32
  }

  /// - Parameter defaults: Those of all tracks: where the data of one begins depends on the sizes of the one before.
  init(from position: Int64, trackID: UInt32, defaults: [Movie.TrackDefaults]) {
    start = position
    cursor = BoxCursor(from: position, to: nil, in: nil)
    self.trackID = trackID
    self.defaults = defaults
  }

  mutating func next(in window: ByteWindow) throws(ContainerError) -> Sample? {
    while true {
      if runIndex < runs.count {
        let run = runs[runIndex]
        if entryIndex < Int(run.count) { return try sample(of: run) }
        runIndex += 1
        entryIndex = 0
        if runIndex < runs.count { offset = runs[runIndex].start }
        continue
      }
      guard try openFragment(in: window) else { return nil }
    }
  }

  private mutating func sample(of run: Run) throws(ContainerError) -> Sample {
    let entry = run.entries + entryIndex * run.stride
    let size = run.sizePlace.map { field(entry + $0) } ?? run.size
    guard size <= SampleTable.largestSample else {
      throw ContainerError(.malformed("a sample of a fragment has \(size) bytes"), at: offset)
    }
    let sample = Sample(
      offset: offset, size: Int(size), duration: run.durationPlace.map { field(entry + $0) } ?? run.duration)
    offset += Int64(size)
    entryIndex += 1
    return sample
  }

  private func field(_ place: Int) -> UInt32 {
    var value: UInt32 = 0
    for index in place..<place + 4 where index < bytes.count { value = value << 8 | UInt32(bytes[index]) }
    return value
  }

  /// Where a fragment may be that is not behind a time.
  func hint(of time: UInt64, in window: ByteWindow) throws(ContainerError) -> Int64? {
    guard timescale > 0 else { return nil }
    let hints = FragmentHints(trackID: trackID, movieEnd: start)
    guard let place = try hints.place(of: time, offset: editStart, scale: timescale, in: window),
      place >= start
    else { return nil }
    return place
  }

  /// Where the last fragment is by the list at the end of the file.
  func lastListed(in window: ByteWindow) throws(ContainerError) -> Int64? {
    guard var list = try RandomAccessIndex(of: trackID, in: window),
      let place = try list.place(of: .max).flatMap({ Int64(exactly: $0) }), place >= start
    else { return nil }
    return place
  }

  /// Goes to a place where a fragment is said to be. False where there is none with samples of the track.
  mutating func open(at place: Int64, in window: ByteWindow) throws(ContainerError) -> Bool {
    var ahead = BoxCursor(from: place, to: nil, in: nil)
    guard let box = try ahead.next(in: window), box.type == "moof", !box.isCut else { return false }
    cursor = BoxCursor(from: place, to: nil, in: nil)
    return try openFragment(in: window)
  }

  /// Goes to the next `moof` with samples of the track. False at the end of the file.
  private mutating func openFragment(in window: ByteWindow) throws(ContainerError) -> Bool {
    var ahead = cursor
    while let box = try ahead.next(in: window) {
      guard box.type == "moof" else {
        cursor = ahead
        continue
      }
      guard !box.isCut else { throw ContainerError(.truncated("a fragment's header (moof)"), at: box.start) }
      let size = box.end - box.start
      guard size <= Self.largestFragment else {
        throw ContainerError(.malformed("a fragment's header has \(size) bytes"), at: box.start)
      }
      let loaded = try window.bytes(Int(size), at: box.start)
      guard loaded.count == Int(size) else {
        throw ContainerError(.truncated("a fragment's header (moof)"), at: box.start)
      }
      try Self.passData(&ahead, in: window)
      cursor = ahead
      bytes = loaded
      runs = []
      runIndex = 0
      entryIndex = 0
      decodeTime = nil
      try parse(box)
      guard let first = runs.first else { continue }
      offset = first.start
      return true
    }
    return false
  }

  /// Reads on to the header of the data box, which a pipe could not be asked for behind the samples.
  private static func passData(_ cursor: inout BoxCursor, in window: ByteWindow) throws(ContainerError) {
    var ahead = cursor
    while let box = try ahead.next(in: window), box.type != "moof" {
      cursor = ahead
      if box.type == "mdat" { return }
    }
  }

  // MARK: Parsing

  private mutating func parse(_ moof: Box) throws(ContainerError) {
    let window = ByteWindow(MemorySource(bytes, base: moof.start))
    var cursor = BoxCursor(moof)
    // Where the data of the next track fragment begins, if it does not say so.
    var base = moof.start
    while let traf = try cursor.next(in: window) {
      guard traf.type == "traf" else { continue }
      var state = FragmentState(base: base)
      var inner = BoxCursor(traf)
      while let box = try inner.next(in: window) {
        if box.type == "tfhd" {
          try state.parseHeader(box, moof: moof, defaults, in: window)
        } else if box.type == "tfdt", state.trackID == trackID, decodeTime == nil {
          var parser = try window.parser(of: box, limit: 64)
          let version = try parser.uint8()
          try parser.skip(3)
          decodeTime = try parser.unsigned(version == 1 ? 8 : 4)
        } else if box.type == "trun" {
          let run = try parseRun(box, &state, moof: moof, in: window)
          if state.trackID == trackID, run.count > 0 { runs.append(run) }
        }
      }
      base = state.next
    }
  }

  /// What a track fragment says for its runs.
  private struct FragmentState {
    var trackID: UInt32 = 0
    var base: Int64
    var next: Int64
    var duration: UInt32 = 0
    var size: UInt32 = 0

    init(base: Int64) {
      self.base = base
      next = base
    }

    /// `tfhd`.
    mutating func parseHeader(
      _ box: Box, moof: Box, _ defaults: [Movie.TrackDefaults], in window: ByteWindow
    ) throws(ContainerError) {
      var parser = try window.parser(of: box, limit: 64)
      let flags = try parser.uint32()
      trackID = try parser.uint32()
      if let told = defaults.first(where: { [trackID] in $0.trackID == trackID }) {
        (duration, size) = (told.duration, told.size)
      }
      if flags & 1 != 0 {
        let told = try parser.uint64()
        guard told < UInt64(BoxCursor.largestOffset) else {
          throw ContainerError(.malformed("a fragment's data starts at \(told)"), at: box.start)
        }
        base = Int64(told)
      } else if flags & 0x2_0000 != 0 {
        base = moof.start
      }
      if flags & 2 != 0 { try parser.skip(4) }
      if flags & 8 != 0 { duration = try parser.uint32() }
      if flags & 16 != 0 { size = try parser.uint32() }
      next = base
    }
  }

  /// `trun`.
  private func parseRun(
    _ box: Box, _ state: inout FragmentState, moof: Box, in window: ByteWindow
  ) throws(ContainerError) -> Run {
    var parser = try window.parser(of: box, limit: 64)
    let flags = try parser.uint32()
    let count = try parser.uint32()
    var start = state.next
    if flags & 1 != 0 { start = state.base + Int64(try parser.int32()) }
    if flags & 4 != 0 { try parser.skip(4) }
    guard start >= 0 else {
      throw ContainerError(.malformed("a fragment's data starts at \(start)"), at: box.start)
    }
    let hasDuration = flags & 0x100 != 0
    let hasSize = flags & 0x200 != 0
    let stride = ((flags >> 8) & 15).nonzeroBitCount * 4
    guard Int64(count) * Int64(stride) <= box.contentSize - Int64(parser.position) else {
      throw ContainerError(
        .malformed("the box trun claims \(count) entries in \(box.contentSize) bytes"), at: box.start)
    }
    if stride == 0, state.size == 0, count > Self.largestEmptyRun {
      throw ContainerError(.malformed("the box trun claims \(count) samples without bytes"), at: box.start)
    }
    let run = Run(
      start: start, count: count, entries: Int(box.content - moof.start) + parser.position, stride: stride,
      durationPlace: hasDuration ? 0 : nil, sizePlace: hasSize ? (hasDuration ? 4 : 0) : nil,
      duration: state.duration, size: state.size)
    state.next = start + totalSize(of: run)
    return run
  }

  private func totalSize(of run: Run) -> Int64 {
    guard let place = run.sizePlace else { return Int64(run.count) * Int64(min(run.size, 1 << 20)) }
    var total: Int64 = 0
    for index in 0..<Int(run.count) { total += Int64(field(run.entries + index * run.stride + place)) }
    return total
  }
}
