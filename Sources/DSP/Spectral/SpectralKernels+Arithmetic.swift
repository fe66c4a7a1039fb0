extension SpectralKernels {
  /// Σ x², in single precision; 0 for an empty range.
  public static func energy(_ x: [Float], range: Range<Int>) -> Float {
    check(range, x.count)
    var sum: Float = 0
    for index in range { sum += x[index] * x[index] }
    return sum
  }

  /// The largest |x|; 0 for an empty range. NaN counts for nothing.
  public static func peak(_ x: [Float], range: Range<Int>) -> Float {
    check(range, x.count)
    var largest: Float = 0
    for index in range where abs(x[index]) > largest { largest = abs(x[index]) }
    return largest
  }

  /// (left, right) = (left + right, left − right): mid and side to left and right.
  public static func midSide(_ left: inout [Float], _ right: inout [Float], range: Range<Int>) {
    check(range, left.count)
    check(range, right.count)
    for index in range {
      let mid = left[index]
      left[index] = mid + right[index]
      right[index] = mid - right[index]
    }
  }

  /// x *= gain.
  public static func scale(_ x: inout [Float], range: Range<Int>, by gain: Float) {
    check(range, x.count)
    for index in range { x[index] *= gain }
  }

  /// y[offset…] += gain·x[range].
  public static func addScaled(
    _ x: [Float], range: Range<Int>, gain: Float, to y: inout [Float], at offset: Int
  ) {
    check(range, x.count)
    check(offset, range.count, y.count)
    for index in range { y[offset + index - range.lowerBound] += gain * x[index] }
  }

  /// x[offset…] *= window, the whole of it.
  public static func multiply(_ x: inout [Float], at offset: Int = 0, by window: [Float]) {
    check(offset, window.count, x.count)
    for index in window.indices { x[offset + index] *= window[index] }
  }

  /// target[targetOffset…] = x[offset…]·window, the whole of it.
  public static func multiply(
    _ x: [Float], at offset: Int = 0, by window: [Float],
    into target: inout [Float], at targetOffset: Int = 0
  ) {
    check(offset, window.count, x.count)
    check(targetOffset, window.count, target.count)
    for index in window.indices { target[targetOffset + index] = x[offset + index] * window[index] }
  }

  /// The index of the first NaN or infinity among the first `count` values; nil when all are finite.
  public static func firstNonFinite(_ x: [Float], count: Int) -> Int? {
    check(0, count, x.count)
    for index in 0..<count where !x[index].isFinite { return index }
    return nil
  }
}
