import DSP

extension CodewordTables {
  /// The standard's books 1 to 11, each tuple's signs behind its codeword.
  static let spectral = CodewordTables(SpectralCodebook.all.dropFirst().map(\.signed))
}

extension SpectralCodebook {
  fileprivate var signed: CodewordTables.Book {
    let base = 2 * lav + 1
    var total = 1
    for _ in 0..<dimension { total *= base }
    let codewords = (0..<total).map { place in
      var values = [Int](repeating: 0, count: dimension)
      var rest = place
      for digit in values.indices.reversed() {
        values[digit] = rest % base - lav
        rest /= base
      }
      return codeword(values)
    }
    return CodewordTables.Book(dimension: dimension, largest: lav, codewords: codewords)
  }

  private func codeword(_ values: [Int]) -> (code: UInt32, length: Int) {
    var index = 0
    var signs: UInt32 = 0
    var signCount = 0
    for value in values {
      index = isSigned ? index * (2 * lav + 1) + value + lav : index * (lav + 1) + abs(value)
      if !isSigned, value != 0 {
        signs = signs << 1 | (value < 0 ? 1 : 0)
        signCount += 1
      }
    }
    return (UInt32(codewords[index]) << UInt32(signCount) | signs, Int(lengths[index]) + signCount)
  }
}
