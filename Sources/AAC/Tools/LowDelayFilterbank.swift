import DSP

/// The filterbank of low-delay streams: 512 or 480 lines, no short windows, and a window of little overlap in
/// place of the Kaiser–Bessel derived one (4.6.17.2).
///
/// Holds tables and scratch only; see `SynthesisFilterbank`.
final class LowDelayFilterbank {
  private let transform: MDCT
  private let sine: [Float]
  /// N/4 values between zeros and ones.
  private let lowOverlap: [Float]

  init(frameLength: Int) {
    precondition(frameLength == 512 || frameLength == 480, "512 or 480 samples in a frame")
    transform = MDCT(lines: frameLength, forwardGain: 32768, inverseGain: 1 / 32768)
    sine = Window.sine(length: frameLength)
    lowOverlap = Window.sine(length: frameLength / 4)
  }

  private func slope(_ shape: WindowShape) -> [Float] { shape == .sine ? sine : lowOverlap }

  /// Decodes one frame; see `SynthesisFilterbank.synthesize`.
  func synthesize(
    _ spectrum: [Float], shape: WindowShape, previousShape: WindowShape, overlap: inout [Float],
    into output: inout [Float], at offset: Int
  ) {
    transform.inverse(
      spectrum, at: 0, leftSlope: slope(previousShape), rightSlope: slope(shape), overlap: &overlap,
      into: &output, at: offset)
  }

  /// Transforms 2N samples; see `AnalysisFilterbank.analyze`.
  func analyze(
    _ time: [Float], at offset: Int, shape: WindowShape, previousShape: WindowShape,
    into spectrum: inout [Float]
  ) {
    transform.forward(
      time, at: offset, leftSlope: slope(previousShape), rightSlope: slope(shape), into: &spectrum, at: 0)
  }
}
