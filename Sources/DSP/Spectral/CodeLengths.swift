/// The lengths of codewords, for counting the bits of whole bands.
///
/// Each entry holds the lengths of up to four codebooks, 16 bits apart, so that one look-up a tuple serves
/// them all. Tables are indexed by the tuple's values as digits, first value most significant; those of
/// signed values have the entry of all zeros in their middle.
public final class CodeLengths: Sendable {
  private let stores: [TableStore<UInt64>]
  let tables: LengthTables

  /// Takes the seven tables, of 81, 81, 81, 25, 64, 169 and 289 entries.
  public init(
    signedQuads: [UInt64], quads: [UInt64], signedPairs: [UInt64], pairs4: [UInt64], pairs7: [UInt64],
    pairs12: [UInt64], pairs16: [UInt64]
  ) {
    let all = [signedQuads, quads, signedPairs, pairs4, pairs7, pairs12, pairs16]
    precondition(all.map(\.count) == [81, 81, 81, 25, 64, 169, 289], "whole tables")
    stores = all.map { TableStore($0, padding: 0) }
    tables = LengthTables(
      signedQuads: UnsafePointer(stores[0].pointer) + 40, quads: UnsafePointer(stores[1].pointer),
      signedPairs: UnsafePointer(stores[2].pointer) + 40, pairs4: UnsafePointer(stores[3].pointer),
      pairs7: UnsafePointer(stores[4].pointer), pairs12: UnsafePointer(stores[5].pointer),
      pairs16: UnsafePointer(stores[6].pointer))
  }
}

/// The tables of `CodeLengths`, for the loops; valid as long as it lives.
struct LengthTables: @unchecked Sendable {
  /// Books 1 to 4, by four values −1…1.
  let signedQuads: UnsafePointer<UInt64>
  /// Books 1 to 4, by four magnitudes 0…2.
  let quads: UnsafePointer<UInt64>
  /// Books 5 to 8, by two values −4…4.
  let signedPairs: UnsafePointer<UInt64>
  /// Books 5 to 8, by two magnitudes 0…4.
  let pairs4: UnsafePointer<UInt64>
  /// Books 7 to 10, by two magnitudes 0…7.
  let pairs7: UnsafePointer<UInt64>
  /// Books 9 to 11, by two magnitudes 0…12.
  let pairs12: UnsafePointer<UInt64>
  /// Book 11, by two magnitudes 0…16, escape sequences not included.
  let pairs16: UnsafePointer<UInt64>
  /// Four zeros in books 0 to 7 and 8 to 11.
  let zeros: (SIMD8<Int32>, SIMD4<Int32>)

  init(
    signedQuads: UnsafePointer<UInt64>, quads: UnsafePointer<UInt64>, signedPairs: UnsafePointer<UInt64>,
    pairs4: UnsafePointer<UInt64>, pairs7: UnsafePointer<UInt64>, pairs12: UnsafePointer<UInt64>,
    pairs16: UnsafePointer<UInt64>
  ) {
    self.signedQuads = signedQuads
    self.quads = quads
    self.signedPairs = signedPairs
    self.pairs4 = pairs4
    self.pairs7 = pairs7
    self.pairs12 = pairs12
    self.pairs16 = pairs16
    func field(_ entry: UInt64, _ index: Int) -> Int32 {
      Int32(truncatingIfNeeded: entry >> UInt64(16 * index) & 0xFFFF)
    }
    let (one, two, three) = (signedQuads[0], signedPairs[0], pairs12[0])
    zeros = (
      SIMD8(
        0, field(one, 0), field(one, 1), field(one, 2), field(one, 3), 2 * field(two, 0), 2 * field(two, 1),
        2 * field(two, 2)),
      SIMD4(2 * field(two, 3), 2 * field(three, 0), 2 * field(three, 1), 2 * field(three, 2))
    )
  }
}

/// Adds up codeword lengths, eight lines at a time.
protocol TupleCount {
  mutating func add(_ q: SIMD8<Int16>)
  /// Only the first four lines.
  mutating func addHalf(_ q: SIMD8<Int16>)
  /// Bits of the best of the books counted.
  var bits: Int { get }
}

/// Tuples of four values −2…2 from one table.
struct QuadCount: TupleCount {
  private let table: UnsafePointer<UInt64>
  private let firstField: UInt64
  private(set) var sums: UInt64 = 0
  private let weights = SIMD8<Int16>(27, 9, 3, 1, 27, 9, 3, 1)

  /// - Parameter firstField: fields below it do not count.
  @inline(__always)
  init(_ table: UnsafePointer<UInt64>, firstField: Int = 0) {
    self.table = table
    self.firstField = UInt64(firstField)
  }

  @inline(__always)
  mutating func add(_ q: SIMD8<Int16>) {
    let parts = Lanes.pairSums(q, weights)
    sums &+= table[Self.joined(parts[0])] &+ table[Self.joined(parts[1])]
  }

  @inline(__always)
  mutating func addHalf(_ q: SIMD8<Int16>) {
    sums &+= table[Self.joined(Lanes.pairSums(q, weights)[0])]
  }

  @inline(__always)
  private static func joined(_ word: UInt64) -> Int {
    Int(Int32(truncatingIfNeeded: word)) &+ Int(Int64(bitPattern: word) &>> 32)
  }

  @inline(__always)
  var bits: Int { firstField == 0 ? least(sums, fields: 4) : least(sums &>> 32, fields: 2) }
}

/// Tuples of two values from one table.
struct PairCount: TupleCount {
  private let table: UnsafePointer<UInt64>
  private let fields: Int
  private let weights: SIMD8<Int16>
  private(set) var sums: UInt64 = 0

  @inline(__always)
  init(_ table: UnsafePointer<UInt64>, base: Int16, fields: Int) {
    self.table = table
    self.fields = fields
    weights = SIMD8(base, 1, base, 1, base, 1, base, 1)
  }

  @inline(__always)
  mutating func add(_ q: SIMD8<Int16>) {
    let places = Lanes.pairSums(q, weights)
    sums &+= entries(places[0]) &+ entries(places[1])
  }

  @inline(__always)
  mutating func addHalf(_ q: SIMD8<Int16>) { sums &+= entries(Lanes.pairSums(q, weights)[0]) }

  @inline(__always)
  private func entries(_ word: UInt64) -> UInt64 {
    table[Int(Int32(truncatingIfNeeded: word))] &+ table[Int(Int64(bitPattern: word) &>> 32)]
  }

  @inline(__always)
  var bits: Int { least(sums, fields: fields) }
}

/// Book 11 with its escape sequences, for magnitudes.
struct EscapeCount: TupleCount {
  private var pairs: PairCount
  private var escapes = SIMD8<Int32>(repeating: 0)

  @inline(__always)
  init(_ lengths: LengthTables) { pairs = PairCount(lengths.pairs16, base: 17, fields: 1) }

  @inline(__always)
  mutating func add(_ q: SIMD8<Int16>) {
    countEscapes(q)
    pairs.add(Self.limited(q))
  }

  @inline(__always)
  mutating func addHalf(_ q: SIMD8<Int16>) {
    countEscapes(q)
    pairs.addHalf(Self.limited(q))
  }

  @inline(__always)
  private static func limited(_ q: SIMD8<Int16>) -> SIMD8<Int16> {
    let mark = SIMD8<Int16>(repeating: 16)
    return q.replacing(with: mark, where: q .> mark)
  }

  /// N ones, a zero and N + 4 bits for 2^(N+4)…: the exponent of the float tells N.
  @inline(__always)
  private mutating func countEscapes(_ q: SIMD8<Int16>) {
    let values = Lanes.floats(q)
    let exponents = unsafeBitCast(values, to: SIMD8<Int32>.self) &>> SIMD8(repeating: 23)
    let bits = exponents &+ exponents &- SIMD8(repeating: 2 * 127 + 3)
    escapes &+= bits.replacing(with: SIMD8(repeating: 0), where: values .< Lanes8(repeating: 16))
  }

  @inline(__always)
  var bits: Int {
    let four = escapes.lowHalf &+ escapes.highHalf
    return pairs.bits &+ Int(four[0] &+ four[1] &+ four[2] &+ four[3])
  }
}

/// The least of the lowest `fields` fields of 16 bits.
@inline(__always)
private func least(_ sums: UInt64, fields: Int) -> Int {
  var result = sums & 0xFFFF
  if fields > 1 { result = min(result, sums &>> 16 & 0xFFFF) }
  if fields > 2 { result = min(result, sums &>> 32 & 0xFFFF) }
  if fields > 3 { result = min(result, sums &>> 48) }
  return Int(result)
}
