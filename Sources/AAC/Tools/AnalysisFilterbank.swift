import DSP

/// From samples to spectral lines: window and transform, the counterpart of `SynthesisFilterbank`.
///
/// Holds tables and scratch only: one filterbank serves all channels, one after the other.
final class AnalysisFilterbank {
  /// N: samples a frame advances, 1024 or 960.
  let frameLength: Int
  private let slopes: FilterbankSlopes
  private let long: MDCT
  private let short: MDCT
  private var backwards: [Float] = []

  init(frameLength: Int) {
    precondition(frameLength == 1024 || frameLength == 960, "1024 or 960 samples in a frame")
    self.frameLength = frameLength
    backwards = [Float](repeating: 0, count: 2 * frameLength)
    slopes = FilterbankSlopes(frameLength: frameLength)
    long = MDCT(lines: frameLength, forwardGain: 32768)
    short = MDCT(lines: frameLength / 8, forwardGain: 32768)
  }

  /// Transforms the 2N samples at `offset` (full scale ±1.0) to N lines at the start of `spectrum`; for
  /// `.eightShort` eight windows of N/8 lines, window after window.
  ///
  /// Blocks N samples apart, synthesised in turn, give the samples back where they overlap, provided that
  /// neighbours agree on their common slope: `previousShape` is the shape of the block before, and a slope is
  /// short on both sides or on neither.
  func analyze(
    _ time: [Float], at offset: Int, sequence: WindowSequence, shape: WindowShape,
    previousShape: WindowShape, into spectrum: inout [Float]
  ) {
    guard sequence == .eightShort else {
      long.forward(
        time, at: offset, leftSlope: slopes.left(sequence, previousShape),
        rightSlope: slopes.right(sequence, shape), into: &spectrum, at: 0)
      return
    }
    let lines = frameLength / 8
    let flat = (frameLength - lines) / 2
    let slope = slopes.short(shape)
    for window in 0..<8 {
      short.forward(
        time, at: offset + flat + window * lines,
        leftSlope: window == 0 ? slopes.short(previousShape) : slope, rightSlope: slope,
        into: &spectrum, at: window * lines)
    }
  }

  /// The sine parts of the lines that `analyze` gives for a long window, with signs of no account: the lines
  /// of the sound turned backwards.
  func analyzeSines(
    _ time: [Float], at offset: Int, sequence: WindowSequence, shape: WindowShape,
    previousShape: WindowShape, into spectrum: inout [Float]
  ) {
    SpectralKernels.reverse(time, range: offset..<offset + 2 * frameLength, into: &backwards)
    long.forward(
      backwards, at: 0, leftSlope: slopes.right(sequence, shape),
      rightSlope: slopes.left(sequence, previousShape), into: &spectrum, at: 0)
  }
}
