/// The modified discrete cosine transform of N lines and its inverse, with windowing and overlap-add.
///
/// Forward: X[k] = 2·Σ_{n<2N} x[n]·cos(π/N·(n + (N+1)/2)(k + ½)), times `forwardGain`.
/// Inverse: x[n] = 1/N·Σ_{k<N} X[k]·cos(π/N·(n + (N+1)/2)(k + ½)), times `inverseGain`.
///
/// Windowing both ways with slopes as in `Window` and adding the halves of neighbouring blocks gives the
/// signal back. A slope shorter than N stands in the middle of its half: (N − slope)/2 zeros, the slope,
/// (N − slope)/2 ones.
///
/// An instance owns scratch memory: use it from one thread at a time.
public final class MDCT {
  /// N.
  public let lines: Int
  private let forwardCore: CosineTransform
  private let inverseCore: CosineTransform
  private let scratch: FloatStore

  /// The sizes of AAC's block lengths.
  public static let supportedLines = [1024, 960, 512, 480, 128, 120]

  public init(lines: Int, forwardGain: Double = 1, inverseGain: Double = 1) {
    precondition(MDCT.supportedLines.contains(lines), "1024, 960, 512, 480, 128 or 120 lines")
    self.lines = lines
    forwardCore = CosineTransform(size: lines, gain: -2 * forwardGain)
    inverseCore = CosineTransform(size: lines, gain: -inverseGain / Double(lines))
    scratch = FloatStore(count: lines)
  }

  // MARK: - Forward

  /// Transforms the 2N samples at `inputOffset`, unwindowed, into N lines at `spectrumOffset`.
  public func forward(
    _ input: [Float], at inputOffset: Int, into spectrum: inout [Float], at spectrumOffset: Int
  ) {
    check(input.count, inputOffset, 2 * lines)
    check(spectrum.count, spectrumOffset, lines)
    input.withUnsafeBufferPointer { input in
      spectrum.withUnsafeMutableBufferPointer { spectrum in
        guard let source = input.baseAddress, let target = spectrum.baseAddress else { return }
        WindowKernels.fold(source + inputOffset, lines, scratch.pointer)
        forwardCore.run(scratch.pointer, target + spectrumOffset)
      }
    }
  }

  /// Windows and transforms the 2N samples at `inputOffset` into N lines at `spectrumOffset`.
  ///
  /// Both slopes are given rising; the right one is used mirrored.
  public func forward(
    _ input: [Float], at inputOffset: Int, leftSlope: [Float], rightSlope: [Float],
    into spectrum: inout [Float], at spectrumOffset: Int
  ) {
    check(input.count, inputOffset, 2 * lines)
    check(spectrum.count, spectrumOffset, lines)
    check(leftSlope)
    check(rightSlope)
    input.withUnsafeBufferPointer { input in
      leftSlope.withUnsafeBufferPointer { left in
        rightSlope.withUnsafeBufferPointer { right in
          spectrum.withUnsafeMutableBufferPointer { spectrum in
            guard let source = input.baseAddress, let target = spectrum.baseAddress else { return }
            transformWindowed(source + inputOffset, left, right, target + spectrumOffset)
          }
        }
      }
    }
  }

  private func transformWindowed(
    _ source: UnsafePointer<Float>, _ left: UnsafeBufferPointer<Float>,
    _ right: UnsafeBufferPointer<Float>, _ target: UnsafeMutablePointer<Float>
  ) {
    if forwardCore.canFold, left.count == lines, right.count == lines, let rise = left.baseAddress,
      let fall = right.baseAddress
    {
      forwardCore.runFolding(source, rise, fall, target)
    } else {
      WindowKernels.fold(source, lines, left, right, scratch.pointer)
      forwardCore.run(scratch.pointer, target)
    }
  }

  // MARK: - Inverse

  /// The inverse in its short form: N values y from which all 2N follow.
  ///
  /// x[n] = −y[N/2 + n] for n < N/2, y[3N/2 − 1 − n] for N/2 ≤ n < 3N/2, y[n − 3N/2] from there on.
  public func inverseHalf(
    _ spectrum: [Float], at spectrumOffset: Int, into half: inout [Float], at halfOffset: Int
  ) {
    check(spectrum.count, spectrumOffset, lines)
    check(half.count, halfOffset, lines)
    spectrum.withUnsafeBufferPointer { spectrum in
      half.withUnsafeMutableBufferPointer { half in
        guard let source = spectrum.baseAddress, let target = half.baseAddress else { return }
        inverseCore.run(source + spectrumOffset, target + halfOffset)
      }
    }
  }

  /// The inverse, windowed: the first half added to `overlap` gives N samples in `output`; the second
  /// half becomes the new `overlap`.
  ///
  /// Both slopes are given rising; the right one is used mirrored.
  public func inverse(
    _ spectrum: [Float], at spectrumOffset: Int, leftSlope: [Float], rightSlope: [Float],
    overlap: inout [Float], into output: inout [Float], at outputOffset: Int
  ) {
    check(spectrum.count, spectrumOffset, lines)
    check(overlap.count, 0, lines)
    check(output.count, outputOffset, lines)
    check(leftSlope)
    check(rightSlope)
    spectrum.withUnsafeBufferPointer { spectrum in
      leftSlope.withUnsafeBufferPointer { left in
        rightSlope.withUnsafeBufferPointer { right in
          overlap.withUnsafeMutableBufferPointer { overlap in
            output.withUnsafeMutableBufferPointer { output in
              guard let source = spectrum.baseAddress, let memory = overlap.baseAddress,
                let target = output.baseAddress
              else { return }
              unfold(source + spectrumOffset, left, right, memory, target + outputOffset)
            }
          }
        }
      }
    }
  }

  private func unfold(
    _ source: UnsafePointer<Float>, _ left: UnsafeBufferPointer<Float>,
    _ right: UnsafeBufferPointer<Float>, _ overlap: UnsafeMutablePointer<Float>,
    _ output: UnsafeMutablePointer<Float>
  ) {
    if inverseCore.canUnfold, left.count == lines, right.count == lines, let rise = left.baseAddress,
      let fall = right.baseAddress
    {
      inverseCore.runUnfolding(source, rise, fall, overlap, output)
    } else {
      let half = scratch.pointer
      inverseCore.run(source, half)
      WindowKernels.addLeft(half, lines, left, overlap, output)
      WindowKernels.setRight(half, lines, right, overlap)
    }
  }

  // MARK: - Checks

  private func check(_ count: Int, _ offset: Int, _ needed: Int) {
    precondition(offset >= 0 && count - needed >= offset, "a block inside its array")
  }

  private func check(_ slope: [Float]) {
    precondition(
      slope.count == lines || (slope.count >= 16 && slope.count <= lines - 16),
      "a slope of 16…N − 16 or N values")
    precondition(slope.count % 8 == 0, "a slope of a multiple of 8 values")
  }
}
