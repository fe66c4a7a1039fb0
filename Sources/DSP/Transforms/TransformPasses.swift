/// The steps of `ComplexTransform`. Pointers count floats; a vector of eight complex numbers takes 16.
///
/// A pass of radix r over sub-transforms of n = r·part points, `stride` of them interleaved, reads vector
/// q + stride·(p + m·part) and writes q + stride·(r·p + m), so that no reordering is left at the end.
enum TransformPasses {
  typealias Source = UnsafePointer<Float>
  typealias Target = UnsafeMutablePointer<Float>

  @inline(__always)
  private static func butterfly4(
    _ source: Source, _ step: Int
  ) -> (ComplexLanes, ComplexLanes, ComplexLanes, ComplexLanes) {
    let a = ComplexLanes(source)
    let b = ComplexLanes(source + step)
    let c = ComplexLanes(source + 2 * step)
    let d = ComplexLanes(source + 3 * step)
    let sum = a + c
    let difference = a - c
    let otherSum = b + d
    let otherDifference = b - d
    return (
      sum + otherSum, difference.minusI(otherDifference), sum - otherSum, difference.plusI(otherDifference)
    )
  }

  static func radix4(_ source: Source, _ target: Target, _ part: Int, _ stride: Int, _ twiddles: Source) {
    let step = 16 * stride * part
    let across = 16 * stride
    for q in 0..<stride {
      let y = butterfly4(source + 16 * q, step)
      let out = target + 16 * q
      y.0.store(out)
      y.1.store(out + across)
      y.2.store(out + 2 * across)
      y.3.store(out + 3 * across)
    }
    for p in 1..<part {
      let factors = twiddles + 48 * p
      let w1 = ComplexLanes(factors)
      let w2 = ComplexLanes(factors + 16)
      let w3 = ComplexLanes(factors + 32)
      for q in 0..<stride {
        let y = butterfly4(source + 16 * (q + stride * p), step)
        let out = target + 16 * (q + 4 * stride * p)
        y.0.store(out)
        (y.1 * w1).store(out + across)
        (y.2 * w2).store(out + 2 * across)
        (y.3 * w3).store(out + 3 * across)
      }
    }
  }

  /// Radix 4 with part 1: no factors.
  static func radix4Last(_ source: Source, _ target: Target, _ stride: Int) {
    let across = 16 * stride
    for q in 0..<stride {
      let y = butterfly4(source + 16 * q, across)
      let out = target + 16 * q
      y.0.store(out)
      y.1.store(out + across)
      y.2.store(out + 2 * across)
      y.3.store(out + 3 * across)
    }
  }

  /// Radix 2 with part 1: no factors.
  static func radix2(_ source: Source, _ target: Target, _ stride: Int) {
    let across = 16 * stride
    for q in 0..<stride {
      let a = ComplexLanes(source + 16 * q)
      let b = ComplexLanes(source + 16 * q + across)
      (a + b).store(target + 16 * q)
      (a - b).store(target + 16 * q + across)
    }
  }

  /// Radix 2 with stride 1.
  static func radix2First(_ source: Source, _ target: Target, _ part: Int, _ twiddles: Source) {
    for p in 0..<part {
      let a = ComplexLanes(source + 16 * p)
      let b = ComplexLanes(source + 16 * (p + part))
      (a + b).store(target + 32 * p)
      ((a - b) * ComplexLanes(twiddles + 16 * p)).store(target + 32 * p + 16)
    }
  }

  static func radix3(_ source: Source, _ target: Target, _ part: Int, _ stride: Int, _ twiddles: Source) {
    let step = 16 * stride * part
    let across = 16 * stride
    let minusHalf = Lanes8(repeating: -0.5)
    let sine = Lanes8(repeating: 0.866_025_403_784_438_6)
    for p in 0..<part {
      let w1 = ComplexLanes(twiddles + 32 * p)
      let w2 = ComplexLanes(twiddles + 32 * p + 16)
      for q in 0..<stride {
        let x = source + 16 * (q + stride * p)
        let a = ComplexLanes(x)
        let b = ComplexLanes(x + step)
        let c = ComplexLanes(x + 2 * step)
        let sum = b + c
        let difference = b - c
        let middle = sum.scaledAdding(minusHalf, a)
        let side = ComplexLanes(difference.re * sine, difference.im * sine)
        let out = target + 16 * (q + 3 * stride * p)
        (a + sum).store(out)
        (middle.minusI(side) * w1).store(out + across)
        (middle.plusI(side) * w2).store(out + 2 * across)
      }
    }
  }

  /// Radix 5 with part 1: no factors.
  static func radix5Last(_ source: Source, _ target: Target, _ stride: Int) {
    let across = 16 * stride
    let c1 = Lanes8(repeating: 0.309_016_994_374_947_4)
    let c2 = Lanes8(repeating: -0.809_016_994_374_947_4)
    let s1 = Lanes8(repeating: 0.951_056_516_295_153_5)
    let s2 = Lanes8(repeating: 0.587_785_252_292_473_1)
    for q in 0..<stride {
      let x = source + 16 * q
      let a = ComplexLanes(x)
      let sum1 = ComplexLanes(x + across) + ComplexLanes(x + 4 * across)
      let difference1 = ComplexLanes(x + across) - ComplexLanes(x + 4 * across)
      let sum2 = ComplexLanes(x + 2 * across) + ComplexLanes(x + 3 * across)
      let difference2 = ComplexLanes(x + 2 * across) - ComplexLanes(x + 3 * across)
      let middle1 = sum2.scaledAdding(c2, sum1.scaledAdding(c1, a))
      let middle2 = sum2.scaledAdding(c1, sum1.scaledAdding(c2, a))
      let side1 = ComplexLanes(
        Lanes.multiplyAdd(difference1.re, s1, difference2.re * s2),
        Lanes.multiplyAdd(difference1.im, s1, difference2.im * s2))
      let side2 = ComplexLanes(
        Lanes.multiplySubtract(difference1.re, s2, difference2.re * s1),
        Lanes.multiplySubtract(difference1.im, s2, difference2.im * s1))
      let out = target + 16 * q
      (a + sum1 + sum2).store(out)
      middle1.minusI(side1).store(out + across)
      middle2.minusI(side2).store(out + 2 * across)
      middle2.plusI(side2).store(out + 3 * across)
      middle1.plusI(side1).store(out + 4 * across)
    }
  }
}
