import DSP

/// What an effort level spends time on.
struct EffortPlan: Sendable {
  /// Reach of the candidates above the lowest one, and below the estimate, in scale factors.
  private static let reach = 12
  private static let below = 5

  /// The scale factors tried for a band, and the quantiser offsets tried for each of them: what is added
  /// before truncation, below ½ since small values are more frequent than large ones.
  let grid: CandidateGrid
  /// Sine and Kaiser–Bessel windows are compared for every long frame.
  let comparesShapes: Bool

  init(_ effort: EncoderSettings.Effort) {
    switch effort {
    case .min, .low:
      grid = Self.grid(spacing: 2, roundings: [0.37])
      comparesShapes = false
    case .medium:
      grid = Self.grid(spacing: 1, roundings: [0.37])
      comparesShapes = true
    case .high, .max:
      grid = Self.grid(spacing: 1, roundings: [0.35, 0.43])
      comparesShapes = true
    }
  }

  private static func grid(spacing: Int, roundings: [Float]) -> CandidateGrid {
    CandidateGrid(count: reach / spacing, spacing: spacing, roundings: roundings, below: below)
  }
}
