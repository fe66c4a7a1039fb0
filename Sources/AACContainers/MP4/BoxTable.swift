/// A table of equal entries inside of a box, read in blocks and never as a whole.
struct BoxTable {
  private static let blockSize = 1 << 12

  let count: Int
  private let source: any ByteSource
  private let start: Int64
  private let entrySize: Int
  private var block: [UInt8] = []
  private var blockFirst = 0
  private var blockCount = 0

  /// - Throws: `malformed` where the box is too small for `count` entries.
  init(
    _ box: Box, at start: Int64, count: UInt32, entrySize: Int, source: any ByteSource
  ) throws(ContainerError) {
    guard Int64(count) * Int64(entrySize) <= box.end - start else {
      throw ContainerError(
        .malformed("the box \(box.type) claims \(count) entries in \(max(0, box.end - start)) bytes"),
        at: box.start)
    }
    self.source = source
    self.start = start
    self.entrySize = entrySize
    self.count = Int(count)
  }

  /// Byte `part` on of entry `index`, as an unsigned number of `size` bytes. `index` is below `count`.
  mutating func number(_ index: Int, part: Int = 0, size: Int = 4) throws(ContainerError) -> UInt64 {
    if index < blockFirst || index >= blockFirst + blockCount { try load(index) }
    let offset = (index - blockFirst) * entrySize + part
    guard offset >= 0, offset + size <= blockCount * entrySize else {
      throw ContainerError(.truncated("a table"), at: start)
    }
    var value: UInt64 = 0
    for place in offset..<offset + size { value = value << 8 | UInt64(block[place]) }
    return value
  }

  private mutating func load(_ index: Int) throws(ContainerError) {
    if block.isEmpty { block = [UInt8](repeating: 0, count: Self.blockSize) }
    let wanted = min(Self.blockSize / entrySize, count - index) * entrySize
    blockCount = 0
    guard index >= 0, wanted > 0 else { return }
    let got = try source.read(
      at: start + Int64(index) * Int64(entrySize), into: &block, 0..<wanted, atLeast: wanted)
    blockFirst = index
    blockCount = got / entrySize
  }
}
