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

  /// Σ log2(1 + weight·x²) of whole tuples of four lines: twice the bits that lines take at a given noise.
  public static func logSum(_ x: [Float], range: Range<Int>, weight: Float) -> Float {
    precondition(range.count & 3 == 0, "whole tuples")
    return reading(x, range) { x in
      let count = range.count
      let weights = Lanes8(repeating: weight)
      let one = Lanes8(repeating: 1)
      var total = Lanes8(repeating: 0)
      var index = 0
      // Two factors a logarithm: products of more could overflow.
      while index &+ 16 <= count {
        let a = load(x + index)
        let b = load(x + index + 8)
        total += log2(Lanes.multiplyAdd(a * weights, a, one) * Lanes.multiplyAdd(b * weights, b, one))
        index &+= 16
      }
      while index < count {
        let a = index &+ 8 <= count ? load(x + index) : loadPartial(x + index, 4)
        total += log2(Lanes.multiplyAdd(a * weights, a, one))
        index &+= 8
      }
      return sum(total)
    } ?? 0
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
    let high = Lanes8(repeating: limit)
    let low = Lanes8(repeating: -limit)
    reading(x, range) { x in
      writing(&target, offset, range.count) { target in
        var index = 0
        while index &+ 8 <= range.count {
          let value = load(x + index)
          let limited = value.replacing(with: high, where: value .> high)
          store(limited.replacing(with: low, where: limited .< low), target + index)
          index &+= 8
        }
        while index < range.count {
          target[index] = min(max(x[index], -limit), limit)
          index &+= 1
        }
      }
    }
  }

  /// Moves all values `count` places to the front; the last `count` stay as they were.
  public static func shift(_ x: inout [Float], by count: Int) {
    let rest = x.count - count
    check(count, rest, x.count)
    writing(&x, 0, x.count) { x in x.update(from: x + count, count: rest) }
  }
}
