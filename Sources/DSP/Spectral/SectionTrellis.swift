/// Chooses the codebook of every band so that sections and lines together cost least: dynamic programming
/// over bands and codebooks (ISO/IEC 14496-3, 4.6.3).
public final class SectionTrellis {
  /// Places of a band in the tables: codebooks 0 to 11, and room.
  private static let stride = 16
  private static let bookCount = 12

  private let lengths: CodeLengths
  private let costs: TableStore<Int32>
  private let cameFrom: TableStore<Int32>

  public init(lengths: CodeLengths, bandCapacity: Int) {
    self.lengths = lengths
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
    for band in bands {
      let row = costs.pointer + band * Self.stride
      SpectralKernels.reading(spectrum, ranges[band]) { q in
        lengths.allBits(q, ranges[band].count, largest: largest[band], into: row)
      }
      // A band of zeros in a book of its neighbours still sends a scale factor (a difference of 0).
      if largest[band] == 0 {
        for book in 1..<Self.bookCount { row[book] += 1 }
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

  /// Bits of the best codebook for the magnitudes in `range`, a multiple of four lines; those of books that
  /// tell signs apart are means.
  public func bestBits(_ magnitudes: [Int16], _ range: Range<Int>, largest: Int) -> Int {
    precondition(range.count & 3 == 0, "whole tuples")
    return SpectralKernels.reading(magnitudes, range) { q in
      let count = range.count
      switch largest {
      case 0: return 0
      case 1: return Self.counted(q, count, QuadCount(quads)).bits
      case 2: return Self.counted(q, count, QuadCount(quads, firstField: 2)).bits
      case 3...4: return Self.counted(q, count, PairCount(pairs4, base: 5, fields: 4)).bits
      case 5...7: return Self.counted(q, count, PairCount(pairs7, base: 8, fields: 4)).bits
      case 8...12: return Self.counted(q, count, PairCount(pairs12, base: 13, fields: 3)).bits
      default: return Self.counted(q, count, EscapeCount(self)).bits
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
        allBits(q, range.count, largest: largest, into: costs)
      }
    }
  }

  func allBits(
    _ q: UnsafePointer<Int16>, _ count: Int, largest: Int, into costs: UnsafeMutablePointer<Int32>
  ) {
    for book in 0...11 { costs[book] = Self.impossible }
    if largest == 0 { costs[0] = 0 }
    if largest <= 2 {
      // Books 1 and 2 stop at 1; all four are in the table of signed values where it reaches.
      if largest <= 1 {
        Self.set(costs + 1, 4, Self.counted(q, count, QuadCount(signedQuads)).sums)
      } else {
        let sums = Self.counted(q, count, QuadCount(quads), magnitudes: true).sums
        Self.set(costs + 3, 2, sums >> 32)
      }
    }
    if largest <= 4 {
      Self.set(costs + 5, 4, Self.counted(q, count, PairCount(signedPairs, base: 9, fields: 4)).sums)
    } else if largest <= 7 {
      let sums = Self.counted(q, count, PairCount(pairs7, base: 8, fields: 4), magnitudes: true).sums
      Self.set(costs + 7, 4, sums)
      Self.set(costs + 11, 1, Self.counted(q, count, PairCount(pairs12, base: 13, fields: 3), magnitudes: true).sums >> 32)
      return
    }
    if largest <= 12 {
      Self.set(
        costs + 9, 3,
        Self.counted(q, count, PairCount(pairs12, base: 13, fields: 3), magnitudes: true).sums)
    } else {
      costs[11] = Int32(
        truncatingIfNeeded: Self.counted(q, count, EscapeCount(self), magnitudes: true).bits)
    }
  }

  @inline(__always)
  private static func set(_ costs: UnsafeMutablePointer<Int32>, _ count: Int, _ sums: UInt64) {
    for index in 0..<count {
      costs[index] = Int32(truncatingIfNeeded: sums >> UInt64(16 * index) & 0xFFFF)
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
