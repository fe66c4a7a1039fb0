/// Eight floats, the width most kernels are written in. LLVM splits it where registers are narrower.
typealias Lanes8 = SIMD8<Float>
typealias Lanes4 = SIMD4<Float>

#if AAC_FMA && arch(x86_64)
  /// The width the transforms' butterflies are written in, that of a register: they need many at a time.
  typealias RegisterLanes = Lanes8
#else
  /// The width the transforms' butterflies are written in, that of a register: they need many at a time.
  typealias RegisterLanes = Lanes4
#endif

/// Rearrangements and the like, spelt so that any architecture can compile them.
///
/// `IntelLanes` offers the same functions; `Lanes` is the one to use.
enum PortableLanes {
  // MARK: - Order of lanes

  /// Lane 7 first.
  @inline(__always)
  static func reversed(_ a: Lanes8) -> Lanes8 { Lanes8(a[7], a[6], a[5], a[4], a[3], a[2], a[1], a[0]) }

  /// Lane 3 first.
  @inline(__always)
  static func reversed(_ a: Lanes4) -> Lanes4 { Lanes4(a[3], a[2], a[1], a[0]) }

  /// The even lanes of a, then those of b.
  @inline(__always)
  static func evens(_ a: Lanes8, _ b: Lanes8) -> Lanes8 { Lanes8(lowHalf: a.evenHalf, highHalf: b.evenHalf) }

  /// The odd lanes of a, then those of b.
  @inline(__always)
  static func odds(_ a: Lanes8, _ b: Lanes8) -> Lanes8 { Lanes8(lowHalf: a.oddHalf, highHalf: b.oddHalf) }

  /// a[0], b[0], a[1], b[1]; of eight lanes each half on its own.
  @inline(__always)
  static func unpackLow(_ a: Lanes4, _ b: Lanes4) -> Lanes4 { Lanes4(a[0], b[0], a[1], b[1]) }

  @inline(__always)
  static func unpackLow(_ a: Lanes8, _ b: Lanes8) -> Lanes8 {
    Lanes8(lowHalf: unpackLow(a.lowHalf, b.lowHalf), highHalf: unpackLow(a.highHalf, b.highHalf))
  }

  /// a[2], b[2], a[3], b[3]; of eight lanes each half on its own.
  @inline(__always)
  static func unpackHigh(_ a: Lanes4, _ b: Lanes4) -> Lanes4 { Lanes4(a[2], b[2], a[3], b[3]) }

  @inline(__always)
  static func unpackHigh(_ a: Lanes8, _ b: Lanes8) -> Lanes8 {
    Lanes8(lowHalf: unpackHigh(a.lowHalf, b.lowHalf), highHalf: unpackHigh(a.highHalf, b.highHalf))
  }

  /// a[0], a[1], b[0], b[1]; of eight lanes each half on its own.
  @inline(__always)
  static func unpackLowPairs(_ a: Lanes4, _ b: Lanes4) -> Lanes4 { Lanes4(a[0], a[1], b[0], b[1]) }

  @inline(__always)
  static func unpackLowPairs(_ a: Lanes8, _ b: Lanes8) -> Lanes8 {
    Lanes8(lowHalf: unpackLowPairs(a.lowHalf, b.lowHalf), highHalf: unpackLowPairs(a.highHalf, b.highHalf))
  }

  /// a[2], a[3], b[2], b[3]; of eight lanes each half on its own.
  @inline(__always)
  static func unpackHighPairs(_ a: Lanes4, _ b: Lanes4) -> Lanes4 { Lanes4(a[2], a[3], b[2], b[3]) }

  @inline(__always)
  static func unpackHighPairs(_ a: Lanes8, _ b: Lanes8) -> Lanes8 {
    Lanes8(lowHalf: unpackHighPairs(a.lowHalf, b.lowHalf), highHalf: unpackHighPairs(a.highHalf, b.highHalf))
  }

  // MARK: - Arithmetic

  @inline(__always)
  static func squareRoot(_ a: Lanes8) -> Lanes8 { a.squareRoot() }

  /// a·b + c, in one rounding or in two.
  @inline(__always)
  static func multiplyAdd(_ a: Lanes8, _ b: Lanes8, _ c: Lanes8) -> Lanes8 { a * b + c }

  @inline(__always)
  static func multiplyAdd(_ a: Lanes4, _ b: Lanes4, _ c: Lanes4) -> Lanes4 { a * b + c }

  /// a·b − c, in one rounding or in two.
  @inline(__always)
  static func multiplySubtract(_ a: Lanes8, _ b: Lanes8, _ c: Lanes8) -> Lanes8 { a * b - c }

  @inline(__always)
  static func multiplySubtract(_ a: Lanes4, _ b: Lanes4, _ c: Lanes4) -> Lanes4 { a * b - c }

  /// c − a·b, in one rounding or in two.
  @inline(__always)
  static func negativeMultiplyAdd(_ a: Lanes8, _ b: Lanes8, _ c: Lanes8) -> Lanes8 { c - a * b }

  @inline(__always)
  static func negativeMultiplyAdd(_ a: Lanes4, _ b: Lanes4, _ c: Lanes4) -> Lanes4 { c - a * b }

  // MARK: - Integers

  /// Int16(a) in every lane; lanes above 8191 and NaN give 8191. Negative lanes are not allowed.
  @inline(__always)
  static func truncated(_ a: Lanes8) -> SIMD8<Int16> {
    let top = Lanes8(repeating: 8191)
    let limited = top.replacing(with: a, where: a .< top)
    // Adding 2²³ rounds to a whole number, which may be one too many, and leaves it in the low bits.
    let large = Lanes8(repeating: 8_388_608)
    let rounded = (limited + large) - large
    let whole = rounded.replacing(with: rounded - Lanes8(repeating: 1), where: rounded .> limited)
    let bits = unsafeBitCast(whole + large, to: SIMD8<UInt32>.self)
    return SIMD8<Int16>(
      Int16(truncatingIfNeeded: bits[0]), Int16(truncatingIfNeeded: bits[1]),
      Int16(truncatingIfNeeded: bits[2]), Int16(truncatingIfNeeded: bits[3]),
      Int16(truncatingIfNeeded: bits[4]), Int16(truncatingIfNeeded: bits[5]),
      Int16(truncatingIfNeeded: bits[6]), Int16(truncatingIfNeeded: bits[7]))
  }

  /// −1 where the sign is negative, else 0.
  @inline(__always)
  static func signs(_ a: Lanes8) -> SIMD8<Int16> {
    let bits = unsafeBitCast(a, to: SIMD8<Int32>.self) &>> SIMD8(repeating: 31)
    return SIMD8<Int16>(truncatingIfNeeded: bits)
  }

  /// a[0]·b[0] + a[1]·b[1] and so on: four sums of 32 bits, the first in the low half of the first word.
  @inline(__always)
  static func pairSums(_ a: SIMD8<Int16>, _ b: SIMD8<Int16>) -> SIMD2<UInt64> {
    var sums = SIMD4<Int32>(repeating: 0)
    for pair in 0..<4 {
      sums[pair] =
        Int32(a[2 * pair]) &* Int32(b[2 * pair]) &+ Int32(a[2 * pair + 1]) &* Int32(b[2 * pair + 1])
    }
    return unsafeBitCast(sums, to: SIMD2<UInt64>.self)
  }

  /// The integers as floats.
  @inline(__always)
  static func floats(_ q: SIMD8<Int16>) -> Lanes8 {
    Lanes8(
      Float(q[0]), Float(q[1]), Float(q[2]), Float(q[3]), Float(q[4]), Float(q[5]), Float(q[6]), Float(q[7]))
  }

  /// table[q] in every lane, each q between 0 and 15; `low` is the table's first half, `high` its second.
  @inline(__always)
  static func lookUp(_ q: SIMD8<Int16>, _ low: Lanes8, _ high: Lanes8) -> Lanes8 {
    var result = Lanes8(repeating: 0)
    for lane in 0..<8 {
      let index = Int(q[lane])
      result[lane] = index < 8 ? low[index] : high[index - 8]
    }
    return result
  }
}
