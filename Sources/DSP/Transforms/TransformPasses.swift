/// The passes of `ComplexTransform`. Pointers count floats; a vector of eight complex numbers takes 16, eight
/// real, then eight imaginary parts. Registers take eight or four lanes, so each vector is done in
/// `ComplexTransform.parts` parts.
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
    radix4Plain(source, target, stride, step)
    for p in 1..<part {
      let factors = twiddles + 48 * p
      let w1 = ComplexLanes(factors)
      let w2 = ComplexLanes(factors + 16)
      let w3 = ComplexLanes(factors + 32)
      for q in 0..<stride {
        for half in 0..<ComplexTransform.parts {
          let lane = half &* RegisterLanes.scalarCount
          let y = butterfly4(source + (16 &* (q &+ stride &* p) &+ lane), step)
          let out = target + (16 &* (q &+ 4 &* stride &* p) &+ lane)
          y.0.store(out)
          (y.1 * w1).store(out + across)
          (y.2 * w2).store(out + 2 * across)
          (y.3 * w3).store(out + 3 * across)
        }
      }
    }
  }

  /// Radix 4 with part 1: no factors.
  static func radix4Last(_ source: Source, _ target: Target, _ stride: Int) {
    radix4Plain(source, target, stride, 16 * stride)
  }

  @inline(__always)
  private static func radix4Plain(_ source: Source, _ target: Target, _ stride: Int, _ step: Int) {
    let across = 16 * stride
    for q in 0..<stride {
      for half in 0..<ComplexTransform.parts {
        let lane = half &* RegisterLanes.scalarCount
        let y = butterfly4(source + (16 &* q &+ lane), step)
        let out = target + (16 &* q &+ lane)
        y.0.store(out)
        y.1.store(out + across)
        y.2.store(out + 2 * across)
        y.3.store(out + 3 * across)
      }
    }
  }

  /// Radix 2 with part 1: no factors.
  static func radix2Last(_ source: Source, _ target: Target, _ stride: Int) {
    let across = 16 * stride
    for q in 0..<stride {
      for half in 0..<ComplexTransform.parts {
        let lane = 16 &* q &+ half &* RegisterLanes.scalarCount
        let a = ComplexLanes(source + lane)
        let b = ComplexLanes(source + lane + across)
        (a + b).store(target + lane)
        (a - b).store(target + lane + across)
      }
    }
  }

  /// Radix 2 with stride 1.
  static func radix2First(_ source: Source, _ target: Target, _ part: Int, _ twiddles: Source) {
    for p in 0..<part {
      for half in 0..<ComplexTransform.parts {
        let lane = half &* RegisterLanes.scalarCount
        let a = ComplexLanes(source + (16 &* p &+ lane))
        let b = ComplexLanes(source + (16 &* (p &+ part) &+ lane))
        (a + b).store(target + (32 &* p &+ lane))
        ((a - b) * ComplexLanes(twiddles + 16 * p)).store(target + (32 &* p &+ lane &+ 16))
      }
    }
  }
}
