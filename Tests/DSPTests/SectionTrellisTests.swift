import Testing

@testable import DSP

/// Codebooks of bands against all that sections could cost, with codeword lengths made up.
struct SectionTrellisTests {
  /// Tables by `CodeLengths`' order, whose fields of 16 bits are the books from `firstBook` on.
  private struct Tables {
    var signedQuads: [UInt64]
    var quads: [UInt64]
    var signedPairs: [UInt64]
    var pairs4: [UInt64]
    var pairs7: [UInt64]
    var pairs12: [UInt64]
    var pairs16: [UInt64]

    init(_ random: inout Generator) {
      func table(_ count: Int, _ fields: Int, _ random: inout Generator) -> [UInt64] {
        (0..<count).map { _ in
          (0..<fields).reduce(UInt64(0)) { $0 | UInt64.random(in: 1...20, using: &random) << UInt64(16 * $1) }
        }
      }
      signedQuads = table(81, 4, &random)
      quads = table(81, 4, &random)
      signedPairs = table(81, 4, &random)
      pairs4 = table(25, 4, &random)
      pairs7 = table(64, 4, &random)
      pairs12 = table(169, 3, &random)
      pairs16 = table(289, 1, &random)
    }

    var lengths: CodeLengths {
      CodeLengths(
        signedQuads: signedQuads, quads: quads, signedPairs: signedPairs, pairs4: pairs4, pairs7: pairs7,
        pairs12: pairs12, pairs16: pairs16)
    }

    /// Bits of lines in a book, line by line; `nil`: not counted.
    func bits(_ lines: ArraySlice<Int16>, book: Int, ownBooksOnly: Bool) -> Int? {
      let values = lines.map(Int.init)
      let magnitudes = values.map(abs)
      let largest = magnitudes.max() ?? 0
      func sum(_ table: [UInt64], _ field: Int, _ values: [Int], _ size: Int, base: Int, low: Int) -> Int {
        stride(from: 0, to: values.count, by: size).reduce(0) { sum, start in
          let index = values[start..<start + size].reduce(0) { $0 * base + $1 - low }
          return sum + Int(table[index] >> UInt64(16 * field) & 0xFFFF)
        }
      }
      switch (largest, book) {
      case (0, 0): return 0
      case (0, 1...4): return sum(signedQuads, book - 1, values, 4, base: 3, low: -1)
      case (0, 5...8): return sum(signedPairs, book - 5, values, 2, base: 9, low: -4)
      case (0, _): return sum(pairs12, book - 9, values, 2, base: 13, low: 0)
      case (1, 1...4): return sum(signedQuads, book - 1, values, 4, base: 3, low: -1)
      case (1, _) where ownBooksOnly: return nil
      case (2, 3...4): return sum(quads, book - 1, magnitudes, 4, base: 3, low: 0)
      case (...4, 5...8): return sum(signedPairs, book - 5, values, 2, base: 9, low: -4)
      case (5...7, 9...10) where !ownBooksOnly:
        return sum(pairs12, book - 9, magnitudes, 2, base: 13, low: 0)
      case (5...7, 7...10): return sum(pairs7, book - 7, magnitudes, 2, base: 8, low: 0)
      case (...7, _) where ownBooksOnly: return nil
      case (...12, 9...11): return sum(pairs12, book - 9, magnitudes, 2, base: 13, low: 0)
      case (13..., 11):
        let escapes = magnitudes.filter { $0 >= 16 }.map {
          2 * (Int.bitWidth - 1 - $0.leadingZeroBitCount) - 3
        }
        return sum(pairs16, 0, magnitudes.map { min($0, 16) }, 2, base: 17, low: 0) + escapes.reduce(0, +)
      default: return nil
      }
    }
  }

  @Test(arguments: [false, true]) func sectionsCostLeast(ownBooksOnly: Bool) {
    var random = Generator(seed: printedSeed(#function))
    let sectionBits = 9
    var tables = Tables(&random)
    for round in 0..<60 {
      if round % 10 == 0 { tables = Tables(&random) }
      let bandCount = Int.random(in: 1...12, using: &random)
      var ranges: [Range<Int>] = []
      var lines: [Int16] = []
      var largest: [Int] = []
      for _ in 0..<bandCount {
        let width = 4 * Int.random(in: 1...5, using: &random)
        let limit = [0, 0, 1, 2, 4, 7, 12, 15, 16, 300, 8191].randomElement(using: &random) ?? 0
        let band = (0..<width).map { _ in Int16(Int.random(in: -limit...limit, using: &random)) }
        ranges.append(lines.count..<lines.count + width)
        largest.append(band.map { abs(Int($0)) }.max() ?? 0)
        lines += band
      }
      let costs = ranges.map { range in
        (0...11).map { tables.bits(lines[range], book: $0, ownBooksOnly: ownBooksOnly) }
      }
      // What the best way to each book comes to; a band of zeros in a book has a scale factor.
      var best = [Int?](repeating: nil, count: 12)
      var cheapest = 0
      for band in 0..<bandCount {
        best = (0...11).map { book in
          guard let cost = costs[band][book] else { return nil }
          return min(best[book] ?? .max, cheapest + sectionBits) + cost
            + (largest[band] == 0 && book > 0 ? 1 : 0)
        }
        cheapest = best.compactMap { $0 }.min() ?? 0
      }

      let trellis = SectionTrellis(
        lengths: tables.lengths, bandCapacity: bandCount, ownBooksOnly: ownBooksOnly)
      var codebooks = [UInt8](repeating: 99, count: bandCount)
      trellis.choose(
        lines, ranges: ranges, largest: largest, bands: 0..<bandCount, sectionBits: sectionBits,
        into: &codebooks)
      var lineBits = 0
      var total = 0
      for band in 0..<bandCount {
        let book = Int(codebooks[band])
        guard let cost = costs[band][book] else {
          Issue.record("book \(book) cannot code a largest value of \(largest[band])")
          return
        }
        lineBits += cost
        total += cost + (largest[band] == 0 && book > 0 ? 1 : 0)
        if band == 0 || codebooks[band] != codebooks[band - 1] { total += sectionBits }
      }
      #expect(total == cheapest)
      #expect(trellis.lineBits(in: codebooks, largest: largest, bands: 0..<bandCount) == lineBits)
      // Books that send nothing, such as that of substituted noise.
      #expect(
        trellis.lineBits(
          in: [UInt8](repeating: 13, count: bandCount), largest: largest, bands: 0..<bandCount) == 0)
    }
  }
}
