/// The sizes of all packets of a recording, two bytes each, in blocks that never move.
struct CompactSizes {
  private static let blockSize = 4096
  private static let escape = UInt16.max

  private var blocks: [[UInt16]] = []
  private var large: [Int: Int] = [:]
  private(set) var count = 0
  private(set) var total: Int64 = 0
  private(set) var largest = 0

  mutating func append(_ size: Int) {
    if count % Self.blockSize == 0 {
      var block: [UInt16] = []
      block.reserveCapacity(Self.blockSize)
      blocks.append(block)
    }
    if size < Int(Self.escape) {
      blocks[blocks.count - 1].append(UInt16(size))
    } else {
      blocks[blocks.count - 1].append(Self.escape)
      large[count] = size
    }
    count += 1
    total += Int64(size)
    largest = max(largest, size)
  }

  subscript(index: Int) -> Int {
    let value = blocks[index / Self.blockSize][index % Self.blockSize]
    return value == Self.escape ? large[index] ?? 0 : Int(value)
  }
}
