import DSP

/// Counts what the lines of a band cost in each spectral codebook: `CodeLengths` of the standard's books.
struct BitCounter: Sendable {
  static let shared = BitCounter()
  static let impossible = Int(CodeLengths.impossible)

  let lengths: CodeLengths

  private init() {
    let books = SpectralCodebook.all
    func length(_ book: Int, _ values: [Int]) -> UInt64 {
      let table = books[book]
      let limit = table.lav
      guard values.allSatisfy({ abs($0) <= limit }) else { return 0 }
      var index = 0
      for value in values {
        index =
          table.isSigned ? index * (2 * limit + 1) + value + limit : index * (limit + 1) + abs(value)
      }
      let signs = table.isSigned ? 0 : values.count(where: { $0 != 0 })
      return UInt64(table.lengths[index]) + UInt64(signs)
    }
    /// The mean over all signs, rounded.
    func mean(_ book: Int, _ values: [Int]) -> UInt64 {
      guard values.allSatisfy({ $0 <= books[book].lav }) else { return 0 }
      var sum: UInt64 = 0
      for signs in 0..<1 << values.count {
        sum += length(book, values.indices.map { signs >> $0 & 1 == 1 ? -values[$0] : values[$0] })
      }
      let count = UInt64(1 << values.count)
      return (sum + count / 2) / count
    }
    func table(
      _ dimension: Int, _ range: ClosedRange<Int>, _ books: [Int], _ cost: (Int, [Int]) -> UInt64
    ) -> [UInt64] {
      let base = range.count
      var total = 1
      for _ in 0..<dimension { total *= base }
      return (0..<total).map { index in
        var values = [Int](repeating: 0, count: dimension)
        var rest = index
        for place in (0..<dimension).reversed() {
          values[place] = rest % base + range.lowerBound
          rest /= base
        }
        var entry: UInt64 = 0
        for (place, book) in books.enumerated() { entry |= cost(book, values) << UInt64(16 * place) }
        return entry
      }
    }
    lengths = CodeLengths(
      signedQuads: table(4, -1...1, [1, 2, 3, 4], length), quads: table(4, 0...2, [1, 2, 3, 4], mean),
      signedPairs: table(2, -4...4, [5, 6, 7, 8], length), pairs4: table(2, 0...4, [5, 6, 7, 8], mean),
      pairs7: table(2, 0...7, [7, 8, 9, 10], length), pairs12: table(2, 0...12, [9, 10, 11], length),
      pairs16: table(2, 0...16, [11], length))
  }

  /// Bits of the best codebook for the magnitudes in `range`, of which `largest` is the largest.
  func bestBits(_ q: [Int16], _ range: Range<Int>, largest: Int) -> Int {
    lengths.bestBits(q, range, largest: largest)
  }

  /// Bits of every codebook (index 1…11 of `costs`, from `offset` on) for signed lines.
  func allBits(
    _ q: [Int16], _ range: Range<Int>, largest: Int, into costs: inout [Int32], at offset: Int
  ) {
    lengths.allBits(q, range, largest: largest, into: &costs, at: offset)
  }
}
