/// What an effort level spends time on.
struct EffortPlan: Sendable {
  /// Distance between the scale factors tried for a band.
  let spacing: Int
  /// Quantiser offsets tried for each of them: what is added before truncation, below ½ since small values
  /// are more frequent than large ones.
  let roundings: [Float]
  /// Sine and Kaiser–Bessel windows are compared for every long frame.
  let comparesShapes: Bool

  init(_ effort: EncoderSettings.Effort) {
    switch effort {
    case .min, .low:
      spacing = 2
      roundings = [0.37]
      comparesShapes = false
    case .medium:
      spacing = 1
      roundings = [0.37]
      comparesShapes = true
    case .high, .max:
      spacing = 1
      roundings = [0.35, 0.43]
      comparesShapes = true
    }
  }
}
