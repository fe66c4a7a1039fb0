/// Counts what the lines of a band cost in each spectral codebook.
///
/// Each table entry holds the lengths of up to four codebooks, 16 bits apart, sign bits included, so that
/// one look-up a tuple serves them all.
struct BitCounter: Sendable {
  static let shared = BitCounter()

  /// Books 1 and 2, by tuple of four values −1…1 (they tell signs apart).
  private let signedQuads: [UInt64]
  /// Books 1 to 4, by four magnitudes 0…2; books 1 and 2 as a mean over the signs.
  private let quads: [UInt64]
  /// Books 5 and 6, by two values −4…4.
  private let signedPairs: [UInt64]
  /// Books 5 to 8, by two magnitudes 0…4.
  private let pairs4: [UInt64]
  /// Books 7 to 10, by two magnitudes 0…7.
  private let pairs7: [UInt64]
  /// Books 9 to 11, by two magnitudes 0…12.
  private let pairs12: [UInt64]
  /// Book 11, by two magnitudes 0…16, escape sequences not included.
  private let pairs16: [UInt64]

  static let impossible = 1 << 20

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
    signedQuads = table(4, -1...1, [1, 2], length)
    quads = table(4, 0...2, [1, 2, 3, 4], mean)
    signedPairs = table(2, -4...4, [5, 6], length)
    pairs4 = table(2, 0...4, [5, 6, 7, 8], mean)
    pairs7 = table(2, 0...7, [7, 8, 9, 10], length)
    pairs12 = table(2, 0...12, [9, 10, 11], length)
    pairs16 = table(2, 0...16, [11], length)
  }

  /// Bits of the best codebook for the magnitudes in `range`, of which `largest` is the largest.
  func bestBits(_ q: [Int16], _ range: Range<Int>, largest: Int) -> Int {
    switch largest {
    case 0: 0
    case 1:
      Self.least(Self.sumQuads(q, range, quads))
    case 2:
      Self.leastOfLastTwo(Self.sumQuads(q, range, quads))
    case 3...4: Self.least(Self.sumPairs(q, range, pairs4, base: 5))
    case 5...7: Self.least(Self.sumPairs(q, range, pairs7, base: 8))
    case 8...12: Self.leastOfFirstThree(Self.sumPairs(q, range, pairs12, base: 13))
    default: escapeBits(q, range)
    }
  }

  /// Bits of every codebook (index 1…11 of `costs`, from `offset` on) for signed lines.
  func allBits(
    _ q: [Int16], _ range: Range<Int>, largest: Int, into costs: inout [Int32], at offset: Int
  ) {
    for book in 1...11 { costs[offset + book] = Int32(Self.impossible) }
    costs[offset] = largest == 0 ? 0 : Int32(Self.impossible)
    func set(_ first: Int, _ count: Int, _ sums: UInt64, from place: Int = 0) {
      for index in 0..<count {
        costs[offset + first + index] = Int32(sums >> UInt64(16 * (place + index)) & 0xFFFF)
      }
    }
    if largest <= 1 { set(1, 2, Self.sumSignedQuads(q, range, signedQuads)) }
    if largest <= 2 { set(3, 2, Self.sumQuads(q, range, quads), from: 2) }
    if largest <= 4 {
      set(5, 2, Self.sumSignedPairs(q, range, signedPairs))
      set(7, 2, Self.sumPairs(q, range, pairs4, base: 5), from: 2)
    } else if largest <= 7 {
      set(7, 2, Self.sumPairs(q, range, pairs7, base: 8))
    }
    if largest <= 12 {
      set(9, 3, Self.sumPairs(q, range, pairs12, base: 13))
    } else {
      costs[offset + 11] = Int32(escapeBits(q, range))
    }
  }

  private func escapeBits(_ q: [Int16], _ range: Range<Int>) -> Int {
    var bits = 0
    var index = range.lowerBound
    while index < range.upperBound {
      let a = Int(q[index].magnitude)
      let b = Int(q[index + 1].magnitude)
      bits += Int(pairs16[min(a, 16) * 17 + min(b, 16)])
      // N ones, a zero and N+4 bits for 2^(N+4)…
      if a >= 16 { bits += 2 * (Int.bitWidth - 1 - a.leadingZeroBitCount) - 3 }
      if b >= 16 { bits += 2 * (Int.bitWidth - 1 - b.leadingZeroBitCount) - 3 }
      index += 2
    }
    return bits
  }

  @inline(__always)
  private static func sumQuads(_ q: [Int16], _ range: Range<Int>, _ table: [UInt64]) -> UInt64 {
    var sum: UInt64 = 0
    var index = range.lowerBound
    while index < range.upperBound {
      let a = Int(q[index].magnitude)
      let b = Int(q[index + 1].magnitude)
      let c = Int(q[index + 2].magnitude)
      let d = Int(q[index + 3].magnitude)
      sum &+= table[((a &* 3 &+ b) &* 3 &+ c) &* 3 &+ d]
      index &+= 4
    }
    return sum
  }

  @inline(__always)
  private static func sumSignedQuads(_ q: [Int16], _ range: Range<Int>, _ table: [UInt64]) -> UInt64 {
    var sum: UInt64 = 0
    var index = range.lowerBound
    while index < range.upperBound {
      let a = Int(q[index])
      let b = Int(q[index + 1])
      let c = Int(q[index + 2])
      let d = Int(q[index + 3])
      sum &+= table[((a &* 3 &+ b) &* 3 &+ c) &* 3 &+ d &+ 40]
      index &+= 4
    }
    return sum
  }

  @inline(__always)
  private static func sumPairs(
    _ q: [Int16], _ range: Range<Int>, _ table: [UInt64], base: Int
  ) -> UInt64 {
    var sum: UInt64 = 0
    var index = range.lowerBound
    while index < range.upperBound {
      sum &+= table[Int(q[index].magnitude) &* base &+ Int(q[index + 1].magnitude)]
      index &+= 2
    }
    return sum
  }

  @inline(__always)
  private static func sumSignedPairs(_ q: [Int16], _ range: Range<Int>, _ table: [UInt64]) -> UInt64 {
    var sum: UInt64 = 0
    var index = range.lowerBound
    while index < range.upperBound {
      sum &+= table[Int(q[index]) &* 9 &+ Int(q[index + 1]) &+ 40]
      index &+= 2
    }
    return sum
  }

  @inline(__always)
  private static func least(_ sums: UInt64) -> Int {
    let first = min(sums & 0xFFFF, sums >> 16 & 0xFFFF)
    let second = min(sums >> 32 & 0xFFFF, sums >> 48)
    return Int(min(first, second))
  }

  @inline(__always)
  private static func leastOfLastTwo(_ sums: UInt64) -> Int {
    Int(min(sums >> 32 & 0xFFFF, sums >> 48))
  }

  @inline(__always)
  private static func leastOfFirstThree(_ sums: UInt64) -> Int {
    Int(min(sums & 0xFFFF, min(sums >> 16 & 0xFFFF, sums >> 32 & 0xFFFF)))
  }
}
