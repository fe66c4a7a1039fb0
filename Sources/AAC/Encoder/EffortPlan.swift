import DSP

/// What an effort level spends time on. What each part gains and costs is told in `EncoderDecisions.md`.
struct EffortPlan: Sendable {
  /// Scale factors are searched: noise and bits of candidates are measured and a trellis picks among them.
  /// Without it they are what theory gives for the price, and the bits show when the frame is written.
  var searches = true
  /// The scale factors tried for a band, and the quantiser offsets tried for each of them: what is added
  /// before truncation, below ½ since small values are more frequent than large ones.
  var grid = CandidateGrid(count: 12, spacing: 1, roundings: [0.37], below: 5)
  /// Sine and Kaiser–Bessel windows are compared for every long frame.
  var comparesShapes = true
  /// Temporal noise shaping is considered where the sound is bunched in time.
  var shapesNoise = true
  /// Left/right or middle/side is decided by noise and bits of the candidates both ways, instead of by an
  /// estimate of the bits from the lines.
  var measuresStereo = false
  /// The masking model sees the energy of long windows by their sine parts too, which takes a transform more,
  /// instead of estimating those from the neighbours of each line.
  var transformsSines = true
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
      transformsSines = false
      spreadsQuickly = true
      ownBooksOnly = true
    case .low:
      grid = CandidateGrid(count: 6, spacing: 2, roundings: [0.37], below: 5)
      comparesShapes = false
    case .medium:
      grid = CandidateGrid(count: 8, spacing: 1, roundings: [0.37], below: 3)
    case .high:
      measuresStereo = true
    case .max:
      measuresStereo = true
      grid = CandidateGrid(count: 12, spacing: 1, roundings: [0.37, 0.44], below: 5)
    }
  }
}
