/// How far a decoder follows a stream's dynamic range control (ISO/IEC 14496-3, 4.5.2.7).
///
/// The stream gives every band of every channel a gain g in steps of 1/24 octave of amplitude (about 0.25 dB), a cut
/// where g < 0 and a boost where g > 0, and it may tell its mean level p, in steps of -0.25 dB from full scale. What
/// is heard is multiplied by
///
///     2^(cut · g / 24)    for g < 0
///     2^(boost · g / 24)  for g > 0
///     2^((p - t) / 24)    where `referenceLevel` is given and the stream tells p; t = -4 · referenceLevel
///
/// - Without spectral band replication the gains act on the spectrum, right before the filterbank. Band k ends with
///   line 4 · (drc_band_top + 1); of short windows, lines are counted through all eight of them. Lines above the last
///   band get the reference level alone.
/// - With spectral band replication they act on the QMF samples, after parametric stereo: bands end at QMF bands, the
///   last one reaches to the top, and gains change as drc_interpolation_scheme has it: linearly over the length of a
///   frame (0), or at the border of a short window (1…8); in short windows always at the borders. They are ten QMF
///   samples behind the spectrum's, as the sound is.
/// - Gains belong to a channel, the reference level to the programme. Both hold, without a limit, until new ones
///   come, a concealed frame included; `reset()` and another layout forget them. A channel that exclude_mask
///   leaves out keeps what it had. Channels are counted in the order of the programme's elements, independently
///   switched coupling channels behind them. Data for another programme (pce_instance_tag) is passed over.
/// - Long-term prediction goes on from the sound without gains, as the encoder did.
///
/// A boost, or a reference level above the stream's, can lead beyond full scale: `Float` samples keep that.
/// Compression values in data stream elements (DVB ancillary data) are not looked at.
public struct DynamicRangeControl: Sendable, Hashable {
  /// How much of a cut is applied, 0 (nothing) to 1 (all).
  public var cut: Double {
    didSet { cut = Self.limited(cut, 0...1) }
  }
  /// How much of a boost is applied, 0 (nothing) to 1 (all).
  public var boost: Double {
    didSet { boost = Self.limited(boost, 0...1) }
  }
  /// The level, in dB from full scale (-31.75…0), that a programme of known level is brought to; `nil` leaves levels
  /// as they are.
  public var referenceLevel: Double? {
    didSet { referenceLevel = referenceLevel.map { Self.limited($0, Self.referenceLevels) } }
  }

  /// What prog_ref_level can tell.
  public static let referenceLevels: ClosedRange<Double> = -31.75...0

  /// Values outside of their ranges count as the nearest end.
  public init(cut: Double = 1, boost: Double = 1, referenceLevel: Double? = nil) {
    self.cut = Self.limited(cut, 0...1)
    self.boost = Self.limited(boost, 0...1)
    self.referenceLevel = referenceLevel.map { Self.limited($0, Self.referenceLevels) }
  }

  private static func limited(_ value: Double, _ range: ClosedRange<Double>) -> Double {
    value.isNaN ? range.lowerBound : min(max(value, range.lowerBound), range.upperBound)
  }
}

extension DynamicRangeControl {
  /// Steps of 1/24 octave that bring a programme to the reference level.
  func normalization(_ programLevel: Int?) -> Double {
    guard let referenceLevel, let programLevel else { return 0 }
    return Double(programLevel) + 4 * referenceLevel
  }

  /// The factor of a band, with the programme's normalization.
  func factor(_ gain: Int8, _ normalization: Double) -> Float {
    let steps = Double(gain) * (gain < 0 ? cut : boost) + normalization
    return steps == 0 ? 1 : PowerTables.powerOfTwo(steps / 24)
  }
}
