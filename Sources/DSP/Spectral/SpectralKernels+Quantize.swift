extension SpectralKernels {
  /// target[i] = |x[i]|^(3/4) for i in `range`.
  public static func powerThreeQuarters(
    _ x: [Float], range: Range<Int>, into target: inout [Float]
  ) {
    check(range, x.count)
    check(range, target.count)
    for index in range {
      let root = abs(x[index]).squareRoot()
      target[index] = root * root.squareRoot()
    }
  }

  /// q[i] = min(8191, Int(powers[i]·multiplier + rounding)) for i in `range`; returns the largest.
  ///
  /// `powers`, `multiplier` and `rounding` are not negative. NaN gives 8191.
  @discardableResult
  public static func quantize(
    _ powers: [Float], range: Range<Int>, multiplier: Float, rounding: Float, into q: inout [Int16]
  ) -> Int {
    check(range, powers.count)
    check(range, q.count)
    var largest: Int16 = 0
    for index in range {
      let value = powers[index] * multiplier + rounding
      let magnitude = value < 8191 ? Int16(value) : 8191
      q[index] = magnitude
      if magnitude > largest { largest = magnitude }
    }
    return Int(largest)
  }

  /// Σ (magnitudes[i] − step·quantized[i]^(4/3))² for i in `range`.
  ///
  /// `quantized` are magnitudes, 0…8191; others count as the nearest of these.
  public static func quantizationError(
    _ magnitudes: [Float], quantized: [Int16], range: Range<Int>, step: Float
  ) -> Float {
    check(range, magnitudes.count)
    check(range, quantized.count)
    let table = PowerTable.fourThirds.pointer
    var sum: Float = 0
    for index in range {
      let difference = magnitudes[index] - step * table[Int(min(max(quantized[index], 0), 8191))]
      sum += difference * difference
    }
    return sum
  }

  /// `quantize` and `quantizationError` in one pass.
  public static func quantizeMeasuringError(
    _ magnitudes: [Float], powers: [Float], range: Range<Int>, multiplier: Float, rounding: Float,
    step: Float, into q: inout [Int16]
  ) -> (largest: Int, error: Float) {
    let largest = quantize(powers, range: range, multiplier: multiplier, rounding: rounding, into: &q)
    let error = quantizationError(magnitudes, quantized: q, range: range, step: step)
    return (largest, error)
  }
}
