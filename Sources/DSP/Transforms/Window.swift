/// Window slopes: the rising half, `length` values; the falling half is its mirror.
///
/// Both satisfy w[n]² + w[length−1−n]² = 1, which makes windowed blocks add up to the signal again.
public enum Window {
  /// sin(π/(2·length)·(n + ½)).
  public static func sine(length: Int) -> [Float] {
    precondition(length > 0, "a slope has at least one value")
    return (0..<length).map { index in
      Float(Elementary.sine(Double.pi / Double(2 * length) * (Double(index) + 0.5)))
    }
  }

  /// The Kaiser–Bessel derived slope (ISO/IEC 14496-3, 4.6.11): alpha 4 for long blocks, 6 for short ones.
  public static func kaiserBesselDerived(length: Int, alpha: Double) -> [Float] {
    precondition(length > 0 && alpha >= 0, "a slope has at least one value; alpha is not negative")
    let kernel = (0...length).map { index in
      let x = 2 * Double(index) / Double(length) - 1
      return besselI0(Double.pi * alpha * max(0, 1 - x * x).squareRoot())
    }
    let total = kernel.reduce(0, +)
    var sum = 0.0
    return (0..<length).map { index in
      sum += kernel[index]
      return Float((sum / total).squareRoot())
    }
  }

  /// The modified Bessel function of the first kind and order zero, summed until the terms vanish.
  static func besselI0(_ x: Double) -> Double {
    var term = 1.0
    var sum = 1.0
    var order = 1.0
    while term > sum * 1e-18 {
      let factor = x / (2 * order)
      term *= factor * factor
      sum += term
      order += 1
    }
    return sum
  }
}
