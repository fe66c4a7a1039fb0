/// Chooses the codebook of every band so that sections and lines together cost least: dynamic programming
/// over bands and codebooks (ISO/IEC 14496-3, 4.6.3).
public final class SectionTrellis {
  /// Places of a band in the tables: codebooks 0 to 11, and room.
  private static let stride = 16

  private let lengths: CodeLengths
  private let ownBooksOnly: Bool
  private let costs: TableStore<Int32>
  private let cameFrom: TableStore<Int32>
  private let totals: TableStore<Int32>

  /// - Parameter ownBooksOnly: only the few books nearest to a band's largest value are counted.
  public init(lengths: CodeLengths, bandCapacity: Int, ownBooksOnly: Bool) {
    self.lengths = lengths
    self.ownBooksOnly = ownBooksOnly
    costs = TableStore(repeating: CodeLengths.impossible, count: bandCapacity * Self.stride)
    cameFrom = TableStore(repeating: 0, count: bandCapacity * Self.stride)
    totals = TableStore(repeating: 0, count: Self.stride)
  }

  /// Chooses for the bands of one group.
  ///
  /// - Parameters:
  ///   - spectrum: quantised lines in coded order.
  ///   - ranges: lines of each band, a multiple of four.
  ///   - largest: largest magnitude in each band.
  ///   - sectionBits: what a new section costs.
  public func choose(
    _ spectrum: [Int16], ranges: [Range<Int>], largest: [Int], bands: Range<Int>, sectionBits: Int,
    into codebooks: inout [UInt8]
  ) {
    precondition(
      bands.lowerBound >= 0 && bands.upperBound * Self.stride <= costs.count
        && bands.upperBound <= codebooks.count, "bands inside their arrays")
    guard !bands.isEmpty else { return }
    SpectralKernels.check(bands, ranges.count)
    SpectralKernels.check(bands, largest.count)
    let bits = Int32(truncatingIfNeeded: sectionBits)
    spectrum.withUnsafeBufferPointer { spectrum in
      guard let lines = spectrum.baseAddress else { return }
      for band in bands { SpectralKernels.check(ranges[band], spectrum.count) }
      var book =
        ownBooksOnly
        ? solveOwn(lines, ranges, largest, bands, sectionBits: bits)
        : solveAll(lines, ranges, largest, bands, sectionBits: bits)
      for band in bands.reversed() {
        codebooks[band] = UInt8(truncatingIfNeeded: book)
        book = Int(cameFrom.pointer[band * Self.stride + book])
      }
    }
  }

  /// Bits of the lines of bands in these codebooks, which `choose` has counted; books beyond 11 send nothing.
  public func lineBits(in codebooks: [UInt8], largest: [Int], bands: Range<Int>) -> Int {
    precondition(
      bands.lowerBound >= 0 && bands.upperBound * Self.stride <= costs.count, "bands inside their arrays")
    var sum = 0
    for band in bands {
      let book = Int(codebooks[band])
      guard book > 0, book < 12 else { continue }
      sum &+= Int(costs.pointer[band &* Self.stride &+ book])
      if largest[band] == 0 { sum &-= Int(Self.zeroScaleFactor) }
    }
    return sum
  }

  /// A band of zeros in a book of its neighbours still sends a scale factor (a difference of 0).
  private static let zeroScaleFactor: Int32 = 1

  /// Returns the book of the last band.
  private func solveAll(
    _ lines: UnsafePointer<Int16>, _ ranges: [Range<Int>], _ largest: [Int], _ bands: Range<Int>,
    sectionBits: Int32
  ) -> Int {
    let tables = lengths.tables
    for band in bands {
      let row = costs.pointer + band * Self.stride
      let (first, count) = (ranges[band].lowerBound, ranges[band].count)
      if largest[band] == 0 {
        tables.zeroBits(count, scaleFactor: Self.zeroScaleFactor, into: row)
      } else {
        tables.allBits(lines + first, count, largest: largest[band], into: row)
      }
    }
    return solve(bands, sectionBits: sectionBits)
  }

  /// The same with the few books nearest to a band's largest value, which are neighbours: scalars do.
  private func solveOwn(
    _ lines: UnsafePointer<Int16>, _ ranges: [Range<Int>], _ largest: [Int], _ bands: Range<Int>,
    sectionBits: Int32
  ) -> Int {
    let tables = lengths.tables
    var walk = SectionWalk(totals: totals.pointer, sectionBits: sectionBits)
    for band in bands {
      let row = costs.pointer + band &* Self.stride
      let origins = cameFrom.pointer + band &* Self.stride
      let q = lines + ranges[band].lowerBound
      let count = ranges[band].count
      switch largest[band] {
      case 0:
        tables.zeroBits(count, scaleFactor: Self.zeroScaleFactor, into: row)
        walk.visitAll(row, origins)
      case 1:
        tables.count1(q, count, into: row)
        walk.visit(1, 4, row, origins)
      case 2:
        tables.count2(q, count, into: row)
        tables.count4(q, count, into: row)
        walk.visit(3, 8, row, origins)
      case 3...4:
        tables.count4(q, count, into: row)
        walk.visit(5, 8, row, origins)
      case 5...7:
        tables.count7(q, count, into: row)
        walk.visit(7, 10, row, origins)
      case 8...12:
        tables.count12(q, count, into: row)
        walk.visit(9, 11, row, origins)
      default:
        tables.countEscapes(q, count, into: row)
        walk.visit(11, 11, row, origins)
      }
    }
    return Int(walk.book)
  }

  /// Returns the book of the last band.
  private func solve(_ bands: Range<Int>, sectionBits: Int32) -> Int {
    var walk = SectionWalk(totals: totals.pointer, sectionBits: sectionBits)
    for band in bands {
      let place = band &* Self.stride
      walk.visitAll(costs.pointer + place, cameFrom.pointer + place)
    }
    return Int(walk.book)
  }
}

/// The way through the bands so far: what each book of the last band comes to, and the best of them.
private struct SectionWalk {
  /// More than any way takes.
  private static let far: Int32 = 1 << 24

  /// By book; those of the last band count.
  let totals: UnsafeMutablePointer<Int32>
  let sectionBits: Int32
  private var first = 16
  private var last = -1
  private var cheapest: Int32 = 0
  private(set) var book: Int32 = 0

  init(totals: UnsafeMutablePointer<Int32>, sectionBits: Int32) {
    self.totals = totals
    self.sectionBits = sectionBits
  }

  /// Goes on to a band that has the books from `low` to `high`.
  @inline(__always)
  mutating func visit(
    _ low: Int, _ high: Int, _ costs: UnsafePointer<Int32>, _ cameFrom: UnsafeMutablePointer<Int32>
  ) {
    if low < first || high > last {
      for book in low...high where book < first || book > last { totals[book] = Self.far }
    }
    let fresh = cheapest &+ sectionBits
    let origin = book
    var least = Int32.max
    for book in low...high {
      let before = totals[book]
      let number = Int32(truncatingIfNeeded: book)
      let total = min(before, fresh) &+ costs[book]
      cameFrom[book] = before <= fresh ? number : origin
      totals[book] = total
      // Of equals the lowest book.
      least = min(least, total &<< 4 | number)
    }
    cheapest = least &>> 4
    book = least & 15
    first = low
    last = high
  }

  /// The same with all books at a time: `costs` and `cameFrom` have sixteen places.
  @inline(__always)
  mutating func visitAll(_ costs: UnsafePointer<Int32>, _ cameFrom: UnsafeMutablePointer<Int32>) {
    let own = (
      SIMD8<Int32>(0, 1, 2, 3, 4, 5, 6, 7), SIMD8<Int32>(8, 9, 10, 11, 12, 13, 14, 15)
    )
    var before = (load(totals), load(totals + 8))
    if first > 0 || last < 15 {
      let far = SIMD8<Int32>(repeating: Self.far)
      let low = SIMD8<Int32>(repeating: Int32(truncatingIfNeeded: first))
      let high = SIMD8<Int32>(repeating: Int32(truncatingIfNeeded: last))
      before.0.replace(with: far, where: (own.0 .< low) .| (own.0 .> high))
      before.1.replace(with: far, where: (own.1 .< low) .| (own.1 .> high))
    }
    let fresh = SIMD8<Int32>(repeating: cheapest &+ sectionBits)
    var origin = (SIMD8<Int32>(repeating: book), SIMD8<Int32>(repeating: book))
    let stays = (before.0 .<= fresh, before.1 .<= fresh)
    origin.0.replace(with: own.0, where: stays.0)
    origin.1.replace(with: own.1, where: stays.1)
    let total = (
      fresh.replacing(with: before.0, where: stays.0) &+ load(costs),
      fresh.replacing(with: before.1, where: stays.1) &+ load(costs + 8)
    )
    store(origin.0, cameFrom)
    store(origin.1, cameFrom + 8)
    store(total.0, totals)
    store(total.1, totals + 8)
    // The least total, and of equals the lowest book.
    let four = SIMD8<Int32>(repeating: 4)
    var keys = total.0 &<< four | own.0
    let others = total.1 &<< four | own.1
    keys.replace(with: others, where: others .< keys)
    var half = keys.lowHalf
    half.replace(with: keys.highHalf, where: keys.highHalf .< half)
    let least = min(min(half[0], half[1]), min(half[2], half[3]))
    cheapest = least &>> 4
    book = least & 15
    first = 0
    last = 15
  }
}

extension CodeLengths {
  /// What no coding costs.
  public static let impossible: Int32 = 1 << 20

  /// Bits of the best codebook for the magnitudes of the lines in `range`, a multiple of four; those of
  /// books that tell signs apart are means.
  public func bestBits(_ q: [Int16], _ range: Range<Int>, largest: Int) -> Int {
    precondition(range.count & 3 == 0, "whole tuples")
    return SpectralKernels.reading(q, range) { q in
      let count = range.count
      let tables = self.tables
      switch largest {
      case 0: return 0
      case 1: return LengthTables.counted(q, count, QuadCount(tables.quads), magnitudes: true).bits
      case 2:
        return LengthTables.counted(q, count, QuadCount(tables.quads, firstField: 2), magnitudes: true).bits
      case 3...4:
        return LengthTables.counted(q, count, PairCount(tables.pairs4, base: 5, fields: 4), magnitudes: true)
          .bits
      case 5...7:
        return LengthTables.counted(q, count, PairCount(tables.pairs7, base: 8, fields: 4), magnitudes: true)
          .bits
      case 8...12:
        return LengthTables.counted(
          q, count, PairCount(tables.pairs12, base: 13, fields: 3), magnitudes: true
        ).bits
      default: return LengthTables.counted(q, count, EscapeCount(tables), magnitudes: true).bits
      }
    } ?? 0
  }

  /// Bits of every codebook (index 0…11 of `costs`, from `offset` on) for the signed lines in `range`.
  public func allBits(
    _ q: [Int16], _ range: Range<Int>, largest: Int, into costs: inout [Int32], at offset: Int
  ) {
    precondition(range.count & 3 == 0, "whole tuples")
    SpectralKernels.reading(q, range) { q in
      SpectralKernels.writing(&costs, offset, 12) { costs in
        tables.allBits(q, range.count, largest: largest, into: costs)
      }
    }
  }
}

extension LengthTables {
  func allBits(
    _ q: UnsafePointer<Int16>, _ count: Int, largest: Int, into costs: UnsafeMutablePointer<Int32>
  ) {
    if largest == 0 {
      zeroBits(count, scaleFactor: 0, into: costs)
      return
    }
    for book in 0...11 { costs[book] = CodeLengths.impossible }
    if largest == 1 {
      count1(q, count, into: costs)
    } else if largest == 2 {
      count2(q, count, into: costs)
    }
    if largest <= 4 {
      count4(q, count, into: costs)
    } else if largest <= 7 {
      count7(q, count, into: costs)
    }
    if largest > 12 {
      countEscapes(q, count, into: costs)
    } else {
      count12(q, count, into: costs)
    }
  }

  /// Books 1 to 4, for values up to 1.
  @inline(__always)
  func count1(_ q: UnsafePointer<Int16>, _ count: Int, into costs: UnsafeMutablePointer<Int32>) {
    Self.set(costs + 1, 4, Self.counted(q, count, QuadCount(signedQuads)).sums)
  }

  /// Books 3 and 4, for values up to 2.
  @inline(__always)
  func count2(_ q: UnsafePointer<Int16>, _ count: Int, into costs: UnsafeMutablePointer<Int32>) {
    Self.set(costs + 3, 2, Self.counted(q, count, QuadCount(quads), magnitudes: true).sums >> 32)
  }

  /// Books 5 to 8, for values up to 4.
  @inline(__always)
  func count4(_ q: UnsafePointer<Int16>, _ count: Int, into costs: UnsafeMutablePointer<Int32>) {
    Self.set(costs + 5, 4, Self.counted(q, count, PairCount(signedPairs, base: 9, fields: 4)).sums)
  }

  /// Books 7 to 10, for values up to 7.
  @inline(__always)
  func count7(_ q: UnsafePointer<Int16>, _ count: Int, into costs: UnsafeMutablePointer<Int32>) {
    let sums = Self.counted(q, count, PairCount(pairs7, base: 8, fields: 4), magnitudes: true).sums
    Self.set(costs + 7, 4, sums)
  }

  /// Books 9 to 11, for values up to 12.
  @inline(__always)
  func count12(_ q: UnsafePointer<Int16>, _ count: Int, into costs: UnsafeMutablePointer<Int32>) {
    Self.set(
      costs + 9, 3, Self.counted(q, count, PairCount(pairs12, base: 13, fields: 3), magnitudes: true).sums)
  }

  /// Book 11, for all values.
  func countEscapes(_ q: UnsafePointer<Int16>, _ count: Int, into costs: UnsafeMutablePointer<Int32>) {
    costs[11] = Int32(truncatingIfNeeded: Self.counted(q, count, EscapeCount(self), magnitudes: true).bits)
  }

  /// Bits of `count` zeros in every codebook, and of a scale factor with them in all but codebook 0.
  @inline(__always)
  func zeroBits(_ count: Int, scaleFactor: Int32, into costs: UnsafeMutablePointer<Int32>) {
    let quads = Int32(truncatingIfNeeded: count / 4)
    var low = zeros.0 &* SIMD8(repeating: quads) &+ SIMD8(repeating: scaleFactor)
    low[0] = 0
    store(low, costs)
    let high = zeros.1 &* SIMD4(repeating: quads) &+ SIMD4(repeating: scaleFactor)
    UnsafeMutableRawPointer(costs + 8).storeBytes(of: high, as: SIMD4<Int32>.self)
  }

  @inline(__always)
  private static func set(
    _ costs: UnsafeMutablePointer<Int32>, _ count: Int, _ sums: UInt64
  ) {
    for index in 0..<count { costs[index] = Int32(truncatingIfNeeded: sums >> UInt64(16 * index) & 0xFFFF) }
  }

  @inline(__always)
  static func counted<Count: TupleCount>(
    _ q: UnsafePointer<Int16>, _ count: Int, _ counter: Count, magnitudes: Bool = false
  ) -> Count {
    var counter = counter
    var index = 0
    while index &+ 8 <= count {
      let values = load(q + index)
      counter.add(magnitudes ? magnitude(values) : values)
      index &+= 8
    }
    if index < count {
      let values = loadPartial(q + index, 4)
      counter.addHalf(magnitudes ? magnitude(values) : values)
    }
    return counter
  }
}
