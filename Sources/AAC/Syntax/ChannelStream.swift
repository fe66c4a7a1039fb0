/// `individual_channel_stream()`: one channel of one frame, as integers, exactly what the bits say.
///
/// Band arrays are indexed `group * info.maxBand + band`. `spectrum` is in coded order: group after group;
/// in a group band after band; in a band window after window. Band b of group g thus starts at
/// `windowLength * (windows before g) + offset[b] * (windows in g)`.
/// All arrays have fixed sizes, so that a stream is filled again and again without allocating.
struct ChannelStream: Equatable, Sendable {
  /// Room for eight groups of 15 bands, or one of 51.
  static let bandCapacity = 128

  var globalGain = 0
  var info = ICSInfo()
  /// Codebook of each band: 0 nothing, 1…11 spectral, 13 noise, 14 and 15 intensity.
  var codebooks = [UInt8](repeating: 0, count: bandCapacity)  // sfb_cb
  /// Spectral gain (0…255), intensity position or noise energy, by the band's codebook; 0 for book 0.
  var scaleFactors = [Int16](repeating: 0, count: bandCapacity)
  var pulses: PulseData?
  var tns: TNSData?
  /// Quantised lines in coded order (1024 or 960 valid).
  var spectrum = [Int16](repeating: 0, count: 1024)
}

/// Codebook numbers with a meaning of their own.
enum Codebook {
  static let zero: UInt8 = 0  // ZERO_HCB
  static let escape: UInt8 = 11  // ESC_HCB
  static let noise: UInt8 = 13  // NOISE_HCB
  static let intensityOutOfPhase: UInt8 = 14  // INTENSITY_HCB2
  static let intensityInPhase: UInt8 = 15  // INTENSITY_HCB
}
