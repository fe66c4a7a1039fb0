import DSP

/// The filterbank of enhanced low-delay streams: 512 or 480 lines under a window of four frames (4.6.20.2).
///
/// A frame's 4N samples are z[t] = -w[t]/N · Σ X[k] cos(π/N (t - N/2 + ½)(k + ½)), frames N apart. The window
/// starts with N/4 zeros, which a decoder does not wait for: the output begins behind them.
final class EnhancedLowDelayFilterbank {
  /// N.
  let frameLength: Int
  /// Values that a channel keeps from frame to frame.
  var overlapCount: Int { window.count - frameLength }
  private let transform: MDCT
  /// 15·N/4 values, the zeros left out.
  private let window: [Float]
  private var half: [Float]
  private var block: [Float]

  init(frameLength: Int) {
    precondition(frameLength == 512 || frameLength == 480, "512 or 480 samples in a frame")
    self.frameLength = frameLength
    transform = MDCT(lines: frameLength, inverseGain: 1 / 32768)
    window = frameLength == 512 ? EnhancedLowDelayWindow.lines512 : EnhancedLowDelayWindow.lines480
    half = [Float](repeating: 0, count: frameLength)
    block = [Float](repeating: 0, count: window.count)
  }

  /// Decodes one frame of one channel into N samples at `offset`; full scale is ±1.0.
  ///
  /// - Parameter overlap: the channel's `overlapCount` values from the frames before (zeros at the start).
  func synthesize(
    _ spectrum: [Float], overlap: inout [Float], into output: inout [Float], at offset: Int
  ) {
    transform.inverseHalf(spectrum, at: 0, into: &half, at: 0)
    Self.unfold(half, into: &block)
    SpectralKernels.multiply(&block, by: window)
    SpectralKernels.copy(overlap, range: 0..<frameLength, to: &output, at: offset)
    SpectralKernels.addScaled(block, range: 0..<frameLength, gain: 1, to: &output, at: offset)
    Self.shift(&overlap, by: frameLength)
    SpectralKernels.addScaled(block, range: frameLength..<block.count, gain: 1, to: &overlap, at: 0)
  }

  /// The 15·N/4 samples from N/4 on, before the window, that follow from the transform's N values.
  ///
  /// From N/2 on the values run forwards and backwards in turn; every second run of each kind is negative.
  private static func unfold(_ half: [Float], into block: inout [Float]) {
    let lines = half.count
    let first = lines / 4
    let second = first + lines
    let third = second + lines
    let fourth = third + lines
    for index in 0..<first { block[index] = half[first - 1 - index] }
    for index in 0..<lines {
      let value = half[index]
      block[first + index] = value
      block[third - 1 - index] = -value
      block[third + index] = -value
    }
    for index in 0..<lines / 2 { block[fourth + index] = half[lines - 1 - index] }
  }

  private static func shift(_ values: inout [Float], by count: Int) {
    let rest = values.count - count
    for index in 0..<rest { values[index] = values[index + count] }
    for index in rest..<values.count { values[index] = 0 }
  }
}

/// The windows of enhanced low delay; their values stand in files of their own.
enum EnhancedLowDelayWindow {}
