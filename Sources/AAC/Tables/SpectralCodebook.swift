/// A codebook of spectral_data: a prefix code over tuples of quantised lines (ISO/IEC 14496-3, 4.6.3.3).
///
/// The index of a tuple counts its values as digits, first value most significant: for a signed book
/// `value + lav` to base `2 * lav + 1`, else the absolute value to base `lav + 1`. In unsigned books a sign
/// bit (1: negative) follows for each value that is not zero, and is not part of `lengths`.
struct SpectralCodebook: Sendable {
  /// Values in a tuple: 4 or 2.
  let dimension: Int
  let isSigned: Bool
  /// Largest absolute value; in book 11 the mark of an escape sequence.
  let lav: Int
  /// Bits of each codeword, by index.
  let lengths: [UInt8]
  /// Codewords by index, right-aligned.
  let codewords: [UInt16]

  /// Largest line that an escape sequence can carry.
  static let largestLine = 8191

  /// The books by number, 1 to 11; entry 0 is empty.
  static let all: [SpectralCodebook] = [
    SpectralCodebook(dimension: 4, isSigned: true, lav: 0, lengths: [], codewords: []),
    book1, book2, book3, book4, book5, book6, book7, book8, book9, book10, book11,
  ]
}

extension SpectralCodebook {
  /// The values that `index` stands for (absolute ones in an unsigned book), in bit-stream order.
  func values(at index: Int) -> [Int] {
    let base = isSigned ? 2 * lav + 1 : lav + 1
    var values = [Int](repeating: 0, count: dimension)
    var rest = index
    for place in values.indices.reversed() {
      values[place] = rest % base - (isSigned ? lav : 0)
      rest /= base
    }
    return values
  }
}
