/// The sizes of all packets of a recording, in blocks that never move, each with as many bits as its sizes differ by.
struct CompactSizes {
  private static let blockSize = 4096
  private static let escape = UInt16.max

  private var blocks: [Block] = []
  /// The block that is being filled.
  private var open: [UInt16] = []
  private var large: [Int: Int] = [:]
  private(set) var count = 0
  private(set) var total: Int64 = 0
  private(set) var largest = 0

  private struct Block {
    private let least: UInt16
    private let bits: Int
    private let bytes: [UInt8]

    init(_ values: [UInt16]) {
      let least = values.min() ?? 0
      let bits = UInt16.bitWidth - ((values.max() ?? 0) - least).leadingZeroBitCount
      var bytes: [UInt8] = []
      // A value may reach over three bytes.
      bytes.reserveCapacity(values.count * bits / 8 + 3)
      var word: UInt32 = 0
      var filled = 0
      for value in values {
        word |= UInt32(value - least) << UInt32(filled)
        filled += bits
        while filled >= 8 {
          bytes.append(UInt8(truncatingIfNeeded: word))
          word >>= 8
          filled -= 8
        }
      }
      bytes += [UInt8(truncatingIfNeeded: word), 0, 0]
      self.least = least
      self.bits = bits
      self.bytes = bytes
    }

    subscript(index: Int) -> UInt16 {
      let place = index * bits
      let first = place >> 3
      let word = UInt32(bytes[first]) | UInt32(bytes[first + 1]) << 8 | UInt32(bytes[first + 2]) << 16
      let mask = UInt32(1) << UInt32(bits) - 1
      return least + UInt16(truncatingIfNeeded: word >> UInt32(place & 7) & mask)
    }
  }

  mutating func append(_ size: Int) {
    if size < Int(Self.escape) {
      open.append(UInt16(size))
    } else {
      open.append(Self.escape)
      large[count] = size
    }
    if open.count == Self.blockSize {
      blocks.append(Block(open))
      open.removeAll(keepingCapacity: true)
    }
    count += 1
    total += Int64(size)
    largest = max(largest, size)
  }

  subscript(index: Int) -> Int {
    let (block, place) = index.quotientAndRemainder(dividingBy: Self.blockSize)
    let value = block < blocks.count ? blocks[block][place] : open[place]
    return value == Self.escape ? large[index] ?? 0 : Int(value)
  }
}
