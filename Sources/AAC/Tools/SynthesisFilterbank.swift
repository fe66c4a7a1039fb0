import DSP

/// From spectral lines to samples: inverse transform, window, overlap (ISO/IEC 14496-3, 4.6.11).
///
/// Holds tables and scratch only; a channel's memory is the `overlap` its caller keeps, so one filterbank
/// serves all channels, one after the other.
final class SynthesisFilterbank {
  /// N: samples a frame brings, 1024 or 960.
  let frameLength: Int
  private let slopes: FilterbankSlopes
  private let long: MDCT
  private let short: MDCT
  /// Eight short blocks overlapped: 9·N/8 values, which begin at the frame's sample (N − N/8)/2.
  private var shorts: [Float]
  private var shortOverlap: [Float]

  init(frameLength: Int) {
    precondition(frameLength == 1024 || frameLength == 960, "1024 or 960 samples in a frame")
    self.frameLength = frameLength
    slopes = FilterbankSlopes(frameLength: frameLength)
    long = MDCT(lines: frameLength, inverseGain: 1 / 32768)
    short = MDCT(lines: frameLength / 8, inverseGain: 1 / 32768)
    shorts = [Float](repeating: 0, count: frameLength + frameLength / 8)
    shortOverlap = [Float](repeating: 0, count: frameLength / 8)
  }

  /// Decodes one frame of one channel into N samples at `offset`; full scale is ±1.0.
  ///
  /// - Parameters:
  ///   - spectrum: N lines; for `.eightShort` eight windows of N/8 lines, window after window.
  ///   - shape: the frame's window shape, which shapes its falling slope.
  ///   - previousShape: the window shape of the frame before, which shapes the rising slope.
  ///   - overlap: the channel's N values from the frame before (zeros at the start); replaced.
  func synthesize(
    _ spectrum: [Float], sequence: WindowSequence, shape: WindowShape, previousShape: WindowShape,
    overlap: inout [Float], into output: inout [Float], at offset: Int
  ) {
    guard sequence == .eightShort else {
      long.inverse(
        spectrum, at: 0, leftSlope: slopes.left(sequence, previousShape),
        rightSlope: slopes.right(sequence, shape), overlap: &overlap, into: &output, at: offset)
      return
    }
    let lines = frameLength / 8
    let flat = (frameLength - lines) / 2
    let slope = slopes.short(shape)
    SpectralKernels.clear(&shortOverlap, range: 0..<lines)
    for window in 0..<8 {
      short.inverse(
        spectrum, at: window * lines, leftSlope: window == 0 ? slopes.short(previousShape) : slope,
        rightSlope: slope, overlap: &shortOverlap, into: &shorts, at: window * lines)
    }
    SpectralKernels.copy(shortOverlap, range: 0..<lines, to: &shorts, at: frameLength)
    // The frame's own overlap reaches over all N samples when the block before ended in a long slope.
    SpectralKernels.copy(overlap, range: 0..<frameLength, to: &output, at: offset)
    SpectralKernels.addScaled(
      shorts, range: 0..<(frameLength - flat), gain: 1, to: &output, at: offset + flat)
    SpectralKernels.copy(shorts, range: (frameLength - flat)..<shorts.count, to: &overlap, at: 0)
    SpectralKernels.clear(&overlap, range: (flat + lines)..<frameLength)
  }

  /// Lets an overlap end with a short slope, in the middle, instead of a long one.
  func shorten(_ overlap: inout [Float], shape: WindowShape) {
    let lines = frameLength / 8
    let flat = (frameLength - lines) / 2
    let slope = slopes.short(shape)
    for index in 0..<lines { overlap[flat + index] *= slope[lines - 1 - index] }
    SpectralKernels.clear(&overlap, range: (flat + lines)..<frameLength)
  }
}
