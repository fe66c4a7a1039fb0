#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The few functions of the C library that tables are computed with.
enum Elementary {
  static func sine(_ x: Double) -> Double { sin(x) }
  static func cosine(_ x: Double) -> Double { cos(x) }
  static func cubeRoot(_ x: Double) -> Double { cbrt(x) }

  static func log2(_ x: Float) -> Float { log2f(x) }

  /// exp(-2πi·numerator/denominator), the angle reduced before it is rounded.
  static func root(_ numerator: Int, of denominator: Int) -> (re: Double, im: Double) {
    let angle = -2 * Double.pi * Double(numerator % denominator) / Double(denominator)
    return (cos(angle), sin(angle))
  }
}
