/// The DCT-IV, which both directions of the MDCT are made of:
/// y[n] = gain·Σ_{k<size} x[k]·cos(π/size·(n + ½)(k + ½)), by a complex transform of size/2 points.
final class CosineTransform {
  let size: Int
  private let transform: ComplexTransform
  /// size/2 cosines of π/size·(k + ⅛), then as many sines.
  private let rotation: FloatStore

  init(size: Int, gain: Double) {
    self.size = size
    let half = size / 2
    transform = ComplexTransform(size: half, gain: gain)
    let values = (0..<half).map { Elementary.root(8 * $0 + 1, of: 16 * size) }
    rotation = FloatStore(values.map(\.re) + values.map { -$0.im })
  }

  /// `source` and `target` may be the same block.
  func transform(_ source: UnsafePointer<Float>, _ target: UnsafeMutablePointer<Float>) {
    let turns = UnsafePointer(rotation.pointer)
    if transform.lanes == 8 {
      CosineKernels.rotateIn(source, size, turns, transform.input)
    } else {
      CosineKernels.rotateInFourLanes(source, size, turns, transform.input)
    }
    CosineKernels.rotateOut(transform.run(), size, turns, target)
  }
}

/// The rotations before and after the complex transform.
///
/// Both go through the block from both ends at once: number k takes x[2k] and x[size − 1 − 2k], so the
/// sixteen values at 2k give the one half of eight numbers and the other half of the eight at the far end.
/// Where size/2 is no multiple of 16 the two meet in an overlap, which is computed twice.
enum CosineKernels {
  typealias Source = UnsafePointer<Float>
  typealias Target = UnsafeMutablePointer<Float>

  @inline(__always)
  private static func rotatedIn(_ a: Lanes8, _ b: Lanes8, _ c: Lanes8, _ s: Lanes8) -> ComplexLanes {
    ComplexLanes(Lanes.multiplyAdd(a, c, b * s), Lanes.multiplySubtract(b, c, a * s))
  }

  @inline(__always)
  private static func bothEnds(
    _ x: Source, _ size: Int, _ turns: Source, _ near: Int
  ) -> (near: ComplexLanes, far: ComplexLanes) {
    let half = size / 2
    let far = half - 8 - near
    let p0 = load(x + 2 * near)
    let p1 = load(x + 2 * near + 8)
    let q0 = load(x + 2 * far)
    let q1 = load(x + 2 * far + 8)
    let nearEven = Lanes.evens(p0, p1)
    let nearOdd = Lanes.reversed(Lanes.odds(p0, p1))
    let farEven = Lanes.evens(q0, q1)
    let farOdd = Lanes.reversed(Lanes.odds(q0, q1))
    return (
      rotatedIn(nearEven, farOdd, load(turns + near), load(turns + half + near)),
      rotatedIn(farEven, nearOdd, load(turns + far), load(turns + half + far))
    )
  }

  /// (x[2k] + i·x[size − 1 − 2k])·exp(−iπ/size·(k + ⅛)) as vectors of eight.
  static func rotateIn(_ x: Source, _ size: Int, _ turns: Source, _ target: Target) {
    let half = size / 2
    var near = 0
    while 2 * near < half {
      let both = bothEnds(x, size, turns, near)
      both.near.store(target + 2 * near)
      both.far.store(target + 2 * (half - 8 - near))
      near += 8
    }
  }

  /// The same in vectors of which the lower four lanes are used.
  static func rotateInFourLanes(_ x: Source, _ size: Int, _ turns: Source, _ target: Target) {
    let half = size / 2
    var near = 0
    while 2 * near < half {
      let both = bothEnds(x, size, turns, near)
      spread(both.near, target + 4 * near)
      spread(both.far, target + 4 * (half - 8 - near))
      near += 8
    }
  }

  @inline(__always)
  private static func spread(_ value: ComplexLanes, _ target: Target) {
    store(value.re.lowHalf, target)
    store(value.im.lowHalf, target + 8)
    store(value.re.highHalf, target + 16)
    store(value.im.highHalf, target + 24)
  }

  /// From T (size/2 real, then imaginary parts) turned by exp(−iπ/size·(n + ⅛)):
  /// y[2n] the real part, y[size − 1 − 2n] the negative imaginary part.
  static func rotateOut(_ x: Source, _ size: Int, _ turns: Source, _ y: Target) {
    let half = size / 2
    var near = 0
    while 2 * near < half {
      let far = half - 8 - near
      let nearRe = load(x + near)
      let nearIm = load(x + half + near)
      let farRe = load(x + far)
      let farIm = load(x + half + far)
      let nearC = load(turns + near)
      let nearS = load(turns + half + near)
      let farC = load(turns + far)
      let farS = load(turns + half + far)
      let nearEven = Lanes.multiplyAdd(nearRe, nearC, nearIm * nearS)
      let farOdd = Lanes.multiplySubtract(nearRe, nearS, nearIm * nearC)
      let farEven = Lanes.multiplyAdd(farRe, farC, farIm * farS)
      let nearOdd = Lanes.multiplySubtract(farRe, farS, farIm * farC)
      interleave(nearEven, Lanes.reversed(nearOdd), y + 2 * near)
      interleave(farEven, Lanes.reversed(farOdd), y + 2 * far)
      near += 8
    }
  }

  @inline(__always)
  private static func interleave(_ even: Lanes8, _ odd: Lanes8, _ target: Target) {
    let a = Lanes.unpackLow(even, odd)
    let b = Lanes.unpackHigh(even, odd)
    store(Lanes8(lowHalf: a.lowHalf, highHalf: b.lowHalf), target)
    store(Lanes8(lowHalf: a.highHalf, highHalf: b.highHalf), target + 8)
  }
}
