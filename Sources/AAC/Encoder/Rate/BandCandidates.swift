import DSP

/// What each band of one channel costs, in noise and in bits, at some scale factors around the one that
/// theory gives: the choices that the scale factor search picks from.
struct BandCandidates: Sendable {
  /// Reach of the candidates above the lowest one, and below the estimate, in scale factors.
  private static let reach = 12
  private static let below = 5
  /// Noise-to-mask cost of an impossible candidate.
  static let impossible = Float.greatestFiniteMagnitude / 4
  /// A band left out costs more than its energy: a hole is heard where noise is not.
  static let holePenalty: Float = 2

  /// Candidates of each band.
  let count: Int
  /// Scale factors from one candidate to the next.
  let spacing: Int
  private let roundings: [Float]
  /// Smallest scale factor of each band's candidates; −1 where the band is not worth a bit.
  private(set) var first = [Int](repeating: 0, count: ChannelStream.bandCapacity)
  /// Weighted noise of candidate `band * count + index`.
  private(set) var noise: [Float]
  private(set) var bits: [Float]
  /// Quantiser offset of each candidate.
  private(set) var rounding: [Float]
  /// Weighted noise of a band that is left out, its penalty included.
  private(set) var zeroNoise = [Float](repeating: 0, count: ChannelStream.bandCapacity)
  private var quantized = [Int16](repeating: 0, count: 1024)

  init(effort: EffortPlan) {
    spacing = effort.spacing
    count = Self.reach / effort.spacing
    roundings = effort.roundings
    noise = [Float](repeating: 0, count: ChannelStream.bandCapacity * count)
    bits = noise
    rounding = noise
  }

  /// - Parameters:
  ///   - magnitudes, powers: |x| and |x|^¾ in coded order.
  ///   - ranges: lines of each coded band.
  ///   - weights: noise-to-mask ratio of a unit of noise energy, by coded band.
  ///   - price: noise-to-mask ratio that one bit is worth.
  mutating func fill(
    magnitudes: [Float], powers: [Float], ranges: [Range<Int>], bandCount: Int, weights: [Float],
    price: Float
  ) {
    for band in 0..<bandCount {
      let range = ranges[band]
      let weight = weights[band]
      zeroNoise[band] =
        SpectralKernels.energy(magnitudes, range: range) * weight * Self.holePenalty
      // Not worth the bits of even the smallest codeword and scale factor.
      if zeroNoise[band] <= 2 * price {
        first[band] = -1
        continue
      }
      let roots = SpectralKernels.sumOfRoots(magnitudes, range: range)
      let estimate = Self.scaleFactor(
        lines: range.count, roots: roots, weight: weight, price: price)
      first[band] = min(max(estimate - Self.below, 0), 255 - Self.reach)
      let row = band * count
      for index in 0..<count {
        noise[row + index] = Self.impossible
        bits[row + index] = 0
      }
      for offset in roundings {
        Self.measure(
          magnitudes: magnitudes, powers: powers, range: range, weight: weight, first: first[band],
          spacing: spacing, row: row, count: count, offset: offset, price: price, noise: &noise,
          bits: &bits, rounding: &rounding, quantized: &quantized)
      }
    }
  }

  /// The scale factor at which one more bit buys what it costs. For a fine quantiser noise is
  /// λn / (2 ln 2 · weight), and a step s makes noise of 4/27 · s^(3/2) Σ√|x|.
  private static func scaleFactor(lines: Int, roots: Float, weight: Float, price: Float) -> Int {
    let noise = price * Float(lines) * 0.721_347_5 / weight
    let step = Math.log2(noise / (0.148_148 * max(roots, 1e-9))) * (2.0 / 3.0)
    return Int(min(max(100 + 4 * step, 0), 255).rounded())
  }

  private static func measure(
    magnitudes: [Float], powers: [Float], range: Range<Int>, weight: Float, first: Int, spacing: Int,
    row: Int, count: Int, offset: Float, price: Float, noise: inout [Float], bits: inout [Float],
    rounding: inout [Float], quantized: inout [Int16]
  ) {
    for index in 0..<count {
      let scaleFactor = first + index * spacing
      let (largest, error) = SpectralKernels.quantizeMeasuringError(
        magnitudes, powers: powers, range: range,
        multiplier: QuantizerSteps.multiplier(scaleFactor), rounding: offset,
        step: QuantizerSteps.step(scaleFactor), into: &quantized)
      // Coarser steps leave nothing either.
      if largest == 0 { return }
      let size = Float(BitCounter.shared.bestBits(quantized, range, largest: largest))
      let place = row + index
      if error * weight + price * size < noise[place] + price * bits[place] {
        noise[place] = error * weight
        bits[place] = size
        rounding[place] = offset
      }
    }
  }
}
