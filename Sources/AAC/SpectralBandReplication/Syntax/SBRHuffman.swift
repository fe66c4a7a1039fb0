/// The decoding tables of the prefix codes, built once.
enum SBRHuffman {
  struct Table: Sendable {
    let book: HuffmanCodebook
    let largest: Int

    init(_ book: SBRCodebook) {
      self.book = HuffmanCodebook(
        lengths: book.lengths, codewords: book.codewords, meaning: book.lengths.indices.map { UInt32($0) })
      largest = book.largest
    }

    @inline(__always)
    func decode(_ bits: inout BitReader) throws(AACError) -> Int { try book.decode(&bits) - largest }
  }

  /// By balance (2), coarse steps (1).
  private static let time = [
    Table(.timeFine), Table(.timeCoarse), Table(.timeFineBalance), Table(.timeCoarseBalance),
  ]
  private static let frequency = [
    Table(.frequencyFine), Table(.frequencyCoarse), Table(.frequencyFineBalance),
    Table(.frequencyCoarseBalance),
  ]
  private static let timeNoise = [Table(.timeNoise), Table(.timeNoiseBalance)]

  static func envelope(time isTime: Bool, coarse: Bool, balance: Bool) -> Table {
    let index = (balance ? 2 : 0) + (coarse ? 1 : 0)
    return isTime ? time[index] : frequency[index]
  }

  static func noise(time isTime: Bool, balance: Bool) -> Table {
    isTime ? timeNoise[balance ? 1 : 0] : envelope(time: false, coarse: true, balance: balance)
  }
}
