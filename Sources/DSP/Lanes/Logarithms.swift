/// Logarithm and power to the base 2 of eight floats at a time, by polynomials.

/// log2 of positive, normal numbers; the error is below 6·10⁻⁷.
@inline(__always)
func log2(_ x: Lanes8) -> Lanes8 {
  let bits = unsafeBitCast(x, to: SIMD8<UInt32>.self)
  // Exponent and mantissa such that the mantissa lies between √½ and √2.
  let shifted = bits &+ SIMD8(repeating: 0x3F80_0000 &- 0x3F35_04F3)
  let biased = shifted &>> SIMD8(repeating: 23)
  let mantissaBits =
    (shifted & SIMD8(repeating: 0x007F_FFFF)) &+ SIMD8(repeating: 0x3F35_04F3)
  let t = unsafeBitCast(mantissaBits, to: Lanes8.self) - Lanes8(repeating: 1)
  // An integer below 2²³ as a float: in the mantissa of 2²³, which is then taken away with the bias.
  let large = unsafeBitCast(biased | SIMD8(repeating: 0x4B00_0000), to: Lanes8.self)
  let exponent = large - Lanes8(repeating: 8_388_608 + 127)
  var p = Lanes8(repeating: 0.172_128_731)
  p = Lanes.multiplyAdd(p, t, Lanes8(repeating: -0.269_506_274))
  p = Lanes.multiplyAdd(p, t, Lanes8(repeating: 0.295_633_6))
  p = Lanes.multiplyAdd(p, t, Lanes8(repeating: -0.359_350_653))
  p = Lanes.multiplyAdd(p, t, Lanes8(repeating: 0.480_629_147))
  p = Lanes.multiplyAdd(p, t, Lanes8(repeating: -0.721_364_04))
  p = Lanes.multiplyAdd(p, t, Lanes8(repeating: 1.442_696_43))
  return Lanes.multiplyAdd(p, t, exponent)
}

/// 2^x for −126…127; the relative error is below 3·10⁻⁷.
@inline(__always)
func exp2(_ x: Lanes8) -> Lanes8 {
  // Adding 1.5·2²³ rounds to a whole number and leaves it in the low bits.
  let magic = Lanes8(repeating: 12_582_912)
  let large = x + magic
  let t = x - (large - magic)
  let scale = unsafeBitCast(
    (unsafeBitCast(large, to: SIMD8<UInt32>.self) &+ SIMD8(repeating: 127)) &<< SIMD8(repeating: 23),
    to: Lanes8.self)
  var p = Lanes8(repeating: 0.001_340_043_22)
  p = Lanes.multiplyAdd(p, t, Lanes8(repeating: 0.009_676_037_1))
  p = Lanes.multiplyAdd(p, t, Lanes8(repeating: 0.055_503_272_1))
  p = Lanes.multiplyAdd(p, t, Lanes8(repeating: 0.240_221_074))
  p = Lanes.multiplyAdd(p, t, Lanes8(repeating: 0.693_147_207))
  p = Lanes.multiplyAdd(p, t, Lanes8(repeating: 1.000_000_08))
  return p * scale
}

/// x^(5/2) of lanes that are not negative.
@inline(__always)
func fiveHalves(_ x: Lanes8) -> Lanes8 { x * x * Lanes.squareRoot(x) }
