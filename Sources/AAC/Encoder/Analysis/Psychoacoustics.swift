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

  /// Writes one weight for each band to `weights[offset...]`.
  ///
  /// - Parameters:
  ///   - spectrum: MDCT lines of the window, from `line` on.
  ///   - sines: the MDST lines in the same places; `nil`: estimated.
  func analyze(
    _ spectrum: [Float], sines: [Float]? = nil, at line: Int, memory: inout Memory,
    weights: inout [Float], at offset: Int
  ) {
    model.analyze(
      spectrum, sines: sines, at: line, memory: &memory, weights: &weights, at: offset)
  }
}
