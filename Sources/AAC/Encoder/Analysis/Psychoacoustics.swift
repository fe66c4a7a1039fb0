import DSP

/// Turns the spectrum of a window into the price of noise: for each scale factor band the factor by which
/// noise energy, in squared line units, becomes a noise-to-mask ratio.
final class Psychoacoustics {
  typealias Memory = MaskingModel.Memory

  private let model: MaskingModel

  /// - Parameter preEchoLimit: how far the mask may rise from one window to the next.
  init(grid: MaskingGrid, bandOffsets: [Int], preEchoLimit: Float, spreadsQuickly: Bool) {
    model = MaskingModel(
      MaskingPartitions(
        firstLine: grid.firstLine, earWeight: grid.earWeight, internalNoise: grid.internalNoise,
        maskingRatio: grid.maskingRatio, upperSlope: grid.upperSlope, forwardDecay: grid.forwardDecay,
        lineWeight: grid.lineWeight, slopeByLevel: grid.slopeByLevel, lowerRatio: grid.lowerRatio,
        levelOffset: grid.levelOffset, preEchoLimit: preEchoLimit),
      bandOffsets: bandOffsets, spreadsQuickly: spreadsQuickly)
  }

  func makeMemory() -> Memory { model.makeMemory() }

  /// How far the mask may stand over a partition's own sound at a price of bits, as a power ratio. Where bits are
  /// cheap, sounds deep under others' masks are coded too, instead of being left out for long.
  static func highestMask(price: Float) -> Float {
    let octaves = min(max(Math.log2(price / usualPrice), -1), 8)
    return Math.exp2((27 + 11 * octaves) * octavesPerDecibel)
  }

  /// The price at which typical music takes some 56 kbit/s a channel.
  private static let usualPrice: Float = 0.0085
  private static let octavesPerDecibel: Float = 0.332_193

  /// Writes one weight for each band to `weights[offset...]`.
  ///
  /// - Parameters:
  ///   - spectrum: MDCT lines of the window, from `line` on.
  ///   - sines: the MDST lines in the same places; `nil`: estimated.
  ///   - highestMask: how far the mask may stand over a partition's own sound, as a power ratio.
  func analyze(
    _ spectrum: [Float], sines: [Float]? = nil, at line: Int, highestMask: Float = .infinity,
    memory: inout Memory,
    weights: inout [Float], at offset: Int
  ) {
    model.analyze(
      spectrum, sines: sines, at: line, highestMask: highestMask, memory: &memory, weights: &weights,
      at: offset)
  }
}
