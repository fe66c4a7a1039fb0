import DSP

/// What an effort level spends time on. What each part gains and costs is told in `EncoderDecisions.md`.
struct EffortPlan: Sendable {
  /// Reach of the candidates above the lowest one, and below the estimate, in scale factors.
  private static let reach = 12
  private static let below = 5

  /// Scale factors are searched: noise and bits of candidates are measured and a trellis picks among them.
  /// Without it they are what theory gives for the price, and the bits show when the frame is written.
  var searches = true
  /// The scale factors tried for a band, and the quantiser offsets tried for each of them: what is added
  /// before truncation, below ½ since small values are more frequent than large ones.
  var grid = Self.grid(spacing: 1, roundings: [0.37])
  /// Sine and Kaiser–Bessel windows are compared for every long frame.
  var comparesShapes = true
  /// Temporal noise shaping is considered where the sound is bunched in time.
  var shapesNoise = true
  /// Left/right or middle/side is decided by noise and bits of the candidates both ways, instead of by an
  /// estimate of the bits from the lines.
  var measuresStereo = false
  /// The masking model sees the energy of long windows by their sine parts too, which takes a transform more,
  /// instead of estimating those from the neighbours of each line.
  var transformsSines = false
  /// The slope of a masker follows the partitions that it passes, instead of staying its own.
  var spreadsQuickly = false
  /// Of the codebooks only the few nearest to a band's largest value are counted.
  var ownBooksOnly = false

  init(_ effort: EncoderSettings.Effort) {
    switch effort {
    case .min:
      searches = false
      comparesShapes = false
      shapesNoise = false
      spreadsQuickly = true
      ownBooksOnly = true
    case .low:
      grid = Self.grid(spacing: 2, roundings: [0.37])
      comparesShapes = false
    case .medium:
      break
    case .high:
      transformsSines = true
    case .max:
      transformsSines = true
      measuresStereo = true
      grid = Self.grid(spacing: 1, roundings: [0.37, 0.44])
    }
  }

  private static func grid(spacing: Int, roundings: [Float]) -> CandidateGrid {
    CandidateGrid(count: reach / spacing, spacing: spacing, roundings: roundings, below: below)
  }
}
