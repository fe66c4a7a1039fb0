import DSP

/// Picks a scale factor for every band of a channel so that noise-to-mask ratio plus price times bits is
/// least over all bands together, differences between neighbours included (a trellis).
struct ScaleFactorSearch {
  /// Chosen scale factor of each coded band, −1 where the band is left out.
  private(set) var chosen = [Int](repeating: -1, count: ChannelStream.bandCapacity)
  /// Bits of lines and scale factors of the choice, sections not counted.
  private(set) var bits: Float = 0
  /// Weighted noise of the choice.
  private(set) var noise: Float = 0
  /// Quantiser offset that goes with each choice.
  private(set) var rounding = [Float](repeating: Self.usualRounding, count: ChannelStream.bandCapacity)

  /// Scale factors that differ no more than this from the one before are not worth the bits to tell.
  private static let tolerance = 2
  /// The offset of choices that were not measured.
  private static let usualRounding: Float = 0.37

  private let trellis: ScaleFactorTrellis

  private static let deltaBits: [Float] = (-60...60).map { Float(ScaleFactors.bits(forDelta: $0)) }

  init(grid: CandidateGrid) {
    trellis = ScaleFactorTrellis(
      grid: grid, deltaBits: Self.deltaBits, bandCapacity: ChannelStream.bandCapacity)
  }

  mutating func run(_ candidates: BandCandidates, bandCount: Int, price: Float) {
    let outcome = trellis.run(
      candidates.table, bandCount: bandCount, price: price, chosen: &chosen, rounding: &rounding)
    bits = outcome.bits
    noise = outcome.noise
  }

  /// Chooses by theory alone, without noise or bits measured.
  mutating func estimate(_ sums: BandSums, bandCount: Int, weights: [Float], price: Float) {
    SpectralKernels.estimateScaleFactors(
      sums, bandCount: bandCount, weights: weights, price: price, leastNoise: price,
      tolerance: Self.tolerance, into: &chosen)
  }

  /// Leaves bands out in which quantising left nothing.
  mutating func leaveOut(_ largest: [Int], bandCount: Int) {
    for band in 0..<bandCount where largest[band] == 0 { chosen[band] = -1 }
  }
}
