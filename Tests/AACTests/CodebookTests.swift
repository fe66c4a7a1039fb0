import Testing

@testable import AAC

@Suite struct CodebookTests {
  /// Lengths, codewords and the decoding table of every book.
  static let books: [(name: String, lengths: [UInt8], codewords: [UInt32], table: HuffmanCodebook)] =
    [
      (
        "scale factors", ScaleFactorCodebook.lengths, ScaleFactorCodebook.codewords,
        HuffmanTables.scaleFactors
      )
    ]
    + (1...11).map {
      let book = SpectralCodebook.all[$0]
      return ("book \($0)", book.lengths, book.codewords.map { UInt32($0) }, HuffmanTables.spectral[$0])
    }

  @Test func codesAreComplete() {
    for book in Self.books {
      let sum = book.lengths.reduce(0) { $0 + 1 << (24 - Int($1)) }
      #expect(sum == 1 << 24, "\(book.name): Kraft sum")
      #expect(book.lengths.count == book.codewords.count, "\(book.name)")
    }
  }

  @Test func codesArePrefixFree() {
    for book in Self.books {
      // Left-aligned codewords in ascending order: each must start where the one before ends.
      let words = zip(book.codewords, book.lengths).map { word, length in
        (start: Int(word) << (24 - Int(length)), size: 1 << (24 - Int(length)))
      }.sorted { $0.start < $1.start }
      var next = 0
      for word in words {
        #expect(word.start == next, "\(book.name)")
        next = word.start + word.size
      }
      #expect(next == 1 << 24, "\(book.name)")
    }
  }

  @Test func everySymbolDecodesToItself() throws {
    for (number, book) in Self.books.enumerated() {
      for symbol in book.lengths.indices {
        var writer = BitWriter()
        writer.put(Int(book.codewords[symbol]), Int(book.lengths[symbol]))
        writer.put(symbol & 1 == 0 ? 0 : 0xFFFF, 16)
        writer.alignToByte()
        var reader = BitReader(writer.bytes)
        let meaning = try book.table.decode(&reader)
        #expect(reader.position == Int(book.lengths[symbol]), "\(book.name), symbol \(symbol)")
        if number == 0 {
          #expect(meaning == symbol)
        } else {
          let values = SpectralCodebook.all[number].values(at: symbol)
          for (place, value) in values.enumerated() {
            #expect(meaning >> (5 * place) & 31 == value & 31, "\(book.name), symbol \(symbol)")
          }
        }
      }
    }
  }

  @Test func sizesFollowFromTheLargestValue() {
    for book in SpectralCodebook.all.dropFirst() {
      let base = book.isSigned ? 2 * book.lav + 1 : book.lav + 1
      #expect(book.lengths.count == (0..<book.dimension).reduce(1) { size, _ in size * base })
    }
  }

  @Test(arguments: [1024, 960]) func b017_bandsAscendInStepsOfFour(frameLength: Int) throws {
    for hertz in SamplingRate.indexed {
      let bands = ScaleFactorBands.at(hertz, frameLength: frameLength)
      for (offsets, end) in [(bands.long, frameLength), (bands.short, frameLength / 8)] {
        #expect(offsets.first == 0)
        #expect(offsets.last == end, "\(hertz) Hz")
        for (low, high) in zip(offsets, offsets.dropFirst()) {
          #expect(low < high && (high - low) % 4 == 0, "\(hertz) Hz")
        }
      }
      #expect(bands.longCount <= 51 && bands.shortCount <= 15)
    }
  }
}
