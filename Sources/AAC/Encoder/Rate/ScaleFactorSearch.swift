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
  private(set) var rounding = [Float](repeating: 0, count: ChannelStream.bandCapacity)

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
}
