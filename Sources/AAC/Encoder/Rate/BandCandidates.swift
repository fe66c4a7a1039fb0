import DSP

/// What each band of one channel costs, in noise and in bits, at some scale factors around the one that
/// theory gives: the choices that the scale factor search picks from.
struct BandCandidates: Sendable {
  /// A band left out costs more than its energy: a hole is heard where noise is not.
  static let holePenalty: Float = 2

  let grid: CandidateGrid
  private(set) var table = CandidateTable(bandCapacity: ChannelStream.bandCapacity)
  private let counter = BitCounter.shared
  private let steps = QuantizerSteps.table

  init(effort: EffortPlan) { grid = effort.grid }

  /// The least that each band costs, left out or coded with some candidate.
  func leastCosts(bandCount: Int, price: Float, into costs: inout [Float]) {
    table.leastCosts(bandCount: bandCount, price: price, into: &costs)
  }

  /// Takes over what another channel measured for bands: bit b of `bands` is for band `start + b`.
  mutating func adopt(_ bands: UInt64, from start: Int, of other: BandCandidates) {
    table.adopt(bands, from: start, of: other.table)
  }

  /// Takes note that nothing is in a band.
  mutating func leaveOut(band: Int) { table.leaveOut(band: band) }

  /// - Parameters:
  ///   - magnitudes, powers: |x| and |x|^¾ in coded order.
  ///   - ranges: lines of each coded band.
  ///   - weights: noise-to-mask ratio of a unit of noise energy, by coded band.
  ///   - price: noise-to-mask ratio that one bit is worth.
  mutating func fill(
    magnitudes: [Float], powers: [Float], ranges: [Range<Int>], bandCount: Int, weights: [Float],
    price: Float
  ) {
    table.fill(
      BandLines(
        magnitudes: magnitudes, powers: powers, ranges: ranges, bandCount: bandCount, weights: weights),
      grid: grid, price: price, holePenalty: Self.holePenalty, steps: steps, lengths: counter.lengths)
  }
}
