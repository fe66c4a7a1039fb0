/// The steps before and after the complex transform of a DCT-IV.
///
/// Before it, number k takes x[2k] and x[size − 1 − 2k]: the sixteen values at 2k are one half of eight numbers
/// at k and the other half of the eight at the far end, so both ends are done at once. Where size/2 is no
/// multiple of 16 the two meet in an overlap, which is computed twice.
enum CosineKernels {
  typealias Source = UnsafePointer<Float>
  typealias Target = UnsafeMutablePointer<Float>

  /// (x[2k] + i·x[size − 1 − 2k])·exp(−iπ/size·(k + ⅛)) for eight k from `near` and eight from the far end.
  @inline(__always)
  private static func rotate(
    _ low: (Lanes8, Lanes8), _ high: (Lanes8, Lanes8), _ near: Int, _ half: Int, _ turns: Source,
    _ target: Target, _ lanes: Int
  ) {
    let far = half &- 8 &- near
    let nearRe = Lanes.evens(low.0, low.1)
    let nearIm = Lanes.reversed(Lanes.odds(high.0, high.1))
    let farRe = Lanes.evens(high.0, high.1)
    let farIm = Lanes.reversed(Lanes.odds(low.0, low.1))
    let nearCosines = load(turns + near)
    let nearSines = load(turns + (half &+ near))
    let farCosines = load(turns + far)
    let farSines = load(turns + (half &+ far))
    put(
      Lanes.multiplyAdd(nearRe, nearCosines, nearIm * nearSines),
      Lanes.multiplySubtract(nearIm, nearCosines, nearRe * nearSines), target, near, lanes)
    put(
      Lanes.multiplyAdd(farRe, farCosines, farIm * farSines),
      Lanes.multiplySubtract(farIm, farCosines, farRe * farSines), target, far, lanes)
  }

  /// Eight numbers as one vector, or as two of which the lower four lanes are used.
  @inline(__always)
  private static func put(_ re: Lanes8, _ im: Lanes8, _ target: Target, _ index: Int, _ lanes: Int) {
    if lanes == 8 {
      store(re, target + 2 &* index)
      store(im, target + (2 &* index &+ 8))
    } else {
      let out = target + 4 &* index
      store(re.lowHalf, out)
      store(im.lowHalf, out + 8)
      store(re.highHalf, out + 16)
      store(im.highHalf, out + 24)
    }
  }

  /// From `size` values to the complex transform's input.
  static func rotateIn(_ x: Source, _ size: Int, _ turns: Source, _ target: Target, _ lanes: Int) {
    let half = size / 2
    var near = 0
    while 2 &* near < half {
      let low = x + 2 &* near
      let high = x + (size &- 16 &- 2 &* near)
      rotate((load(low), load(low + 8)), (load(high), load(high + 8)), near, half, turns, target, lanes)
      near &+= 8
    }
  }

  /// From 2·size samples, windowed and folded, to the complex transform's input.
  static func foldIn(
    _ x: Source, _ size: Int, _ left: Source, _ right: Source, _ turns: Source, _ target: Target,
    _ lanes: Int
  ) {
    let half = size / 2
    let leftMiddle = x + half
    let rightMiddle = x + (size + half)
    let rise = left + half
    let fall = right + half
    var near = 0
    while 2 &* near < half {
      let j = 2 &* near
      let low = (
        WindowKernels.foldedRight(rightMiddle, fall, j), WindowKernels.foldedRight(rightMiddle, fall, j &+ 8)
      )
      let high = (
        WindowKernels.foldedLeft(leftMiddle, rise, j &+ 8), WindowKernels.foldedLeft(leftMiddle, rise, j)
      )
      rotate(low, high, near, half, turns, target, lanes)
      near &+= 8
    }
  }
}
