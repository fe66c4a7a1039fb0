import DSP

/// The quantiser's step for each scale factor (ISO/IEC 14496-3, 4.6.2.3.3): 2^((sf − 100)/4), what |q|^(4/3)
/// is multiplied by, and step^(−3/4), what |x|^(3/4) is multiplied by.
enum QuantizerSteps {
  static let table = StepTable(
    steps: (0...255).map { Float(Math.power(2, Double($0 - 100) / 4)) },
    multipliers: (0...255).map { Float(Math.power(2, -0.75 * Double($0 - 100) / 4)) })
}
