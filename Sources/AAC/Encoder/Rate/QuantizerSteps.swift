/// The quantiser's step for each scale factor (ISO/IEC 14496-3, 4.6.2.3.3).
enum QuantizerSteps {
  private static let steps: [Float] = (0...255).map { Float(Math.power(2, Double($0 - 100) / 4)) }
  private static let multipliers: [Float] = (0...255).map {
    Float(Math.power(2, -0.75 * Double($0 - 100) / 4))
  }

  /// 2^((sf − 100)/4): what |q|^(4/3) is multiplied by.
  static func step(_ scaleFactor: Int) -> Float { steps[scaleFactor] }
  /// step^(−3/4): what |x|^(3/4) is multiplied by.
  static func multiplier(_ scaleFactor: Int) -> Float { multipliers[scaleFactor] }
}
