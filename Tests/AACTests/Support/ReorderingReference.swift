@testable import AAC

/// Huffman codeword reordering as the standard tells it, step by step (4.6.16.3.3).
struct ReorderingReference {
  private(set) var bits: [Bool] = []
  private(set) var longest = 0

  private struct Word {
    var number: Int
    var codebook: Int
    var bits: [Bool]
  }

  init(_ stream: ChannelStream, _ bands: ScaleFactorBands) {
    let words = Self.sorted(stream, bands)
    longest = words.map(\.bits.count).max() ?? 0
    let total = words.reduce(0) { $0 + $1.bits.count }
    // Segments, each with the bits it has got from its left and its right end.
    var widths: [Int] = []
    for word in words {
      let width = min(Self.largest(word.codebook), longest)
      if widths.reduce(0, +) + width > total { break }
      widths.append(width)
    }
    if !widths.isEmpty { widths[widths.count - 1] += total - widths.reduce(0, +) }
    let segments = widths.count
    var left = [[Bool]](repeating: [], count: segments)
    var right = [[Bool]](repeating: [], count: segments)
    for segment in 0..<segments { left[segment] = words[segment].bits }
    var set = 1
    while segments > 0, set * segments < words.count {
      var rest = words[(set * segments)..<min((set + 1) * segments, words.count)].map(\.bits)
      for trial in 0..<segments {
        for word in rest.indices {
          let segment = (trial + word) % segments
          while !rest[word].isEmpty, left[segment].count + right[segment].count < widths[segment] {
            let bit = rest[word].removeFirst()
            if set % 2 == 1 { right[segment].append(bit) } else { left[segment].append(bit) }
          }
        }
      }
      set += 1
    }
    for segment in 0..<segments { bits += left[segment] + right[segment].reversed() }
  }

  /// The longest codeword that a codebook can have, from the codebooks themselves: two escapes of the largest
  /// line that it allows. For codebooks 3 and 4 the standard's table has a bit more than there ever are.
  private static func largest(_ codebook: Int) -> Int {
    let book = SpectralCodebook.all[min(codebook, 11)]
    let largest = codebook < 16 ? 8191 : VirtualCodebooks.largestLines[codebook - 16]
    return (codebook == 3 || codebook == 4 ? 1 : 0)
      + (book.lengths.indices.map { index in
        let values = book.values(at: index)
        guard values.allSatisfy({ abs($0) <= largest }) else { return 0 }
        let signs = book.isSigned ? 0 : values.filter { $0 != 0 }.count
        let escapes = book.lav == 16 ? values.filter { $0 == 16 }.count : 0
        var prefix = 0
        while largest >> (prefix + 5) > 0 { prefix += 1 }
        return Int(book.lengths[index]) + signs + escapes * (2 * prefix + 5)
      }.max() ?? 0)
  }

  private static func sorted(_ stream: ChannelStream, _ bands: ScaleFactorBands) -> [Word] {
    let info = stream.info
    let windowLength = bands.frameLength / info.windowCount
    let offsets = bands.offsets(short: info.isShort)
    var words: [Word] = []
    var firstWindow = 0
    for group in 0..<info.groupCount {
      let windows = info.groupLengths[group]
      for band in 0..<info.maxBand {
        let index = group * info.maxBand + band
        let codebook = Int(max(stream.codebooks[index], stream.virtualCodebooks[index]))
        guard (1...11).contains(codebook) || codebook > 15 else { continue }
        let dimension = codebook < 5 ? 4 : 2
        let width = offsets[band + 1] - offsets[band]
        for window in 0..<windows {
          for line in stride(from: 0, to: width, by: dimension) {
            // assignedUnitNr, and the place in the unit.
            let unit = (offsets[band] + line) / 4 * 4
            let priority = [
              0, 21, 21, 20, 20, 19, 19, 18, 18, 17, 17, 0, 0, 0, 0, 0, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7,
              6, 5, 4, 3, 2, 1,
            ][codebook]
            let number = (priority * windowLength + unit) * info.windowCount + firstWindow + window
            let place = firstWindow * windowLength + windows * offsets[band] + window * width + line
            words.append(
              Word(
                number: number * 2 + line / 2 % 2, codebook: codebook,
                bits: bits(stream.spectrum, place, SpectralCodebook.all[min(codebook, 11)])))
          }
        }
      }
      firstWindow += windows
    }
    return words.sorted { $0.number < $1.number }
  }

  private static func bits(_ spectrum: [Int16], _ line: Int, _ book: SpectralCodebook) -> [Bool] {
    var writer = BitWriter()
    SpectralData.write(spectrum, line..<line + book.dimension, book: book, to: &writer)
    let count = writer.bitCount
    writer.alignToByte()
    return (0..<count).map { writer.bytes[$0 / 8] >> UInt8(7 - $0 % 8) & 1 != 0 }
  }
}
