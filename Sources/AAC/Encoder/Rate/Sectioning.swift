import DSP

/// Chooses the codebook of every band so that sections and lines together cost least.
struct Sectioning {
  private let trellis: SectionTrellis

  init(effort: EffortPlan) {
    trellis = SectionTrellis(
      lengths: BitCounter.shared.lengths, bandCapacity: ChannelStream.bandCapacity,
      ownBooksOnly: effort.ownBooksOnly)
  }

  /// Sets `stream.codebooks` for the quantised lines in `stream.spectrum`.
  ///
  /// - Parameters:
  ///   - ranges: lines of each coded band.
  ///   - largest: largest magnitude in each band.
  func choose(for stream: inout ChannelStream, ranges: [Range<Int>], largest: [Int]) {
    let bands = stream.info.maxBand
    let sectionBits = SectionData.codebookBits + SectionData.lengthBits(short: stream.info.isShort)
    for group in 0..<stream.info.groupCount {
      trellis.choose(
        stream.spectrum, ranges: ranges, largest: largest, bands: group * bands..<(group + 1) * bands,
        sectionBits: sectionBits, into: &stream.codebooks)
    }
  }

  /// Bits of the lines of `stream` in the codebooks that it has now, chosen here but for substituted noise.
  func lineBits(of stream: ChannelStream, largest: [Int]) -> Int {
    trellis.lineBits(in: stream.codebooks, largest: largest, bands: 0..<stream.bandCount)
  }
}
