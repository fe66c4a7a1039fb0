/// The decoding tables of the prefix codes of parametric stereo, built once.
enum PSHuffman {
  struct Table: Sendable {
    let book: HuffmanCodebook
    let offset: Int

    init(_ book: PSCodebook) {
      self.book = HuffmanCodebook(
        lengths: book.lengths, codewords: book.codewords, meaning: book.lengths.indices.map { UInt32($0) })
      offset = book.offset
    }

    @inline(__always)
    func decode(_ bits: inout BitReader) throws(AACError) -> Int { try book.decode(&bits) - offset }
  }

  private static let intensities = [
    Table(.iidCoarseFreq), Table(.iidCoarseTime), Table(.iidFineFreq), Table(.iidFineTime),
  ]
  private static let coherences = [Table(.iccFreq), Table(.iccTime)]
  private static let phases = [Table(.ipdFreq), Table(.ipdTime), Table(.opdFreq), Table(.opdTime)]

  static func intensity(time: Bool, fine: Bool) -> Table { intensities[(fine ? 2 : 0) + (time ? 1 : 0)] }
  static func coherence(time: Bool) -> Table { coherences[time ? 1 : 0] }
  static func phase(time: Bool, overall: Bool) -> Table { phases[(overall ? 2 : 0) + (time ? 1 : 0)] }
}
