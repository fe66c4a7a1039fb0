/// The last step of `ComplexTransform`: from lanes to neighbours in k, and one butterfly across the lanes.
extension TransformPasses {
  /// Four lanes of the eight vectors at `source` (16 floats apart): lane by lane, a vector of eight.
  @inline(__always)
  private static func transposed(_ source: Source) -> (Lanes8, Lanes8, Lanes8, Lanes8) {
    let r0 = rows(source, 0)
    let r1 = rows(source, 1)
    let r2 = rows(source, 2)
    let r3 = rows(source, 3)
    let a = Lanes.unpackLow(r0, r1)
    let b = Lanes.unpackHigh(r0, r1)
    let c = Lanes.unpackLow(r2, r3)
    let d = Lanes.unpackHigh(r2, r3)
    return (
      Lanes.unpackLowPairs(a, c), Lanes.unpackHighPairs(a, c), Lanes.unpackLowPairs(b, d),
      Lanes.unpackHighPairs(b, d)
    )
  }

  /// Four floats of vector `row` and four of vector `row` + 4.
  @inline(__always)
  private static func rows(_ source: Source, _ row: Int) -> Lanes8 {
    let raw = UnsafeRawPointer(source + 16 * row)
    return Lanes8(
      lowHalf: raw.load(as: SIMD4<Float>.self),
      highHalf: raw.load(fromByteOffset: 256, as: SIMD4<Float>.self))
  }

  /// result[k + length·q] = Σ over lanes of factor·x[k][lane]·exp(−2πi·lane·q/8).
  static func joinEight(_ source: Source, _ result: Target, _ length: Int, _ twiddles: Source) {
    let half = Lanes8(repeating: 0.707_106_781_186_547_5)
    let imaginary = result + 8 * length
    var factors = twiddles
    var start = 0
    while true {
      let x = source + 16 * start
      let reLow = transposed(x)
      let imLow = transposed(x + 8)
      let reHigh = transposed(x + 4)
      let imHigh = transposed(x + 12)
      let gain = loadAligned(factors)
      let z0 = ComplexLanes(reLow.0 * gain, imLow.0 * gain)
      let z1 = ComplexLanes(reLow.1, imLow.1) * ComplexLanes(factors + 16)
      let z2 = ComplexLanes(reLow.2, imLow.2) * ComplexLanes(factors + 32)
      let z3 = ComplexLanes(reLow.3, imLow.3) * ComplexLanes(factors + 48)
      let z4 = ComplexLanes(reHigh.0, imHigh.0) * ComplexLanes(factors + 64)
      let z5 = ComplexLanes(reHigh.1, imHigh.1) * ComplexLanes(factors + 80)
      let z6 = ComplexLanes(reHigh.2, imHigh.2) * ComplexLanes(factors + 96)
      let z7 = ComplexLanes(reHigh.3, imHigh.3) * ComplexLanes(factors + 112)

      let a0 = z0 + z4
      let a4 = z0 - z4
      let a2 = z2 + z6
      let a6 = z2 - z6
      let a1 = z1 + z5
      let a5 = z1 - z5
      let a3 = z3 + z7
      let a7 = z3 - z7
      let b0 = a0 + a2
      let b2 = a0 - a2
      let b1 = a1 + a3
      let b3 = a1 - a3
      let c = a4.minusI(a6)
      let d = a4.plusI(a6)
      let e = a5.minusI(a7)
      let f = a5.plusI(a7)
      // The eighth roots: (e.re + e.im, e.im − e.re)/√2 and (f.im − f.re, −f.re − f.im)/√2.
      let eTurned = ComplexLanes(e.re + e.im, e.im - e.re)
      let fTurned = ComplexLanes(f.im - f.re, f.re + f.im)
      let re = result + start
      let im = imaginary + start
      put(b0 + b1, re, im, 0)
      put(b0 - b1, re, im, 4 * length)
      put(b2.minusI(b3), re, im, 2 * length)
      put(b2.plusI(b3), re, im, 6 * length)
      put(eTurned.scaledAdding(half, c), re, im, length)
      put(
        ComplexLanes(
          Lanes.negativeMultiplyAdd(eTurned.re, half, c.re), Lanes.negativeMultiplyAdd(eTurned.im, half, c.im)),
        re, im, 5 * length)
      put(
        ComplexLanes(
          Lanes.multiplyAdd(fTurned.re, half, d.re), Lanes.negativeMultiplyAdd(fTurned.im, half, d.im)),
        re, im, 3 * length)
      put(
        ComplexLanes(
          Lanes.negativeMultiplyAdd(fTurned.re, half, d.re), Lanes.multiplyAdd(fTurned.im, half, d.im)),
        re, im, 7 * length)

      if start == length - 8 { break }
      start = min(start + 8, length - 8)
      factors += 128
    }
  }

  /// result[k + length·q] = Σ over four lanes of factor·x[k][lane]·exp(−2πi·lane·q/4).
  static func joinFour(_ source: Source, _ result: Target, _ length: Int, _ twiddles: Source) {
    let imaginary = result + 4 * length
    var factors = twiddles
    var start = 0
    while true {
      let re = transposed(source + 16 * start)
      let im = transposed(source + 16 * start + 8)
      let gain = loadAligned(factors)
      let z0 = ComplexLanes(re.0 * gain, im.0 * gain)
      let z1 = ComplexLanes(re.1, im.1) * ComplexLanes(factors + 16)
      let z2 = ComplexLanes(re.2, im.2) * ComplexLanes(factors + 32)
      let z3 = ComplexLanes(re.3, im.3) * ComplexLanes(factors + 48)
      let sum = z0 + z2
      let difference = z0 - z2
      let otherSum = z1 + z3
      let otherDifference = z1 - z3
      put(sum + otherSum, result + start, imaginary + start, 0)
      put(difference.minusI(otherDifference), result + start, imaginary + start, length)
      put(sum - otherSum, result + start, imaginary + start, 2 * length)
      put(difference.plusI(otherDifference), result + start, imaginary + start, 3 * length)
      if start == length - 8 { break }
      start = min(start + 8, length - 8)
      factors += 64
    }
  }

  @inline(__always)
  private static func put(_ value: ComplexLanes, _ re: Target, _ im: Target, _ offset: Int) {
    store(value.re, re + offset)
    store(value.im, im + offset)
  }
}
