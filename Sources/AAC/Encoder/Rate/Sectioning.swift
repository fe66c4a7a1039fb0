/// Chooses the codebook of every band so that sections and lines together cost least (dynamic programming
/// over bands and codebooks; ISO/IEC 14496-3, 4.6.3).
struct Sectioning {
  private static let bookCount = 12

  private var costs = [Int32](repeating: 0, count: ChannelStream.bandCapacity * bookCount)
  private var best = [Int32](repeating: 0, count: ChannelStream.bandCapacity * bookCount)
  private var cameFrom = [UInt8](repeating: 0, count: ChannelStream.bandCapacity * bookCount)

  /// Sets `stream.codebooks` for the quantised lines in `stream.spectrum`.
  ///
  /// - Parameters:
  ///   - ranges: lines of each coded band.
  ///   - largest: largest magnitude in each band.
  mutating func choose(for stream: inout ChannelStream, ranges: [Range<Int>], largest: [Int]) {
    let bands = stream.info.maxBand
    guard bands > 0 else { return }
    let counter = BitCounter.shared
    let lengthBits = stream.info.isShort ? 3 : 5
    for group in 0..<stream.info.groupCount {
      let first = group * bands
      for band in first..<first + bands {
        counter.allBits(
          stream.spectrum, ranges[band], largest: largest[band], into: &costs,
          at: band * Self.bookCount)
        // A band of zeros in a book of its neighbours still sends a scale factor (a difference of 0).
        if largest[band] == 0 {
          for book in 1..<Self.bookCount { costs[band * Self.bookCount + book] += 1 }
        }
      }
      Self.solve(
        first: first, count: bands, sectionBits: Int32(4 + lengthBits), costs: costs, best: &best,
        cameFrom: &cameFrom)
      trace(first: first, count: bands, into: &stream.codebooks)
    }
  }

  private static func solve(
    first: Int, count: Int, sectionBits: Int32, costs: [Int32], best: inout [Int32],
    cameFrom: inout [UInt8]
  ) {
    var cheapest: Int32 = 0
    var cheapestBook: UInt8 = 0
    for band in first..<first + count {
      let row = band * bookCount
      var nextCheapest = Int32.max
      var nextBook: UInt8 = 0
      for book in 0..<bookCount {
        var total = cheapest + sectionBits
        var origin = cheapestBook
        if band > first {
          let stay = best[row - bookCount + book]
          if stay <= total {
            total = stay
            origin = UInt8(book)
          }
        }
        total += costs[row + book]
        best[row + book] = total
        cameFrom[row + book] = origin
        if total < nextCheapest {
          nextCheapest = total
          nextBook = UInt8(book)
        }
      }
      cheapest = nextCheapest
      cheapestBook = nextBook
    }
  }

  private func trace(first: Int, count: Int, into codebooks: inout [UInt8]) {
    var row = (first + count - 1) * Self.bookCount
    var book = 0
    for candidate in 1..<Self.bookCount where best[row + candidate] < best[row + book] {
      book = candidate
    }
    for band in (first..<first + count).reversed() {
      codebooks[band] = UInt8(book)
      book = Int(cameFrom[row + book])
      row -= Self.bookCount
    }
  }
}
