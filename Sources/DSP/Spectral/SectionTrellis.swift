/// Chooses the codebook of every band so that sections and lines together cost least: dynamic programming
/// over bands and codebooks (ISO/IEC 14496-3, 4.6.3).
public final class SectionTrellis {
  /// Places of a band in the tables: codebooks 0 to 11, and room.
  private static let stride = 16

  private let lengths: CodeLengths
  private let ownBooksOnly: Bool
  private let costs: TableStore<Int32>
  private let cameFrom: TableStore<Int32>

  /// - Parameter ownBooksOnly: only the few books nearest to a band's largest value are counted.
  public init(lengths: CodeLengths, bandCapacity: Int, ownBooksOnly: Bool) {
    self.lengths = lengths
    self.ownBooksOnly = ownBooksOnly
    costs = TableStore(repeating: CodeLengths.impossible, count: bandCapacity * Self.stride)
    cameFrom = TableStore(repeating: 0, count: bandCapacity * Self.stride)
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
    let tables = lengths.tables
    for band in bands {
      let row = costs.pointer + band * Self.stride
      SpectralKernels.reading(spectrum, ranges[band]) { q in
        if largest[band] == 0 {
          // A band of zeros in a book of its neighbours still sends a scale factor (a difference of 0).
          tables.zeroBits(ranges[band].count, scaleFactor: 1, into: row)
        } else {
          tables.allBits(
            q, ranges[band].count, largest: largest[band], ownBooksOnly: ownBooksOnly, into: row)
        }
      }
    }
    var book = solve(bands, sectionBits: Int32(truncatingIfNeeded: sectionBits))
    for band in bands.reversed() {
      codebooks[band] = UInt8(truncatingIfNeeded: book)
      book = Int(cameFrom.pointer[band * Self.stride + book])
    }
  }

  /// Returns the book of the last band.
  private func solve(_ bands: Range<Int>, sectionBits: Int32) -> Int {
    let own = (
      SIMD8<Int32>(0, 1, 2, 3, 4, 5, 6, 7), SIMD8<Int32>(8, 9, 10, 11, 12, 13, 14, 15)
    )
    var best = (SIMD8<Int32>(repeating: 1 << 24), SIMD8<Int32>(repeating: 1 << 24))
    var cheapest: Int32 = 0
    var cheapestBook: Int32 = 0
    for band in bands {
      let place = band * Self.stride
      let fresh = SIMD8<Int32>(repeating: cheapest &+ sectionBits)
      var origin = (SIMD8<Int32>(repeating: cheapestBook), SIMD8<Int32>(repeating: cheapestBook))
      var total = (fresh, fresh)
      let stays = (best.0 .<= fresh, best.1 .<= fresh)
      total.0.replace(with: best.0, where: stays.0)
      total.1.replace(with: best.1, where: stays.1)
      origin.0.replace(with: own.0, where: stays.0)
      origin.1.replace(with: own.1, where: stays.1)
      best.0 = total.0 &+ load(costs.pointer + place)
      best.1 = total.1 &+ load(costs.pointer + place + 8)
      store(origin.0, place)
      store(origin.1, place + 8)
      // The least total, and of equals the lowest book.
      let four = SIMD8<Int32>(repeating: 4)
      var keys = best.0 &<< four | own.0
      let others = best.1 &<< four | own.1
      keys.replace(with: others, where: others .< keys)
      var half = keys.lowHalf
      half.replace(with: keys.highHalf, where: keys.highHalf .< half)
      let least = min(min(half[0], half[1]), min(half[2], half[3]))
      cheapest = least >> 4
      cheapestBook = least & 15
    }
    return Int(cheapestBook)
  }

  @inline(__always)
  private func load(_ pointer: UnsafePointer<Int32>) -> SIMD8<Int32> {
    UnsafeRawPointer(pointer).loadUnaligned(as: SIMD8<Int32>.self)
  }

  @inline(__always)
  private func store(_ value: SIMD8<Int32>, _ place: Int) {
    UnsafeMutableRawPointer(cameFrom.pointer + place).storeBytes(of: value, as: SIMD8<Int32>.self)
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
    _ q: UnsafePointer<Int16>, _ count: Int, largest: Int, ownBooksOnly: Bool = false,
    into costs: UnsafeMutablePointer<Int32>
  ) {
    if largest == 0 {
      zeroBits(count, scaleFactor: 0, into: costs)
      return
    }
    for book in 0...11 { costs[book] = CodeLengths.impossible }
    if largest == 1 {
      Self.set(costs + 1, 4, Self.counted(q, count, QuadCount(signedQuads)).sums)
      if ownBooksOnly { return }
    } else if largest == 2 {
      Self.set(costs + 3, 2, Self.counted(q, count, QuadCount(quads), magnitudes: true).sums >> 32)
    }
    if largest <= 4 {
      Self.set(costs + 5, 4, Self.counted(q, count, PairCount(signedPairs, base: 9, fields: 4)).sums)
    } else if largest <= 7 {
      let sums = Self.counted(q, count, PairCount(pairs7, base: 8, fields: 4), magnitudes: true).sums
      Self.set(costs + 7, 4, sums)
    }
    if largest > 12 {
      costs[11] = Int32(
        truncatingIfNeeded: Self.counted(q, count, EscapeCount(self), magnitudes: true).bits)
    } else if largest > 7 || !ownBooksOnly {
      Self.set(
        costs + 9, 3,
        Self.counted(q, count, PairCount(pairs12, base: 13, fields: 3), magnitudes: true).sums)
    }
  }

  /// Bits of `count` zeros in every codebook, and of a scale factor with them in all but codebook 0.
  func zeroBits(_ count: Int, scaleFactor: Int32, into costs: UnsafeMutablePointer<Int32>) {
    costs[0] = 0
    Self.set(costs + 1, 4, signedQuads[0] &* UInt64(count / 4), and: scaleFactor)
    Self.set(costs + 5, 4, signedPairs[0] &* UInt64(count / 2), and: scaleFactor)
    Self.set(costs + 9, 3, pairs12[0] &* UInt64(count / 2), and: scaleFactor)
  }

  @inline(__always)
  private static func set(
    _ costs: UnsafeMutablePointer<Int32>, _ count: Int, _ sums: UInt64, and more: Int32 = 0
  ) {
    for index in 0..<count {
      costs[index] = Int32(truncatingIfNeeded: sums >> UInt64(16 * index) & 0xFFFF) &+ more
    }
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
