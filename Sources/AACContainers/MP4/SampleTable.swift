/// One sample: an access unit's place in the file.
struct Sample: Equatable {
  var offset: Int64
  var size: Int
  /// In the media's time scale.
  var duration: UInt32
}

/// The tables of a track that tell where its samples are, walked from the first to the last one.
struct SampleTable {
  /// No access unit is anywhere near this size.
  static let largestSample = 1 << 20

  let sampleCount: Int
  /// Tracks of pictures have larger ones.
  var sampleLimit = largestSample
  private var sizes: SampleSizes
  private var times: RunTable
  private var chunks: RunTable
  private var offsets: BoxTable
  private let offsetSize: Int

  // Where the walk stands.
  private(set) var nextSample = 0
  private var chunk = 0
  private var leftInChunk = 0
  private var offset: Int64 = 0
  private var leftInTime: UInt32 = 0
  private var duration: UInt32 = 0

  /// The boxes of an `stbl`.
  struct Boxes {
    var sizes: Box?  // stsz, stz2
    var times: Box?  // stts
    var chunks: Box?  // stsc
    var offsets: Box?  // stco, co64
  }

  init(_ boxes: Boxes, source: any ByteSource, parent: Box) throws(ContainerError) {
    guard let sizes = boxes.sizes, let times = boxes.times, let chunks = boxes.chunks,
      let offsets = boxes.offsets
    else {
      throw ContainerError(.malformed("a sample table is missing"), at: parent.start)
    }
    self.sizes = try SampleSizes(sizes, source: source)
    sampleCount = self.sizes.count
    self.times = try RunTable(times, entrySize: 8, source: source)
    self.chunks = try RunTable(chunks, entrySize: 12, source: source)
    offsetSize = offsets.type == "co64" ? 8 : 4
    self.offsets = try BoxTable(
      offsets, at: offsets.content + 8,
      count: RunTable.count(of: offsets, at: 4, source: source), entrySize: offsetSize, source: source)
  }

  /// What the table of durations adds up to; walks over it.
  struct Times {
    var total: UInt64 = 0
    var first: UInt32 = 0
    var last: UInt32 = 0
    var count: UInt64 = 0
  }

  func sumTimes() throws(ContainerError) -> Times {
    var table = times
    var sum = Times()
    for index in 0..<table.count {
      let count = UInt64(try table.number(index, field: 0))
      let delta = try table.number(index, field: 1)
      guard count > 0 else { continue }
      if sum.count == 0 { sum.first = delta }
      sum.last = delta
      sum.count += count
      // Nonsense stays nonsense, but does not overflow.
      sum.total = min(sum.total + min(count * UInt64(delta), 1 << 62), 1 << 62)
    }
    return sum
  }

  /// The next sample; `nil` behind the last one.
  mutating func next() throws(ContainerError) -> Sample? {
    guard nextSample < sampleCount else { return nil }
    if leftInChunk == 0 { try openChunk() }
    if leftInTime == 0 { try openTime() }
    let size = try size(of: nextSample)
    let sample = Sample(offset: offset, size: size, duration: duration)
    offset += Int64(size)
    leftInChunk -= 1
    if leftInTime > 0 { leftInTime -= 1 }
    nextSample += 1
    return sample
  }

  /// Goes to a sample, forward or back: `next` gives it then. Reads parts of the tables only.
  mutating func seek(to index: Int) throws(ContainerError) {
    let target = max(0, min(index, sampleCount))
    try findChunk(of: target)
    try findTime(of: target)
    nextSample = target
  }

  private mutating func findChunk(of target: Int) throws(ContainerError) {
    chunk = 0
    chunks.place = 0
    leftInChunk = 0
    // Samples in front of `chunk`.
    var passed = 0
    while chunk < offsets.count, chunks.count > 0 {
      try findRun(of: chunk + 1)
      var end = offsets.count
      if chunks.place + 1 < chunks.count {
        end = min(end, Int(try chunks.number(chunks.place + 1, field: 0)) - 1)
      }
      let each = Int(try chunks.number(chunks.place, field: 1))
      let (inRun, isHuge) = (end - chunk).multipliedReportingOverflow(by: each)
      if isHuge || target - passed < inRun {
        chunk += (target - passed) / each + 1
        let inChunk = (target - passed) % each
        leftInChunk = each - inChunk
        offset = try chunkStart()
        for sample in target - inChunk..<target { offset += Int64(try size(of: sample)) }
        return
      }
      passed += inRun
      chunk = end
    }
  }

  private mutating func findTime(of target: Int) throws(ContainerError) {
    times.place = 0
    leftInTime = 0
    var passed = 0
    while times.place < times.count {
      passed += Int(try times.number(times.place, field: 0))
      duration = try times.number(times.place, field: 1)
      times.place += 1
      guard passed <= target else {
        leftInTime = UInt32(clamping: passed - target)
        return
      }
    }
  }

  private mutating func openChunk() throws(ContainerError) {
    repeat {
      guard chunk < offsets.count, chunks.count > 0 else {
        throw ContainerError(
          .malformed("the chunk tables hold \(nextSample) of \(sampleCount) samples"))
      }
      chunk += 1
      try findRun(of: chunk)
      leftInChunk = Int(try chunks.number(chunks.place, field: 1))
      if leftInChunk == 0 { try skipEmptyRun() }
    } while leftInChunk == 0
    offset = try chunkStart()
  }

  /// Goes on to the run of a chunk. Runs are told by their first chunk, counted from 1.
  private mutating func findRun(of chunk: Int) throws(ContainerError) {
    while chunks.place + 1 < chunks.count,
      try chunks.number(chunks.place + 1, field: 0) <= UInt32(clamping: chunk)
    {
      chunks.place += 1
    }
  }

  /// Where the chunk at hand begins.
  private mutating func chunkStart() throws(ContainerError) -> Int64 {
    let start = try offsets.number(chunk - 1, size: offsetSize)
    guard start < UInt64(BoxCursor.largestOffset) else {
      throw ContainerError(.malformed("the chunk \(chunk) starts at \(start)"))
    }
    return Int64(start)
  }

  private mutating func size(of sample: Int) throws(ContainerError) -> Int {
    let size = try sizes.size(sample)
    guard size <= sampleLimit else {
      throw ContainerError(.malformed("the sample \(sample + 1) has \(size) bytes"), at: offset)
    }
    return size
  }

  /// Goes to the last chunk of a run of chunks without samples.
  private mutating func skipEmptyRun() throws(ContainerError) {
    guard chunks.place + 1 < chunks.count else {
      chunk = offsets.count
      return
    }
    chunk = max(chunk, Int(try chunks.number(chunks.place + 1, field: 0)) - 1)
  }

  private mutating func openTime() throws(ContainerError) {
    while times.place < times.count {
      leftInTime = try times.number(times.place, field: 0)
      duration = try times.number(times.place, field: 1)
      times.place += 1
      if leftInTime > 0 { return }
    }
    // The table is too short: the last duration goes on.
  }
}

/// `stsc` or `stts`: runs, with the place of the walk.
struct RunTable {
  private var table: BoxTable
  var place = 0
  var count: Int { table.count }

  init(_ box: Box, entrySize: Int, source: any ByteSource) throws(ContainerError) {
    table = try BoxTable(
      box, at: box.content + 8, count: Self.count(of: box, at: 4, source: source), entrySize: entrySize,
      source: source)
  }

  /// A 32-bit field of an entry.
  mutating func number(_ index: Int, field: Int) throws(ContainerError) -> UInt32 {
    UInt32(truncatingIfNeeded: try table.number(index, part: field * 4))
  }

  /// The entry count that a box states `offset` bytes into its content.
  static func count(of box: Box, at offset: Int, source: any ByteSource) throws(ContainerError) -> UInt32 {
    let bytes = try source.read(at: box.content + Int64(offset), count: 4)
    guard bytes.count == 4, box.contentSize >= Int64(offset + 4) else {
      throw ContainerError(.truncated("the box \(box.type)"), at: box.start)
    }
    return bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }
}

/// `stsz` or `stz2`: the size of each sample.
struct SampleSizes {
  let count: Int
  /// One size for all samples.
  private var constant: Int?
  private var table: BoxTable
  private let fieldBits: Int

  init(_ box: Box, source: any ByteSource) throws(ContainerError) {
    let field = try RunTable.count(of: box, at: 4, source: source)
    let claimed = try RunTable.count(of: box, at: 8, source: source)
    let start = box.content + 12
    if box.type == "stz2" {
      fieldBits = Int(field & 0xFF)
      guard [4, 8, 16].contains(fieldBits) else {
        throw ContainerError(.malformed("the box stz2 has fields of \(fieldBits) bits"), at: box.start)
      }
      count = Int(claimed)
      let byteCount = (Int64(claimed) * Int64(fieldBits) + 7) / 8
      table = try BoxTable(
        box, at: start, count: UInt32(clamping: byteCount), entrySize: 1, source: source)
      return
    }
    fieldBits = 32
    count = Int(claimed)
    constant = field == 0 ? nil : Int(field)
    // A constant size needs no table, but its samples have to be in the file.
    if field != 0, let length = source.length, UInt64(field) * UInt64(claimed) > UInt64(clamping: length) {
      throw ContainerError(
        .malformed("the box stsz claims \(claimed) samples of \(field) bytes in a file of \(length)"),
        at: box.start)
    }
    table = try BoxTable(box, at: start, count: field == 0 ? claimed : 0, entrySize: 4, source: source)
  }

  mutating func size(_ index: Int) throws(ContainerError) -> Int {
    if let constant { return constant }
    switch fieldBits {
    case 4:
      let pair = try table.number(index / 2, size: 1)
      return Int(index % 2 == 0 ? pair >> 4 : pair & 15)
    case 8: return Int(try table.number(index, size: 1))
    case 16: return Int(try table.number(index * 2, size: 1) << 8 | table.number(index * 2 + 1, size: 1))
    default: return Int(try table.number(index))
    }
  }
}
