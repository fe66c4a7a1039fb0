/// Look-up tables of one prefix code: a first level of up to nine bits and second levels behind it.
///
/// An entry holds the codeword's length in its low five bits and what the codeword stands for above them.
/// Length 31 marks a link instead: bits 5…8 are the width of a second level, the bits from 9 up its place.
struct HuffmanCodebook: Sendable {
  static let link: UInt32 = 31
  static let largestFirstLevel = 9

  let entries: [UInt32]
  /// Bits that the first level looks at.
  let width: Int
  /// Bits of the longest codeword.
  let longest: Int

  /// - Parameters:
  ///   - lengths: bits of each codeword, by symbol; at most 24.
  ///   - codewords: the codewords, right-aligned. They form a complete prefix code.
  ///   - meaning: what each symbol stands for, below 2^27.
  init(lengths: [UInt8], codewords: [UInt32], meaning: [UInt32]) {
    let longest = Int(lengths.max() ?? 0)
    let width = min(longest, Self.largestFirstLevel)
    var entries = [UInt32](repeating: 0, count: 1 << width)
    // The width of the second level behind each first-level index that has one.
    var below = [Int](repeating: 0, count: 1 << width)
    for (length, codeword) in zip(lengths, codewords) where Int(length) > width {
      let prefix = Int(codeword >> UInt32(Int(length) - width))
      below[prefix] = max(below[prefix], Int(length) - width)
    }
    for prefix in below.indices where below[prefix] > 0 {
      entries[prefix] = UInt32(entries.count) << 9 | UInt32(below[prefix]) << 5 | Self.link
      entries += [UInt32](repeating: 0, count: 1 << below[prefix])
    }
    for symbol in lengths.indices {
      let length = Int(lengths[symbol])
      let entry = meaning[symbol] << 5 | UInt32(length)
      var base = 0
      var level = width
      var code = Int(codewords[symbol])
      if length > width {
        let prefix = code >> (length - width)
        base = Int(entries[prefix] >> 9)
        level = below[prefix]
        code &= (1 << (length - width)) - 1
      }
      let free = length > width ? level - (length - width) : level - length
      for index in base + code << free..<base + (code + 1) << free { entries[index] = entry }
    }
    self.entries = entries
    self.width = width
    self.longest = longest
  }
}

extension HuffmanCodebook {
  /// Reads one codeword and returns what it stands for.
  @inline(__always)
  func decode(_ bits: inout BitReader) throws(AACError) -> Int {
    let window = bits.peek(longest)
    var entry = entries[window >> (longest - width)]
    if entry & 31 == Self.link {
      let level = Int(entry >> 5 & 15)
      let rest = (window >> (longest - width - level)) & ((1 << level) - 1)
      entry = entries[Int(entry >> 9) + rest]
    }
    try bits.consume(Int(entry & 31))
    return Int(entry >> 5)
  }
}

/// The decoding tables of the scale factor book and of the spectral books, built once.
enum HuffmanTables {
  /// Stands for the difference plus `ScaleFactorCodebook.offset`.
  static let scaleFactors = HuffmanCodebook(
    lengths: ScaleFactorCodebook.lengths, codewords: ScaleFactorCodebook.codewords,
    meaning: (0..<UInt32(ScaleFactorCodebook.lengths.count)).map { $0 })

  /// By codebook number; entry 0 is empty. A codeword stands for its values, five bits each, the first
  /// value lowest. Values of signed books are in two's complement.
  static let spectral: [HuffmanCodebook] = SpectralCodebook.all.map { book in
    HuffmanCodebook(
      lengths: book.lengths, codewords: book.codewords.map { UInt32($0) },
      meaning: book.lengths.indices.map { index in
        book.values(at: index).reversed().reduce(0) { $0 << 5 | UInt32($1 & 31) }
      })
  }
}
