/// A sliding view of a source: one block in memory, moved as the reader goes on.
final class ByteWindow {
  private let blockSize: Int

  let source: any ByteSource
  private var block: [UInt8] = []
  /// File offset of the block's first byte, and how many bytes of it are valid.
  private var start: Int64 = 0
  private var valid = 0

  /// - Parameter blockSize: bytes that are read at once; few, where only headers are looked at.
  init(_ source: any ByteSource, blockSize: Int = 1 << 16) {
    self.source = source
    self.blockSize = blockSize
  }

  /// Makes up to `count` bytes at `offset` present and returns how many there are before the data ends.
  func available(_ count: Int, at offset: Int64) throws(ContainerError) -> Int {
    if offset >= start, offset - start <= Int64(valid - count) { return count }
    try load(count, at: offset)
    return min(count, valid)
  }

  /// Moves the block to start at `offset` and to hold at least `count` bytes.
  private func load(_ count: Int, at offset: Int64) throws(ContainerError) {
    let usual = Int(clamping: min(source.length ?? .max, Int64(blockSize)))
    let size = max(usual, count, 16)
    if block.count < size { block += [UInt8](repeating: 0, count: size - block.count) }
    var kept = 0
    if offset >= start, offset < start + Int64(valid) {
      let skipped = Int(offset - start)
      kept = valid - skipped
      if skipped > 0 { block.replaceSubrange(0..<kept, with: [UInt8](block[skipped..<valid])) }
    }
    start = offset
    valid = kept
    valid += try source.read(
      at: offset + Int64(kept), into: &block, kept..<block.count, atLeast: max(0, count - kept))
  }

  /// An unsigned number of `count` (1…8) bytes; `nil` where the data ends before.
  func number(_ count: Int, at offset: Int64) throws(ContainerError) -> UInt64? {
    guard try available(count, at: offset) == count else { return nil }
    let from = Int(offset - start)
    var value: UInt64 = 0
    for index in from..<from + count { value = value << 8 | UInt64(block[index]) }
    return value
  }

  /// Appends up to `count` bytes at `offset` and returns how many there were.
  @discardableResult
  func append(
    _ count: Int, at offset: Int64, to bytes: inout [UInt8]
  ) throws(ContainerError) -> Int {
    let got = try available(count, at: offset)
    let from = Int(offset - start)
    bytes.append(contentsOf: block[from..<from + got])
    return got
  }

  /// Up to `count` bytes at `offset`.
  func bytes(_ count: Int, at offset: Int64) throws(ContainerError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(count, blockSize))
    try append(count, at: offset, to: &bytes)
    return bytes
  }

  /// The first place at or behind `offset`, below `offset + limit`, where a byte `first` is followed by one
  /// that fits `pattern` under `mask`; `nil` where there is none.
  func firstSync(
    from offset: Int64, limit: Int, first: UInt8 = 0xFF, mask: UInt8, pattern: UInt8
  ) throws(ContainerError) -> Int64? {
    var place = offset
    let end = offset + Int64(limit)
    while place < end {
      guard try available(2, at: place) == 2 else { return nil }
      let from = Int(place - start)
      let bytes = block
      var index = from
      let last = min(valid - 1, from + Int(min(end - place, Int64(Int32.max))))
      while index < last {
        if bytes[index] == first, bytes[index + 1] & mask == pattern {
          return place + Int64(index - from)
        }
        index += 1
      }
      place += Int64(max(1, index - from))
    }
    return nil
  }

  /// Whether the data ends at or before `offset`.
  func isAtEnd(_ offset: Int64) throws(ContainerError) -> Bool {
    if let length = source.length { return offset >= length }
    return try available(1, at: offset) == 0
  }
}
