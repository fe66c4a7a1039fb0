/// One codeword of spectral_data with its signs and escapes, read from a window of bits that may be too short
/// for it.
struct SpectralCodeword {
  /// Bits taken.
  var length = 0
  /// Its values; two or four by the codebook.
  var values = SIMD4<Int16>()

  /// - Parameters:
  ///   - window: the bits, left-aligned; those past `count` are zero.
  ///   - codebook: 1…11.
  /// - Returns: `nil` where the codeword is longer than `count` bits.
  /// - Throws: for escapes that are longer than any line.
  init?(_ window: UInt64, count: Int, codebook: Int, bitOffset: Int) throws(AACError) {
    let entry = HuffmanTables.spectral[codebook].entry(for: window)
    length = Int(entry & 31)
    guard length <= count else { return nil }
    let book = SpectralCodebook.all[codebook]
    for place in 0..<book.dimension {
      let field = Int16(truncatingIfNeeded: entry >> UInt32(5 + 5 * place) & 31)
      values[place] = book.isSigned && field > 15 ? field - 32 : field
    }
    if !book.isSigned {
      let magnitudes = values
      for place in 0..<book.dimension where magnitudes[place] != 0 {
        if Self.bit(window, length) { values[place] = -values[place] }
        length += 1
      }
      for place in 0..<2 where magnitudes[place] == 16 {
        guard let magnitude = try escape(window, count, bitOffset) else { return nil }
        values[place] = values[place] < 0 ? -magnitude : magnitude
      }
    }
    if length > count { return nil }
  }

  private static func bit(_ window: UInt64, _ index: Int) -> Bool {
    (window << UInt64(index)) >> 63 != 0
  }

  /// An escape sequence: N ones (at most 8), a zero, N + 4 bits.
  private mutating func escape(_ window: UInt64, _ count: Int, _ bitOffset: Int) throws(AACError) -> Int16? {
    guard length < count else { return nil }
    let ones = (~(window << UInt64(length))).leadingZeroBitCount
    // Ones up to the last bit at hand: how many there are is not yet known.
    guard length + ones < count || ones > 8 else { return nil }
    guard ones <= 8 else {
      throw AACError(.outOfRange("escape prefix", value: ones, allowed: 0...8), bitOffset: bitOffset)
    }
    length += ones + 1
    guard length + ones + 4 <= count else { return nil }
    let rest = (window << UInt64(length)) >> UInt64(64 - ones - 4)
    length += ones + 4
    return Int16(truncatingIfNeeded: 1 << (ones + 4) + Int(rest))
  }
}

extension HuffmanCodebook {
  /// The table entry of the codeword at the left end of `window`.
  @inline(__always)
  func entry(for window: UInt64) -> UInt32 {
    let entry = entries[Int(truncatingIfNeeded: window >> UInt64(64 - width))]
    guard entry & 31 == Self.link else { return entry }
    let rest = (window << UInt64(width)) >> UInt64(64 - Int(entry >> 5 & 15))
    return entries[Int(entry >> 9) + Int(truncatingIfNeeded: rest)]
  }
}
