/// Eight floats, the width every kernel is written in. LLVM splits it where registers are narrower.
typealias Lanes8 = SIMD8<Float>

/// Rearrangements and the like, spelt so that any architecture can compile them.
///
/// `IntelLanes` offers the same functions; `Lanes` is the one to use.
enum PortableLanes {
  typealias V = Lanes8

  /// Lane 7 first.
  @inline(__always)
  static func reversed(_ a: V) -> V { V(a[7], a[6], a[5], a[4], a[3], a[2], a[1], a[0]) }

  /// a[0], b[0], a[1], b[1], a[4], b[4], a[5], b[5]: each half on its own.
  @inline(__always)
  static func unpackLow(_ a: V, _ b: V) -> V { V(a[0], b[0], a[1], b[1], a[4], b[4], a[5], b[5]) }

  /// a[2], b[2], a[3], b[3], a[6], b[6], a[7], b[7]: each half on its own.
  @inline(__always)
  static func unpackHigh(_ a: V, _ b: V) -> V { V(a[2], b[2], a[3], b[3], a[6], b[6], a[7], b[7]) }

  /// a[0], a[1], b[0], b[1], a[4], a[5], b[4], b[5]: each half on its own.
  @inline(__always)
  static func unpackLowPairs(_ a: V, _ b: V) -> V { V(a[0], a[1], b[0], b[1], a[4], a[5], b[4], b[5]) }

  /// a[2], a[3], b[2], b[3], a[6], a[7], b[6], b[7]: each half on its own.
  @inline(__always)
  static func unpackHighPairs(_ a: V, _ b: V) -> V { V(a[2], a[3], b[2], b[3], a[6], a[7], b[6], b[7]) }

  /// The even lanes of a, then those of b.
  @inline(__always)
  static func evens(_ a: V, _ b: V) -> V { V(lowHalf: a.evenHalf, highHalf: b.evenHalf) }

  /// The odd lanes of a, then those of b.
  @inline(__always)
  static func odds(_ a: V, _ b: V) -> V { V(lowHalf: a.oddHalf, highHalf: b.oddHalf) }

  @inline(__always)
  static func squareRoot(_ a: V) -> V { a.squareRoot() }

  /// a·b + c, in one rounding or in two.
  @inline(__always)
  static func multiplyAdd(_ a: V, _ b: V, _ c: V) -> V { a * b + c }

  /// a·b − c, in one rounding or in two.
  @inline(__always)
  static func multiplySubtract(_ a: V, _ b: V, _ c: V) -> V { a * b - c }

  /// c − a·b, in one rounding or in two.
  @inline(__always)
  static func negativeMultiplyAdd(_ a: V, _ b: V, _ c: V) -> V { c - a * b }

  /// Int16(a) in every lane; lanes above 8191 and NaN give 8191. Negative lanes are not allowed.
  @inline(__always)
  static func truncated(_ a: V) -> SIMD8<Int16> {
    let top = V(repeating: 8191)
    let limited = top.replacing(with: a, where: a .< top)
    // Adding 2²³ rounds to a whole number, which may be one too many, and leaves it in the low bits.
    let large = V(repeating: 8_388_608)
    let rounded = (limited + large) - large
    let whole = rounded.replacing(with: rounded - V(repeating: 1), where: rounded .> limited)
    let bits = unsafeBitCast(whole + large, to: SIMD8<UInt32>.self)
    return SIMD8<Int16>(
      Int16(truncatingIfNeeded: bits[0]), Int16(truncatingIfNeeded: bits[1]),
      Int16(truncatingIfNeeded: bits[2]), Int16(truncatingIfNeeded: bits[3]),
      Int16(truncatingIfNeeded: bits[4]), Int16(truncatingIfNeeded: bits[5]),
      Int16(truncatingIfNeeded: bits[6]), Int16(truncatingIfNeeded: bits[7]))
  }

  /// The integers as floats.
  @inline(__always)
  static func floats(_ q: SIMD8<Int16>) -> V {
    V(
      Float(q[0]), Float(q[1]), Float(q[2]), Float(q[3]), Float(q[4]), Float(q[5]), Float(q[6]), Float(q[7]))
  }

  /// table[q] in every lane; each q between 0 and 7.
  @inline(__always)
  static func lookUp(_ q: SIMD8<Int16>, _ table: V) -> V {
    V(
      table[Int(q[0])], table[Int(q[1])], table[Int(q[2])], table[Int(q[3])], table[Int(q[4])],
      table[Int(q[5])], table[Int(q[6])], table[Int(q[7])])
  }
}
