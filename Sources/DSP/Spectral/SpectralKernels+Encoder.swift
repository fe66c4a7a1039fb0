extension SpectralKernels {
  /// target[i] = |x[i]| for the lines of `range`.
  public static func magnitudes(_ x: [Float], range: Range<Int>, into target: inout [Float]) {
    reading(x, range) { x in
      writing(&target, range.lowerBound, range.count) { target in
        let count = range.count
        var index = 0
        while index &+ 8 <= count {
          store(magnitude(load(x + index)), target + index)
          index &+= 8
        }
        if index < count {
          storePartial(magnitude(loadPartial(x + index, count - index)), target + index, count - index)
        }
      }
    }
  }

  /// Σ √x of non-negative lines.
  public static func sumOfRoots(_ x: [Float], range: Range<Int>) -> Float {
    reading(x, range) { x in sumOfRoots(x, range.count) } ?? 0
  }

  @inline(__always)
  static func sumOfRoots(_ x: UnsafePointer<Float>, _ count: Int) -> Float {
    var sums = Lanes4(repeating: 0)
    var index = 0
    while index &+ 8 <= count {
      let roots = Lanes.squareRoot(load(x + index))
      sums += roots.lowHalf
      sums += roots.highHalf
      index &+= 8
    }
    if index < count {
      let roots = Lanes.squareRoot(loadPartial(x + index, count - index))
      sums += roots.lowHalf
      sums += roots.highHalf
    }
    return sums[0] + sums[1] + sums[2] + sums[3]
  }

  /// Σ log2(1 + weight·x²): twice the bits that lines take at a given noise.
  public static func logSum(_ x: [Float], range: Range<Int>, weight: Float) -> Float {
    check(range, x.count)
    return x.withUnsafeBufferPointer { x in
      guard let source = x.baseAddress else { return 0 }
      var sum: Float = 0
      var index = range.lowerBound
      // Two factors a logarithm: products of more could overflow.
      while index + 4 <= range.upperBound {
        let lines = UnsafeRawPointer(source + index).loadUnaligned(as: SIMD4<Float>.self)
        let factors = lines * lines * weight + 1
        sum += Elementary.log2(factors[0] * factors[1]) + Elementary.log2(factors[2] * factors[3])
        index += 4
      }
      return sum
    }
  }

  /// The `logSum` of left and right each with its weight, and of mid and side with theirs.
  public static func stereoLogSums(
    _ left: [Float], _ right: [Float], range: Range<Int>, leftWeight: Float, rightWeight: Float,
    jointWeight: Float
  ) -> (separate: Float, joint: Float) {
    check(range, left.count)
    check(range, right.count)
    return left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return (0, 0) }
        var separate: Float = 0
        var joint: Float = 0
        var index = range.lowerBound
        while index + 4 <= range.upperBound {
          let l = UnsafeRawPointer(left + index).loadUnaligned(as: SIMD4<Float>.self)
          let r = UnsafeRawPointer(right + index).loadUnaligned(as: SIMD4<Float>.self)
          let m = (l + r) * 0.5
          let s = (l - r) * 0.5
          let apart = (l * l * leftWeight + 1) * (r * r * rightWeight + 1)
          let together = (m * m * jointWeight + 1) * (s * s * jointWeight + 1)
          separate +=
            Elementary.log2(apart[0]) + Elementary.log2(apart[1]) + Elementary.log2(apart[2])
            + Elementary.log2(apart[3])
          joint +=
            Elementary.log2(together[0]) + Elementary.log2(together[1]) + Elementary.log2(together[2])
            + Elementary.log2(together[3])
          index += 4
        }
        return (separate, joint)
      }
    }
  }

  /// Σ x[i]·x[i+lag] with both in `range`.
  public static func correlation(_ x: [Float], range: Range<Int>, lag: Int) -> Float {
    check(range, x.count)
    guard lag < range.count else { return 0 }
    return x.withUnsafeBufferPointer { x in
      guard let source = x.baseAddress else { return 0 }
      var sums = SIMD8<Float>()
      var index = range.lowerBound
      while index + lag + 8 <= range.upperBound {
        let first = UnsafeRawPointer(source + index).loadUnaligned(as: SIMD8<Float>.self)
        let second = UnsafeRawPointer(source + index + lag).loadUnaligned(as: SIMD8<Float>.self)
        sums += first * second
        index += 8
      }
      var sum = sums.sum()
      while index + lag < range.upperBound {
        sum += source[index] * source[index + lag]
        index += 1
      }
      return sum
    }
  }

  /// Copies with every value limited to ±`limit`.
  public static func copyLimited(
    _ x: [Float], range: Range<Int>, limit: Float, to target: inout [Float], at offset: Int
  ) {
    check(range, x.count)
    check(offset, range.count, target.count)
    for index in range {
      target[offset + index - range.lowerBound] = min(max(x[index], -limit), limit)
    }
  }
}
