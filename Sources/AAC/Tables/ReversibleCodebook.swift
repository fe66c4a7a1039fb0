/// The reversible codebook of scale factors and its escapes (ISO/IEC 14496-3, 4.6.16.2).
enum ReversibleCodebook {
  /// A difference is its index minus this; the differences at both ends say that an escape is added.
  static let offset = 7
  /// The largest escape.
  static let largestEscape = 53

  /// Codewords of the differences from -7 to 7; each reads the same from both ends.
  static let lengths: [UInt8] = [
    7, 9, 8, 6, 5, 4, 3, 1, 3, 5, 6, 7, 8, 9, 7,
  ]

  static let codewords: [UInt32] = [
    65, 257, 129, 33, 17, 9, 5, 0, 7, 27, 51, 107, 195, 427, 99,
  ]

  /// Codewords that only an error can bring about; they make the code complete.
  static let forbiddenLengths: [UInt8] = [6, 6, 7, 7, 8, 8, 9, 9]
  static let forbiddenCodewords: [UInt32] = [50, 52, 96, 98, 194, 212, 256, 426]

  static let escapeLengths: [UInt8] = [
    2, 2, 3, 3, 4, 5, 5, 5, 6, 6, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 11, 12, 14, 13, 15, 20, 20,
    20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 19, 19, 19, 19, 19,
  ]

  static let escapeCodewords: [UInt32] = [
    2, 0, 6, 2, 14, 31, 15, 13, 61, 29, 25, 24, 120, 56, 242, 114, 486, 230, 974, 463, 1950, 1951, 925,
    1848, 7399, 3698, 14797, 473482, 473483, 473484, 473485, 473486, 473487, 473488, 473489, 473490,
    473491, 473492, 473493, 473494, 473495, 473496, 473497, 473498, 473499, 473500, 473501, 473502,
    473503, 236736, 236737, 236738, 236739, 236740,
  ]

  /// What a forbidden codeword decodes to.
  static let forbidden = 15

  static let decoding = HuffmanCodebook(
    lengths: lengths + forbiddenLengths, codewords: codewords + forbiddenCodewords,
    meaning: (0..<15).map { UInt32($0) } + forbiddenLengths.map { _ in UInt32(forbidden) })

  static let escapeDecoding = HuffmanCodebook(
    lengths: escapeLengths, codewords: escapeCodewords, meaning: (0..<54).map { UInt32($0) })
}
