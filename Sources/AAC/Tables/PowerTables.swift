#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Powers and sines that the tools look up.
enum PowerTables {
  /// The exponents of `quarters`. Together with the other limits of the tools the upper end, far above full
  /// scale, keeps every product of a decoder within what `Float` can hold, whatever the bits say.
  static let quarterRange = -346...160

  /// 2^(e/4).
  static let quarters: [Float] = quarterRange.map { Float(exp2(Double($0) / 4)) }

  /// 2^(exponent/4); exponents beyond `quarterRange` count as its ends.
  @inline(__always)
  static func quarter(_ exponent: Int, in table: [Float]) -> Float {
    table[min(max(exponent, quarterRange.lowerBound), quarterRange.upperBound) &- quarterRange.lowerBound]
  }

  /// 2^exponent, for exponents up to 20 (120 dB); those above count as 20.
  static func powerOfTwo(_ exponent: Double) -> Float { Float(exp2(min(max(exponent, -100), 20))) }

  /// magnitude^(4/3).
  static func fourThirds(_ magnitude: Int) -> Float {
    Float(Double(magnitude) * cbrt(Double(magnitude)))
  }

  /// The reflection coefficients of temporal noise shaping by index plus eight, for three bits (first half)
  /// and four bits (second half) of resolution (4.6.9.3). Coefficients sent with one bit less use the same.
  static let reflections: [Double] = [3, 4].flatMap { bits in
    (-8..<8).map { index in
      let half = Double(1 << (bits - 1))
      let step = (index >= 0 ? half - 0.5 : half + 0.5) / (Double.pi / 2)
      return sin(Double(index) / step)
    }
  }
}
