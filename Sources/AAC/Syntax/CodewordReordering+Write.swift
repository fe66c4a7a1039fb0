extension CodewordReordering {
  /// The lines of `stream`, whose codewords they must fit, with the lengths that stand before them.
  mutating func data(
    of stream: ChannelStream, bands: ScaleFactorBands
  ) -> (lengths: Lengths, bits: [Bool]) {
    sort(stream, bands: bands)
    let words = codewords.map { Self.bits(of: $0, in: stream.spectrum) }
    let lengths = Lengths(
      data: words.reduce(0) { $0 + $1.count }, longestCodeword: words.map(\.count).max() ?? 0)
    cut(lengths)
    var bits = [Bool](repeating: false, count: lengths.data)
    for index in segments.indices {
      let word = words[index]
      bits.replaceSubrange(segments[index].start..<segments[index].start + word.count, with: word)
      takeFromLeft(word.count, ofSegment: index)
    }
    // The turns hand out codewords in order, so that `next` finds each one's bits by its line.
    var wordOfLine = [Int16: Int]()
    for (index, codeword) in codewords.enumerated() { wordOfLine[codeword.line] = index }
    try? forEachTurn { codeword, segment, fromRight throws(AACError) in
      let word = words[wordOfLine[codeword.line] ?? 0]
      while codeword.count < word.count, segment.start < segment.end {
        let place = fromRight ? segment.end - 1 : segment.start
        bits[place] = word[codeword.count]
        codeword.count += 1
        if fromRight { segment.end -= 1 } else { segment.start += 1 }
      }
      codeword.isComplete = codeword.count == word.count
    }
    return (lengths, bits)
  }

  private static func bits(of codeword: Codeword, in spectrum: [Int16]) -> [Bool] {
    let book = SpectralCodebook.all[Int(min(codeword.codebook, Codebook.escape))]
    let line = Int(codeword.line)
    var writer = BitWriter()
    SpectralData.write(spectrum, line..<line + book.dimension, book: book, to: &writer)
    let count = writer.bitCount
    writer.alignToByte()
    return (0..<count).map { writer.bytes[$0 / 8] >> UInt8(7 - $0 % 8) & 1 != 0 }
  }
}
