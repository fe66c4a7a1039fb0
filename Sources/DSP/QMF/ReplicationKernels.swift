/// The steps of spectral band replication that touch every QMF sample (ISO/IEC 14496-3, 4.6.18.6 and 4.6.18.7).
///
/// `low` stands for rows of 32 bands, `high` for rows of 64 bands (`QMFLayout`), both with a tail. Each kernel
/// checks its ranges once. No value of the data traps.
public enum ReplicationKernels {
  typealias Source = UnsafePointer<Float>
  typealias Target = UnsafeMutablePointer<Float>

  /// Rows that a row's prediction reaches back.
  public static let delay = 2

  /// Floats from one of the four coefficients to the next.
  public static let coefficientStride = 80

  @inline(__always)
  static func checkRows(_ count: Int, _ rows: Range<Int>, _ stride: Int) {
    precondition(
      rows.lowerBound >= 0 && count >= rows.upperBound * stride + QMFLayout.tail, "rows inside their array")
  }

  @inline(__always)
  static func checkBands(_ first: Int, _ count: Int, _ all: Int) {
    precondition(first >= 0 && count >= 0 && first + count <= all, "bands inside their row")
  }

  /// The linear prediction of second order of each low band, by the covariance method.
  ///
  /// - Parameters:
  ///   - rows: rows of `low` that are predicted; two more before them are used.
  ///   - coefficients: α0 (real, imaginary) and α1 of the first `bands` bands, `coefficientStride` apart.
  ///     Where the prediction does not help they are 0.
  public static func predict(
    _ low: [Float], rows: Range<Int>, bands: Int, into coefficients: inout [Float]
  ) {
    precondition(rows.lowerBound >= delay, "two rows before the first")
    checkRows(low.count, rows, QMFLayout.lowStride)
    checkBands(0, bands, 32)
    precondition(coefficients.count >= 4 * coefficientStride, "room for the coefficients")
    low.withUnsafeBufferPointer { low in
      coefficients.withUnsafeMutableBufferPointer { coefficients in
        guard let source = low.baseAddress, let target = coefficients.baseAddress else { return }
        var band = 0
        while band < bands {
          predictEight(source + band, rows, target + band)
          band &+= 8
        }
      }
    }
  }

  private static func predictEight(_ low: Source, _ rows: Range<Int>, _ target: Target) {
    let zero = Lanes8(repeating: 0)
    var re01 = zero
    var im01 = zero
    var re02 = zero
    var im02 = zero
    var re12 = zero
    var im12 = zero
    var power11 = zero
    var power22 = zero
    let start = low + (rows.lowerBound &- 2) &* QMFLayout.lowStride
    var re2 = load(start)
    var im2 = load(start + QMFLayout.lowImaginary)
    var re1 = load(start + QMFLayout.lowStride)
    var im1 = load(start + (QMFLayout.lowStride &+ QMFLayout.lowImaginary))
    for row in rows {
      let here = low + row &* QMFLayout.lowStride
      let re0 = load(here)
      let im0 = load(here + QMFLayout.lowImaginary)
      re01 = Lanes.multiplyAdd(re0, re1, Lanes.multiplyAdd(im0, im1, re01))
      im01 = Lanes.multiplyAdd(im0, re1, Lanes.negativeMultiplyAdd(re0, im1, im01))
      re02 = Lanes.multiplyAdd(re0, re2, Lanes.multiplyAdd(im0, im2, re02))
      im02 = Lanes.multiplyAdd(im0, re2, Lanes.negativeMultiplyAdd(re0, im2, im02))
      re12 = Lanes.multiplyAdd(re1, re2, Lanes.multiplyAdd(im1, im2, re12))
      im12 = Lanes.multiplyAdd(im1, re2, Lanes.negativeMultiplyAdd(re1, im2, im12))
      power11 = Lanes.multiplyAdd(re1, re1, Lanes.multiplyAdd(im1, im1, power11))
      power22 = Lanes.multiplyAdd(re2, re2, Lanes.multiplyAdd(im2, im2, power22))
      re2 = re1
      im2 = im1
      re1 = re0
      im1 = im0
    }
    let one = Lanes8(repeating: 1)
    let cross = re12 * re12 + im12 * im12
    let determinant = power22 * power11 - cross * Lanes8(repeating: 1 / (1 + 1e-6))
    let hasDeterminant = determinant .!= zero
    let scale = (one / determinant).replacing(with: zero, where: .!hasDeterminant)
    let re1st = (re01 * re12 - im01 * im12 - re02 * power11) * scale
    let im1st = (re01 * im12 + im01 * re12 - im02 * power11) * scale
    let hasPower = power11 .!= zero
    let inverse = (one / power11).replacing(with: zero, where: .!hasPower)
    let re0th = zero - (re01 + re1st * re12 + im1st * im12) * inverse
    let im0th = zero - (im01 + im1st * re12 - re1st * im12) * inverse
    let limit = Lanes8(repeating: 16)
    // Not-a-number is not below the limit.
    let isSmall =
      ((re0th * re0th + im0th * im0th) .< limit) .& ((re1st * re1st + im1st * im1st) .< limit)
    store(zero.replacing(with: re0th, where: isSmall), target)
    store(zero.replacing(with: im0th, where: isSmall), target + coefficientStride)
    store(zero.replacing(with: re1st, where: isSmall), target + 2 &* coefficientStride)
    store(zero.replacing(with: im1st, where: isSmall), target + 3 &* coefficientStride)
  }

  /// Copies bands up, less what the prediction takes away:
  /// high[n] = low[n] + c0·low[n − 1] + c1·low[n − 2], row n of `high` from row n + `delay` of `low`.
  ///
  /// - Parameters:
  ///   - coefficients: c0 and c1 for each band of `high`, counted from `first`.
  ///   - offset: the band, counted from `first`, where the copy of the `width` bands from `source` on begins.
  public static func copyUp(
    _ low: [Float], source: Int, width: Int, coefficients: [Float], first: Int, offset: Int, rows: Range<Int>,
    to high: inout [Float]
  ) {
    checkRows(low.count, rows.lowerBound..<rows.upperBound + delay, QMFLayout.lowStride)
    checkRows(high.count, rows, QMFLayout.stride)
    checkBands(source, width, 32)
    checkBands(first, offset + width, 64)
    precondition(offset >= 0 && coefficients.count >= 4 * coefficientStride, "enough coefficients")
    low.withUnsafeBufferPointer { low in
      coefficients.withUnsafeBufferPointer { coefficients in
        high.withUnsafeMutableBufferPointer { high in
          guard let low = low.baseAddress, let factors = coefficients.baseAddress, let high = high.baseAddress
          else { return }
          var band = 0
          while band < width {
            copyEightUp(low + source + band, factors + offset + band, rows, high + first + offset + band)
            band &+= 8
          }
        }
      }
    }
  }

  @inline(__always)
  private static func copyEightUp(_ low: Source, _ factors: Source, _ rows: Range<Int>, _ high: Target) {
    let re0 = load(factors)
    let im0 = load(factors + coefficientStride)
    let re1 = load(factors + 2 &* coefficientStride)
    let im1 = load(factors + 3 &* coefficientStride)
    for row in rows {
      let older = low + row &* QMFLayout.lowStride
      let old = older + QMFLayout.lowStride
      let here = old + QMFLayout.lowStride
      let oldRe = load(old)
      let oldIm = load(old + QMFLayout.lowImaginary)
      let olderRe = load(older)
      let olderIm = load(older + QMFLayout.lowImaginary)
      var re = Lanes.multiplyAdd(re0, oldRe, load(here))
      var im = Lanes.multiplyAdd(re0, oldIm, load(here + QMFLayout.lowImaginary))
      re = Lanes.negativeMultiplyAdd(im0, oldIm, re)
      im = Lanes.multiplyAdd(im0, oldRe, im)
      re = Lanes.multiplyAdd(re1, olderRe, re)
      im = Lanes.multiplyAdd(re1, olderIm, im)
      re = Lanes.negativeMultiplyAdd(im1, olderIm, re)
      im = Lanes.multiplyAdd(im1, olderRe, im)
      let target = high + row &* QMFLayout.stride
      store(re, target)
      store(im, target + QMFLayout.imaginary)
    }
  }
}
