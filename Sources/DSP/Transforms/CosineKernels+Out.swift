/// After the complex transform, result n turned by exp(−iπ/size·(n + ⅛)) has y[2n] as its real part and
/// y[size − 1 − 2n] as its negative imaginary part. Results come in the mirrored order of `ResultOrder`.
extension CosineKernels {
  private typealias Vector = RegisterLanes
  private static let width = RegisterLanes.scalarCount

  /// For the pair at `n`: the values of y from 2n upwards and those from size − 1 − 2n downwards.
  @inline(__always)
  private static func rotated(
    _ x: Source, _ turns: Source
  ) -> (rising: (Vector, Vector), falling: (Vector, Vector)) {
    let nearRe = loadAligned(x)
    let nearIm = loadAligned(x + width)
    let farRe = loadAligned(x + 2 * width)
    let farIm = loadAligned(x + 3 * width)
    let nearCosines = loadAligned(turns)
    let nearSines = loadAligned(turns + width)
    let farCosines = loadAligned(turns + 2 * width)
    let farSines = loadAligned(turns + 3 * width)
    let rising = interleaved(
      Lanes.multiplyAdd(nearRe, nearCosines, nearIm * nearSines),
      Lanes.multiplySubtract(farRe, farSines, farIm * farCosines))
    let falling = interleaved(
      Lanes.multiplySubtract(nearRe, nearSines, nearIm * nearCosines),
      Lanes.multiplyAdd(farRe, farCosines, farIm * farSines))
    return (rising, falling)
  }

  @inline(__always)
  private static func interleaved(_ even: Lanes4, _ odd: Lanes4) -> (Lanes4, Lanes4) {
    (Lanes.unpackLow(even, odd), Lanes.unpackHigh(even, odd))
  }

  @inline(__always)
  private static func interleaved(_ even: Lanes8, _ odd: Lanes8) -> (Lanes8, Lanes8) {
    let a = Lanes.unpackLow(even, odd)
    let b = Lanes.unpackHigh(even, odd)
    return (
      Lanes8(lowHalf: a.lowHalf, highHalf: b.lowHalf), Lanes8(lowHalf: a.highHalf, highHalf: b.highHalf)
    )
  }

  @inline(__always)
  private static func reversed(_ pair: (Vector, Vector)) -> (Vector, Vector) {
    (Lanes.reversed(pair.1), Lanes.reversed(pair.0))
  }

  @inline(__always)
  private static func pair(_ pointer: Source) -> (Vector, Vector) {
    (loadRegister(pointer), loadRegister(pointer + width))
  }

  @inline(__always)
  private static func put(_ pair: (Vector, Vector), _ pointer: Target) {
    store(pair.0, pointer)
    store(pair.1, pointer + width)
  }

  @inline(__always)
  private static func times(_ a: (Vector, Vector), _ b: (Vector, Vector)) -> (Vector, Vector) {
    (a.0 * b.0, a.1 * b.1)
  }

  /// All y in their order.
  static func rotateOut(_ x: Source, _ order: ResultOrder, _ turns: Source, _ y: Target) {
    let size = 2 * order.size
    var place = 0
    for q in 0..<(order.isSingle ? order.lanes / 2 : order.lanes) {
      for step in 0..<order.steps {
        let n = width &* step &+ order.length &* q
        let values = rotated(x + place, turns + place)
        put(values.rising, y + 2 &* n)
        put(reversed(values.falling), y + (size &- 2 &* width &- 2 &* n))
        place &+= 4 &* width
      }
    }
  }

  /// y unfolded, windowed and added to `overlap`; only where no two steps overlap.
  static func unfoldOut(
    _ x: Source, _ order: ResultOrder, _ turns: Source, _ left: Source, _ right: Source,
    _ overlap: Target, _ output: Target
  ) {
    let half = order.size
    let rise = left + half
    let fall = right + half
    let memory = overlap + half
    let middle = output + half
    var place = 0
    for q in 0..<(order.lanes / 2) {
      for step in 0..<order.steps {
        // j counts outwards from the middle of a half: y[j] is the right half's, y[size − 1 − j] the left's.
        let j = 2 &* (width &* step &+ order.length &* q)
        let values = rotated(x + place, turns + place)
        addLeft(values.falling, reversed(values.falling), j, rise, memory, middle)
        let turned = reversed(times(values.rising, pair(fall + j)))
        let back = -2 &* width &- j
        put(times(values.rising, reversed(pair(fall + back))), memory + j)
        put(turned, memory + back)
        place &+= 4 &* width
      }
    }
    if order.isSingle { return }
    for q in (order.lanes / 2)..<order.lanes {
      for step in 0..<order.steps {
        let n = width &* step &+ order.length &* q
        let j = 2 &* half &- 2 &* width &- 2 &* n
        let values = rotated(x + place, turns + place)
        addLeft(reversed(values.rising), values.rising, j, rise, memory, middle)
        let back = -2 &* width &- j
        let turned = reversed(times(values.falling, pair(fall + back)))
        put(times(values.falling, reversed(pair(fall + j))), memory + back)
        put(turned, memory + j)
        place &+= 4 &* width
      }
    }
  }

  /// The left half at distances j… from its middle, both ways. `outwards` are its values for rising j.
  @inline(__always)
  private static func addLeft(
    _ outwards: (Vector, Vector), _ inwards: (Vector, Vector), _ j: Int, _ rise: Source, _ memory: Source,
    _ middle: Target
  ) {
    let back = -2 &* width &- j
    let upperSlope = pair(rise + j)
    let upper = pair(memory + j)
    put(
      (
        Lanes.multiplyAdd(outwards.0, upperSlope.0, upper.0),
        Lanes.multiplyAdd(outwards.1, upperSlope.1, upper.1)
      ), middle + j)
    let lowerSlope = pair(rise + back)
    let lower = pair(memory + back)
    put(
      (
        Lanes.negativeMultiplyAdd(inwards.0, lowerSlope.0, lower.0),
        Lanes.negativeMultiplyAdd(inwards.1, lowerSlope.1, lower.1)
      ), middle + back)
  }
}
