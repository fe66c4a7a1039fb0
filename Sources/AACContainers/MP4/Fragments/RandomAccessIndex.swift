/// `mfra` (ISO/IEC 14496-12, 8.8.9 to 8.8.11): a list of fragments at the end of the file. It is read, not written:
/// players that would use it find their way without.
struct RandomAccessIndex {
  let count: Int
  private var entries: BoxTable
  /// Bytes of a time and of a place.
  private let width: Int

  /// An entry of `tfra`.
  struct Entry: Equatable {
    /// In the media's time scale.
    var time: UInt64
    var place: UInt64  // moof_offset
  }

  /// The list for a track; `nil` where the file does not end with one.
  init?(of trackID: UInt32, in window: ByteWindow) throws(ContainerError) {
    guard let length = window.source.length, length >= 32 else { return nil }
    // `mfro`, the last box: its last four bytes tell how long the whole is.
    let tail = ByteWindow(MemorySource(try window.source.read(at: length - 16, count: 16), base: 0))
    guard try tail.number(4, at: 4) == UInt64(("mfro" as FourCC).value),
      let size = try tail.number(4, at: 12),
      size >= 24, Int64(size) <= length
    else { return nil }
    var cursor = BoxCursor(from: length - Int64(size), to: length, in: nil)
    guard let mfra = try cursor.next(in: window), mfra.type == "mfra", mfra.end == length else { return nil }
    var inner = BoxCursor(mfra)
    while let box = try inner.next(in: window) {
      guard box.type == "tfra", let found = try Self(box, of: trackID, in: window) else { continue }
      self = found
      return
    }
    return nil
  }

  /// - Throws: `malformed` where the box is too small for what it claims.
  init?(_ tfra: Box, of trackID: UInt32, in window: ByteWindow) throws(ContainerError) {
    var parser = try window.parser(of: tfra, limit: 16)
    width = try parser.uint8() == 1 ? 8 : 4
    try parser.skip(3)
    guard try parser.uint32() == trackID else { return nil }
    // Bytes of the numbers of the track fragment, the run and the sample.
    let lengths = try parser.uint32()
    let numbers = Int(lengths >> 4 & 3) + Int(lengths >> 2 & 3) + Int(lengths & 3) + 3
    let claimed = try parser.uint32()
    entries = try BoxTable(
      tfra, at: tfra.content + 16, count: claimed, entrySize: 2 * width + numbers, source: window.source)
    count = entries.count
  }

  /// `index` is below `count`.
  mutating func entry(_ index: Int) throws(ContainerError) -> Entry {
    let time = try entries.number(index, size: width)
    return Entry(time: time, place: try entries.number(index, part: width, size: width))
  }

  /// The last entry that is not behind `time`; the first one where all are.
  mutating func place(of time: UInt64) throws(ContainerError) -> UInt64? {
    guard count > 0 else { return nil }
    var (low, high) = (0, count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if try entry(middle).time <= time { low = middle } else { high = middle - 1 }
    }
    return try entry(low).place
  }
}
