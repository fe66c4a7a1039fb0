/// Room that is left in front of the fragments for a `sidx`, which can be written only when they all are there.
///
/// Until then, and at every moment while it is written, the room is an empty box that players pass over.
struct SegmentIndexRoom {
  /// Where nothing tells how many fragments come: for 1361 of them.
  private static let usualSize = 1 << 14
  /// The empty box that stays in front of the index.
  private static let boxHeader = 8

  let start: Int64
  let size: Int
  private let capacity: Int

  /// What lies behind the room: parts of `perPart` fragments each.
  private var parts: [Part] = []
  private var perPart = 1
  private var inLastPart = 0
  private var firstOffset: Int64 = 0

  private struct Part {
    var size: Int64
    var duration: Int64
  }

  /// - Parameter fragmentCount: as many as are expected.
  init(at start: Int64, fragmentCount: Int?) {
    self.start = start
    let most = SegmentIndex.mostReferences
    size =
      fragmentCount.map { Self.boxHeader + SegmentIndex.byteCount(min(max(1, $0), most)) } ?? Self.usualSize
    capacity = min((size - Self.boxHeader - SegmentIndex.byteCount(0)) / 12, most)
  }

  func reserve(in bytes: inout ByteBuilder) {
    bytes.box("free") { $0.zeros(size - Self.boxHeader) }
  }

  /// Takes note of a fragment, and of bytes in front of it that belong to none.
  mutating func add(gap: Int, size: Int, duration: Int64) {
    if parts.isEmpty { firstOffset += Int64(gap) } else { parts[parts.count - 1].size += Int64(gap) }
    if inLastPart == perPart || parts.isEmpty {
      if parts.count == capacity { halve() }
      if inLastPart == perPart || parts.isEmpty {
        parts.append(Part(size: 0, duration: 0))
        inLastPart = 0
      }
    }
    parts[parts.count - 1].size += Int64(size)
    parts[parts.count - 1].duration += duration
    inLastPart += 1
  }

  /// There are more fragments than the room was made for: two parts become one.
  private mutating func halve() {
    let count = parts.count
    for index in 0..<count / 2 {
      parts[index] = Part(
        size: parts[2 * index].size + parts[2 * index + 1].size,
        duration: parts[2 * index].duration + parts[2 * index + 1].duration)
    }
    if count % 2 == 1 { parts[count / 2] = parts[count - 1] }
    parts.removeLast(count / 2)
    if count % 2 == 0 { inLastPart += perPart }
    perPart *= 2
  }

  /// The index, at the end of the room, so that nothing is between it and the first fragment.
  ///
  /// - Parameter priming: frames of the first fragments that are not heard.
  /// - Returns: `nil` where there is nothing to list, or where a part is too large for the numbers.
  private func index(timescale: Int, priming: Int64) -> SegmentIndex? {
    guard !parts.isEmpty, let timescale = UInt32(exactly: timescale) else { return nil }
    var references: [SegmentIndex.Reference] = []
    references.reserveCapacity(parts.count)
    var silent = priming
    for part in parts {
      let left = min(silent, part.duration)
      silent -= left
      guard let size = UInt32(exactly: part.size), size <= SegmentIndex.largestSize,
        let duration = UInt32(exactly: part.duration - left)
      else { return nil }
      references.append(SegmentIndex.Reference(size: size, duration: duration))
    }
    return SegmentIndex(
      trackID: UInt32(MovieHeader.trackID), timescale: timescale, earliestTime: 0,
      firstOffset: UInt64(firstOffset), references: references)
  }

  /// Writes the index. First inside of the empty box, where it is no box yet; then that is made shorter by four bytes.
  func fill(_ sink: any ByteSink, timescale: Int, priming: Int64) throws(ContainerError) {
    guard let index = index(timescale: timescale, priming: priming) else { return }
    var bytes = ByteBuilder()
    index.write(to: &bytes)
    let rest = Int64(size - bytes.count)
    try sink.rewrite(bytes.bytes, at: start + rest)
    try sink.flush()
    bytes.removeAll()
    bytes.uint32(rest)
    try sink.rewrite(bytes.bytes, at: start)
  }
}
