/// The last step of `ComplexTransform`: from lanes to neighbours in k, and one butterfly across the lanes.
enum TransformJoins {
  typealias Source = UnsafePointer<Float>
  typealias Target = UnsafeMutablePointer<Float>
  private typealias Vector = RegisterLanes
  private static let width = RegisterLanes.scalarCount

  // MARK: - Turning

  /// Four lanes of as many vectors as a register has lanes, `step` floats apart: lane by lane.
  @inline(__always)
  private static func transposed(_ source: Source, _ step: Int) -> (Vector, Vector, Vector, Vector) {
    let r0 = row(source, step)
    let r1 = row(source + step, step)
    let r2 = row(source + 2 * step, step)
    let r3 = row(source + 3 * step, step)
    let a = Lanes.unpackLow(r0, r1)
    let b = Lanes.unpackHigh(r0, r1)
    let c = Lanes.unpackLow(r2, r3)
    let d = Lanes.unpackHigh(r2, r3)
    return (
      Lanes.unpackLowPairs(a, c), Lanes.unpackHighPairs(a, c), Lanes.unpackLowPairs(b, d),
      Lanes.unpackHighPairs(b, d)
    )
  }

  #if AAC_FMA && arch(x86_64)
    /// Four floats here and four of the vector four steps on.
    @inline(__always)
    private static func row(_ source: Source, _ step: Int) -> Vector {
      let far = UnsafeRawPointer(source + 4 * step)
      return Vector(
        lowHalf: UnsafeRawPointer(source).load(as: Lanes4.self), highHalf: far.load(as: Lanes4.self))
    }
  #else
    @inline(__always)
    private static func row(_ source: Source, _ step: Int) -> Vector { loadAligned(source) }
  #endif

  @inline(__always)
  private static func factor(_ factors: Source, _ lane: Int) -> ComplexLanes {
    ComplexLanes(
      loadAligned(factors + 2 * width * lane), loadAligned(factors + 2 * width * lane + width))
  }

  // MARK: - Eight lanes

  /// Σ over lanes of factor·x[k][lane]·exp(−2πi·lane·q/8) for the k of one step; output q at `out` + q·across,
  /// its imaginary parts `apart` floats further.
  @inline(__always)
  private static func joinEight(
    _ x: Source, _ step: Int, _ factors: Source, _ out: Target, _ across: Int, _ apart: Int
  ) {
    let half = Vector(repeating: 0.707_106_781_186_547_5)
    let reLow = transposed(x, step)
    let imLow = transposed(x + 8, step)
    let reHigh = transposed(x + 4, step)
    let imHigh = transposed(x + 12, step)
    let gain = loadAligned(factors)

    let z0 = ComplexLanes(reLow.0 * gain, imLow.0 * gain)
    let z4 = ComplexLanes(reHigh.0, imHigh.0) * factor(factors, 4)
    let z2 = ComplexLanes(reLow.2, imLow.2) * factor(factors, 2)
    let z6 = ComplexLanes(reHigh.2, imHigh.2) * factor(factors, 6)
    let a0 = z0 + z4
    let a4 = z0 - z4
    let a2 = z2 + z6
    let a6 = z2 - z6
    let b0 = a0 + a2
    let b2 = a0 - a2
    let c = a4.minusI(a6)
    let d = a4.plusI(a6)

    let z1 = ComplexLanes(reLow.1, imLow.1) * factor(factors, 1)
    let z5 = ComplexLanes(reHigh.1, imHigh.1) * factor(factors, 5)
    let z3 = ComplexLanes(reLow.3, imLow.3) * factor(factors, 3)
    let z7 = ComplexLanes(reHigh.3, imHigh.3) * factor(factors, 7)
    let a1 = z1 + z5
    let a5 = z1 - z5
    let a3 = z3 + z7
    let a7 = z3 - z7
    let b1 = a1 + a3
    let b3 = a1 - a3
    put(b0 + b1, out, apart)
    put(b0 - b1, out + 4 * across, apart)
    put(b2.minusI(b3), out + 2 * across, apart)
    put(b2.plusI(b3), out + 6 * across, apart)

    // The eighth roots: (e.re + e.im, e.im − e.re)/√2 and (f.im − f.re, −f.re − f.im)/√2.
    let e = a5.minusI(a7)
    let eRe = e.re + e.im
    let eIm = e.im - e.re
    put(
      ComplexLanes(Lanes.multiplyAdd(eRe, half, c.re), Lanes.multiplyAdd(eIm, half, c.im)), out + across,
      apart)
    put(
      ComplexLanes(
        Lanes.negativeMultiplyAdd(eRe, half, c.re), Lanes.negativeMultiplyAdd(eIm, half, c.im)),
      out + 5 * across, apart)
    let f = a5.plusI(a7)
    let fRe = f.im - f.re
    let fIm = f.re + f.im
    put(
      ComplexLanes(Lanes.multiplyAdd(fRe, half, d.re), Lanes.negativeMultiplyAdd(fIm, half, d.im)),
      out + 3 * across, apart)
    put(
      ComplexLanes(Lanes.negativeMultiplyAdd(fRe, half, d.re), Lanes.multiplyAdd(fIm, half, d.im)),
      out + 7 * across, apart)
  }

  @inline(__always)
  private static func put(_ value: ComplexLanes, _ out: Target, _ apart: Int) {
    store(value.re, out)
    store(value.im, out + apart)
  }

  static func joinEight(_ source: Source, _ result: Target, _ order: ResultOrder, _ twiddles: Source) {
    var factors = twiddles
    let length = order.length
    switch order.kind {
    case .natural:
      var start = 0
      while start < length {
        joinEight(source + 16 * start, 16, factors, result + start, length, order.size)
        factors += 16 * width
        start += width
      }
    case .mirrored where order.isSingle:
      // Outputs 0…3 rise from the near end; 4…7, turned round, fall from the far end.
      joinEight(source, 16, factors, result, 4 * width, width)
      for near in 0..<4 {
        let rising = UnsafePointer(result + 4 * width * (7 - near))
        let falling = result + 4 * width * near + 2 * width
        store(Lanes.reversed(loadAligned(rising)), falling)
        store(Lanes.reversed(loadAligned(rising + width)), falling + width)
      }
    case .mirrored:
      let across = 4 * width * order.steps
      for step in 0..<order.steps {
        let near = result + 4 * width * step
        let start = width * step
        joinEight(source + 16 * start, 16, factors, near, across, width)
        factors += 16 * width
        let far = near + (7 * across + 2 * width)
        joinEight(source + 16 * (length - 1 - start), -16, factors, far, -across, width)
        factors += 16 * width
      }
    }
  }

  // MARK: - Four lanes

  /// Mirrored order only.
  static func joinFour(_ source: Source, _ result: Target, _ order: ResultOrder, _ twiddles: Source) {
    var factors = twiddles
    let across = 4 * width * order.steps
    for step in 0..<order.steps {
      let near = result + 4 * width * step
      let start = width * step
      joinFour(source + 16 * start, 16, factors, near, across)
      factors += 8 * width
      let far = near + (3 * across + 2 * width)
      joinFour(source + 16 * (order.length - 1 - start), -16, factors, far, -across)
      factors += 8 * width
    }
  }

  @inline(__always)
  private static func joinFour(_ x: Source, _ step: Int, _ factors: Source, _ out: Target, _ across: Int) {
    let re = transposed(x, step)
    let im = transposed(x + 8, step)
    let gain = loadAligned(factors)
    let z0 = ComplexLanes(re.0 * gain, im.0 * gain)
    let z1 = ComplexLanes(re.1, im.1) * factor(factors, 1)
    let z2 = ComplexLanes(re.2, im.2) * factor(factors, 2)
    let z3 = ComplexLanes(re.3, im.3) * factor(factors, 3)
    let sum = z0 + z2
    let difference = z0 - z2
    let otherSum = z1 + z3
    let otherDifference = z1 - z3
    put(sum + otherSum, out, width)
    put(difference.minusI(otherDifference), out + across, width)
    put(sum - otherSum, out + 2 * across, width)
    put(difference.plusI(otherDifference), out + 3 * across, width)
  }
}
