extension SpectralKernels {
  /// target[i] = |x[i]|^(3/4) for i in `range`.
  public static func powerThreeQuarters(_ x: [Float], range: Range<Int>, into target: inout [Float]) {
    reading(x, range) { x in
      writing(&target, range.lowerBound, range.count) { target in
        let count = range.count
        var index = 0
        while index &+ 8 <= count {
          store(threeQuarters(load(x + index)), target + index)
          index &+= 8
        }
        if index < count {
          let rest = count - index
          storePartial(threeQuarters(loadPartial(x + index, rest)), target + index, rest)
        }
      }
    }
  }

  /// √|x|·√√|x|, which neither overflows nor underflows on the way.
  @inline(__always)
  private static func threeQuarters(_ x: Lanes8) -> Lanes8 {
    let root = Lanes.squareRoot(magnitude(x))
    return root * Lanes.squareRoot(root)
  }

  /// q[i] = min(8191, Int(powers[i]·multiplier + rounding)) for i in `range`; returns the largest.
  ///
  /// `powers`, `multiplier` and `rounding` are not negative. NaN gives 8191.
  @discardableResult
  public static func quantize(
    _ powers: [Float], range: Range<Int>, multiplier: Float, rounding: Float, into q: inout [Int16]
  ) -> Int {
    reading(powers, range) { powers in
      writing(&q, range.lowerBound, range.count) { q in
        quantize(powers, range.count, multiplier, rounding, q)
      } ?? 0
    } ?? 0
  }

  @inline(__always)
  private static func quantize(
    _ powers: UnsafePointer<Float>, _ count: Int, _ multiplier: Float, _ rounding: Float,
    _ q: UnsafeMutablePointer<Int16>
  ) -> Int {
    let factor = Lanes8(repeating: multiplier)
    let offset = Lanes8(repeating: rounding)
    var largest = SIMD8<Int16>(repeating: 0)
    var index = 0
    while index &+ 8 <= count {
      let values = Lanes.truncated(Lanes.multiplyAdd(load(powers + index), factor, offset))
      store(values, q + index)
      largest.replace(with: values, where: values .> largest)
      index &+= 8
    }
    if index < count {
      // A lane past the end holds Int(rounding), which no real lane is below.
      let rest = count - index
      let values = Lanes.truncated(Lanes.multiplyAdd(loadPartial(powers + index, rest), factor, offset))
      storePartial(values, q + index, rest)
      largest.replace(with: values, where: values .> largest)
    }
    return count > 0 ? Int(peak(largest)) : 0
  }

  @inline(__always)
  static func peak(_ values: SIMD8<Int16>) -> Int16 {
    var four = values.lowHalf
    four.replace(with: values.highHalf, where: values.highHalf .> four)
    return max(max(four[0], four[1]), max(four[2], four[3]))
  }

  /// Σ (magnitudes[i] − step·quantized[i]^(4/3))² for i in `range`.
  ///
  /// `quantized` are magnitudes, 0…8191; others count as the nearest of these.
  public static func quantizationError(
    _ magnitudes: [Float], quantized: [Int16], range: Range<Int>, step: Float
  ) -> Float {
    reading(magnitudes, range) { magnitudes in
      reading(quantized, range) { quantized in
        let count = range.count
        let bits = QuantizedBits(quantized, count)
        if bits.hasNegative || bits.magnitude > largestQuantized {
          return error(magnitudes, quantized, count, step, LimitedFourThirds())
        }
        return error(magnitudes, quantized, count, bits.magnitude, step)
      } ?? 0
    } ?? 0
  }

  /// `quantize` and `quantizationError` at once.
  public static func quantizeMeasuringError(
    _ magnitudes: [Float], powers: [Float], range: Range<Int>, multiplier: Float, rounding: Float,
    step: Float, into q: inout [Int16]
  ) -> (largest: Int, error: Float) {
    reading(magnitudes, range) { magnitudes in
      reading(powers, range) { powers in
        writing(&q, range.lowerBound, range.count) { q in
          let largest = quantize(powers, range.count, multiplier, rounding, q)
          return (largest, error(magnitudes, q, range.count, largest, step))
        } ?? (0, 0)
      } ?? (0, 0)
    } ?? (0, 0)
  }

  /// No value of `quantized` is negative or above `largest`.
  private static func error(
    _ magnitudes: UnsafePointer<Float>, _ quantized: UnsafePointer<Int16>, _ count: Int, _ largest: Int,
    _ step: Float
  ) -> Float {
    if largest == 0 { return energy(magnitudes, count) }
    #if AAC_FMA && arch(x86_64)
      if largest <= SmallFourThirds.largest {
        return error(magnitudes, quantized, count, step, SmallFourThirds())
      }
    #endif
    return error(magnitudes, quantized, count, step, TableFourThirds())
  }

  @inline(__always)
  private static func error(
    _ magnitudes: UnsafePointer<Float>, _ quantized: UnsafePointer<Int16>, _ count: Int, _ step: Float,
    _ power: some FourThirds
  ) -> Float {
    let steps = Lanes8(repeating: step)
    var total = Lanes8(repeating: 0)
    var index = 0
    while index &+ 8 <= count {
      let value = power.of(quantized + index, signed: false)
      let difference = Lanes.negativeMultiplyAdd(value, steps, load(magnitudes + index))
      total = Lanes.multiplyAdd(difference, difference, total)
      index &+= 8
    }
    if index < count {
      let rest = count - index
      let value = power.of(loadPartial(quantized + index, rest), signed: false)
      let difference = Lanes.negativeMultiplyAdd(value, steps, loadPartial(magnitudes + index, rest))
      total = Lanes.multiplyAdd(difference, difference, total)
    }
    return sum(total)
  }
}
