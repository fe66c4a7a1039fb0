/// The passes of radix 3 and 5. `lanes` is 8, or 4 where the upper four are idle.
extension TransformPasses {
  static func radix3(
    _ source: Source, _ target: Target, _ part: Int, _ stride: Int, _ twiddles: Source, _ lanes: Int
  ) {
    for p in 0..<part {
      let w1 = ComplexLanes(twiddles + 32 * p)
      let w2 = ComplexLanes(twiddles + 32 * p + 16)
      for q in 0..<stride {
        var lane = 0
        while lane < lanes {
          butterfly3(
            source + (16 &* (q &+ stride &* p) &+ lane), 16 &* stride &* part,
            target + (16 &* (q &+ 3 &* stride &* p) &+ lane), 16 &* stride, w1, w2)
          lane &+= RegisterLanes.scalarCount
        }
      }
    }
  }

  @inline(__always)
  private static func butterfly3(
    _ x: Source, _ step: Int, _ out: Target, _ across: Int, _ w1: ComplexLanes, _ w2: ComplexLanes
  ) {
    let minusHalf = RegisterLanes(repeating: -0.5)
    let sine = RegisterLanes(repeating: 0.866_025_403_784_438_6)
    let a = ComplexLanes(x)
    let b = ComplexLanes(x + step)
    let c = ComplexLanes(x + 2 * step)
    let sum = b + c
    let difference = b - c
    let middle = sum.scaledAdding(minusHalf, a)
    let side = ComplexLanes(difference.re * sine, difference.im * sine)
    (a + sum).store(out)
    (middle.minusI(side) * w1).store(out + across)
    (middle.plusI(side) * w2).store(out + 2 * across)
  }

  /// Radix 5 with part 1: no factors.
  static func radix5Last(_ source: Source, _ target: Target, _ stride: Int, _ lanes: Int) {
    for q in 0..<stride {
      var lane = 0
      while lane < lanes {
        butterfly5(source + (16 &* q &+ lane), target + (16 &* q &+ lane), 16 &* stride)
        lane &+= RegisterLanes.scalarCount
      }
    }
  }

  @inline(__always)
  private static func butterfly5(_ x: Source, _ out: Target, _ across: Int) {
    let c1 = RegisterLanes(repeating: 0.309_016_994_374_947_4)
    let c2 = RegisterLanes(repeating: -0.809_016_994_374_947_4)
    let s1 = RegisterLanes(repeating: 0.951_056_516_295_153_5)
    let s2 = RegisterLanes(repeating: 0.587_785_252_292_473_1)
    let a = ComplexLanes(x)
    let sum1 = ComplexLanes(x + across) + ComplexLanes(x + 4 * across)
    let difference1 = ComplexLanes(x + across) - ComplexLanes(x + 4 * across)
    let sum2 = ComplexLanes(x + 2 * across) + ComplexLanes(x + 3 * across)
    let difference2 = ComplexLanes(x + 2 * across) - ComplexLanes(x + 3 * across)
    (a + sum1 + sum2).store(out)
    let middle1 = sum2.scaledAdding(c2, sum1.scaledAdding(c1, a))
    let side1 = ComplexLanes(
      Lanes.multiplyAdd(difference1.re, s1, difference2.re * s2),
      Lanes.multiplyAdd(difference1.im, s1, difference2.im * s2))
    middle1.minusI(side1).store(out + across)
    middle1.plusI(side1).store(out + 4 * across)
    let middle2 = sum2.scaledAdding(c1, sum1.scaledAdding(c2, a))
    let side2 = ComplexLanes(
      Lanes.multiplySubtract(difference1.re, s2, difference2.re * s1),
      Lanes.multiplySubtract(difference1.im, s2, difference2.im * s1))
    middle2.minusI(side2).store(out + 2 * across)
    middle2.plusI(side2).store(out + 3 * across)
  }
}
