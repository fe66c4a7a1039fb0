import AAC

/// The checksum of ADTS: x¹⁶ + x¹⁵ + x² + 1, most significant bit first, from 0xFFFF on.
struct ADTSChecksum: Sendable {
  private(set) var value: UInt16 = 0xFFFF

  private static let table: [UInt16] = (0..<256).map { index in
    var register = UInt16(index) << 8
    for _ in 0..<8 { register = register & 0x8000 != 0 ? register << 1 ^ 0x8005 : register << 1 }
    return register
  }

  mutating func add(byte: UInt8) {
    value = value << 8 ^ Self.table[Int(UInt8(truncatingIfNeeded: value >> 8) ^ byte)]
  }

  mutating func add(bytes: ArraySlice<UInt8>) {
    for byte in bytes { add(byte: byte) }
  }

  mutating func add(bit: Bool) {
    let top = value & 0x8000 != 0
    value <<= 1
    if top != bit { value ^= 0x8005 }
  }

  /// Adds `count` bits of `bytes` from bit `offset` on; bits past the end count as zero.
  mutating func add(_ bytes: [UInt8], bitOffset offset: Int, count: Int) {
    var place = offset
    let end = offset + count
    while place < end {
      let index = place >> 3
      let byte = index < bytes.count ? bytes[index] : 0
      let shift = place & 7
      if end - place >= 8 {
        let next = index + 1 < bytes.count ? bytes[index + 1] : 0
        let pair = UInt16(byte) << 8 | UInt16(next)
        add(byte: UInt8(truncatingIfNeeded: pair >> UInt16(8 - shift)))
        place += 8
      } else {
        add(bit: byte >> UInt8(7 - shift) & 1 != 0)
        place += 1
      }
    }
  }

  /// Adds the protected parts of the access unit that starts at byte `start`.
  mutating func add(_ regions: [AccessUnitScanner.Region], of bytes: [UInt8], from start: Int) {
    for region in regions {
      add(bytes, bitOffset: start * 8 + region.offset, count: region.count)
      for _ in 0..<max(0, region.paddedCount - region.count) { add(bit: false) }
    }
  }
}
