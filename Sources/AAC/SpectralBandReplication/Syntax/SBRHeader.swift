/// `sbr_header()` (ISO/IEC 14496-3, table 4.63).
struct SBRHeader: Equatable, Sendable {
  /// Steps of 3 dB instead of 1.5 dB.
  var isCoarse = false  // bs_amp_res
  var startFrequency = 0  // bs_start_freq
  var stopFrequency = 0  // bs_stop_freq
  var crossoverBand = 0  // bs_xover_band
  var frequencyScale = 2  // bs_freq_scale
  var altersScale = true  // bs_alter_scale
  var noiseBands = 2  // bs_noise_bands
  var limiterBands = 2  // bs_limiter_bands
  var limiterGains = 2  // bs_limiter_gains
  var interpolates = true  // bs_interpol_freq
  /// bs_smoothing_mode is 0.
  var smooths = false

  /// Whether a change from `other` makes new band tables and starts the high bands over (4.6.18.3.1).
  func resets(_ other: SBRHeader) -> Bool {
    startFrequency != other.startFrequency || stopFrequency != other.stopFrequency
      || crossoverBand != other.crossoverBand || frequencyScale != other.frequencyScale
      || altersScale != other.altersScale || noiseBands != other.noiseBands
  }
}

extension SBRHeader {
  /// What the two optional parts do not say has its default, whatever an earlier header said.
  init(parsing bits: inout BitReader) throws(AACError) {
    isCoarse = try bits.flag()
    startFrequency = try bits.uint(4)
    stopFrequency = try bits.uint(4)
    crossoverBand = try bits.uint(3)
    try bits.skip(2)
    let hasFirst = try bits.flag()
    let hasSecond = try bits.flag()
    if hasFirst {
      frequencyScale = try bits.uint(2)
      altersScale = try bits.flag()
      noiseBands = try bits.uint(2)
    }
    if hasSecond {
      limiterBands = try bits.uint(2)
      limiterGains = try bits.uint(2)
      interpolates = try bits.flag()
      smooths = try !bits.flag()
    }
  }

  /// Reads a header that a configuration has.
  init(_ header: SBRHeaderBits) throws(AACError) {
    guard (16...27).contains(header.count), (0..<1 << header.count).contains(header.value) else {
      throw AACError(.inconsistent("an SBR header of \(header.count) bits"))
    }
    var writer = BitWriter()
    writer.put(header.value, header.count)
    writer.alignToByte()
    var bits = BitReader(writer.bytes)
    try self.init(parsing: &bits)
  }

  func write(to bits: inout BitWriter) {
    let standard = SBRHeader()
    let hasFirst =
      frequencyScale != standard.frequencyScale || altersScale != standard.altersScale
      || noiseBands != standard.noiseBands
    let hasSecond =
      limiterBands != standard.limiterBands || limiterGains != standard.limiterGains
      || interpolates != standard.interpolates || smooths != standard.smooths
    bits.put(isCoarse)
    bits.put(startFrequency, 4)
    bits.put(stopFrequency, 4)
    bits.put(crossoverBand, 3)
    bits.put(0, 2)
    bits.put(hasFirst)
    bits.put(hasSecond)
    if hasFirst {
      bits.put(frequencyScale, 2)
      bits.put(altersScale)
      bits.put(noiseBands, 2)
    }
    if hasSecond {
      bits.put(limiterBands, 2)
      bits.put(limiterGains, 2)
      bits.put(interpolates)
      bits.put(!smooths)
    }
  }
}
