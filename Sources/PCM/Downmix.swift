/// How channels are weighed in a mix to two channels or one.
///
/// With h = 1/√2 and, for side, rear and upper rear channels, Ls and Rs; a rear centre S counts as h·S in both. The
/// upper front channels count as h·L, h·R, the low-frequency channel is left out, and every mix is divided by the
/// largest sum of its weights, so that full-scale input cannot leave full scale.
public enum Downmix: Sendable, Hashable {
  /// ITU-R BS.775, table 2:
  ///
  ///     L' = L + h·C + h·Ls    R' = R + h·C + h·Rs
  ///     M  = h·L + h·R + C + ½·Ls + ½·Rs
  case itu
  /// The matrix of an AAC stream (ISO/IEC 14496-3, matrix_mixdown_idx): with A the gain of the surrounds
  ///
  ///     L' = L + h·C + A·Ls          R' = R + h·C + A·Rs
  ///     L' = L + h·C - A·(Ls + Rs)   R' = R + h·C + A·(Ls + Rs)   for matrix decoders (pseudo_surround_enable)
  ///     M  = L + C + R + A·(Ls + Rs)
  ///
  /// Sounds of one or two channels are mixed as `itu` has it, and so is every mix to other layouts.
  case matrix(surround: Float, pseudoSurround: Bool)
}

extension Downmix {
  private static let half = Float(0.5).squareRoot()

  /// What a speaker gives to the front left, the front right and a single channel by the stream's matrix; `nil` for
  /// the low-frequency channel.
  static func weights(
    of speaker: Speaker, surround: Float, pseudoSurround: Bool
  ) -> (left: Float, right: Float, mono: Float)? {
    switch speaker {
    case .frontLeft, .frontLeftOfCenter: (1, 0, 1)
    case .frontRight, .frontRightOfCenter: (0, 1, 1)
    case .frontCenter, .topFrontCenter: (half, half, 1)
    case .topFrontLeft: (half, 0, half)
    case .topFrontRight: (0, half, half)
    case .backLeft, .sideLeft, .topBackLeft:
      pseudoSurround ? (-surround, surround, surround) : (surround, 0, surround)
    case .backRight, .sideRight, .topBackRight:
      pseudoSurround ? (-surround, surround, surround) : (0, surround, surround)
    case .backCenter, .topBackCenter, .topCenter:
      pseudoSurround
        ? (-2 * half * surround, 2 * half * surround, 2 * half * surround)
        : (half * surround, half * surround, 2 * half * surround)
    case .lowFrequency: nil
    }
  }

  /// Rows of gains before scaling; `nil` where a channel has no place.
  static func matrixRows(
    from input: ChannelLayout, toMono: Bool, surround: Float, pseudoSurround: Bool
  ) -> [[Float]]? {
    var rows = [[Float]](
      repeating: [Float](repeating: 0, count: input.channelCount), count: toMono ? 1 : 2)
    for (channel, speaker) in input.speakers.enumerated() {
      guard let speaker else { return nil }
      guard let weights = weights(of: speaker, surround: surround, pseudoSurround: pseudoSurround) else {
        continue
      }
      if toMono {
        rows[0][channel] = weights.mono
      } else {
        rows[0][channel] = weights.left
        rows[1][channel] = weights.right
      }
    }
    return rows
  }

  /// Divides rows by the largest sum of their magnitudes, where that is above 1. What rounding leaves above 1 is
  /// taken away, too.
  static func scale(_ rows: inout [[Float]]) {
    func largestSum() -> Float { rows.map { $0.reduce(0) { $0 + abs($1) } }.max() ?? 0 }
    let largest = largestSum()
    guard largest > 1 else { return }
    rows = rows.map { $0.map { $0 / largest } }
    while largestSum() > 1 { rows = rows.map { $0.map { $0 * (1 - .ulpOfOne) } } }
  }
}
