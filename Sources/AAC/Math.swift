#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The elementary functions that the standard library does not have.
enum Math {
  static func exp2(_ x: Float) -> Float {
    #if canImport(Glibc)
      Glibc.exp2f(x)
    #elseif canImport(Musl)
      Musl.exp2f(x)
    #else
      Darwin.exp2f(x)
    #endif
  }
  static func log2(_ x: Float) -> Float {
    #if canImport(Glibc)
      Glibc.log2f(x)
    #elseif canImport(Musl)
      Musl.log2f(x)
    #else
      Darwin.log2f(x)
    #endif
  }
  static func power(_ x: Double, _ y: Double) -> Double { pow(x, y) }
  static func areaSine(_ x: Double) -> Double { asinh(x) }
  static func hyperbolicSine(_ x: Double) -> Double { sinh(x) }
  static func exponential(_ x: Double) -> Double { exp(x) }
  static func sine(_ x: Double) -> Double { sin(x) }
  static func arcSine(_ x: Double) -> Double { asin(x) }

  /// A power ratio from decibels.
  static func power(decibels: Double) -> Double { power(10, decibels / 10) }
}
