import Testing

@testable import AAC

/// The counter against the writer.
struct BitCounterTests {
  @Test func countsWhatIsWritten() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let bands = ScaleFactorBands.at(44100)
    var costs = [Int32](repeating: 0, count: 12)
    for largest in [1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 17, 300, 8191] {
      for _ in 0..<20 {
        var stream = ChannelStream()
        stream.info.maxBand = 1
        let width = bands.long[1]
        for line in 0..<width { stream.spectrum[line] = Int16(random.int(-largest...largest)) }
        stream.spectrum[0] = Int16(largest)
        BitCounter.shared.allBits(stream.spectrum, 0..<width, largest: largest, into: &costs, at: 0)
        for book in 1...11 where Int(costs[book]) < BitCounter.impossible {
          stream.codebooks[0] = UInt8(book)
          var bits = BitWriter()
          SpectralData.write(stream, to: &bits, bands: bands)
          #expect(bits.bitCount == Int(costs[book]), "book \(book), largest \(largest), seed \(seed)")
        }
        let exact = costs[1...11].min().map(Int.init) ?? 0
        let estimate = BitCounter.shared.bestBits(stream.spectrum, 0..<width, largest: largest)
        // Books 1, 2, 5 and 6 are averaged over signs, and fewer books are tried.
        #expect(estimate >= exact - 3 && estimate <= exact + 8, "largest \(largest), seed \(seed)")
      }
    }
  }
}
