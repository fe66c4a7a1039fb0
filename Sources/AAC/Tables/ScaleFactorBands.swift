/// The scale factor bands of a stream: band edges of its long and short windows.
struct ScaleFactorBands: Equatable, Sendable {
  /// Lines of a long window: 1024 or 960 (a short one has an eighth), or 512 or 480 (without short ones).
  let frameLength: Int
  /// Edges of the long bands, from 0 to `frameLength`.  // swb_offset_long_window
  let long: [Int]
  /// Edges of the short bands, from 0 to `frameLength / 8`.  // swb_offset_short_window
  let short: [Int]
  let tnsMaxBandsLong: Int  // TNS_MAX_BANDS
  let tnsMaxBandsShort: Int

  var longCount: Int { long.count - 1 }  // num_swb_long_window
  var shortCount: Int { short.count - 1 }  // num_swb_short_window

  init(samplingRate: SamplingRate, frameLength: Int) {
    let index = samplingRate.tableIndex
    self.frameLength = frameLength
    switch frameLength {
    case 960:
      long = ScaleFactorBandTables.offsets960(family: ScaleFactorBandTables.longFamily[index])
      short = ScaleFactorBandTables.offsets120(family: ScaleFactorBandTables.shortFamily[index])
      tnsMaxBandsLong = ScaleFactorBandTables.tnsMaxBandsLong[index]
      tnsMaxBandsShort = ScaleFactorBandTables.tnsMaxBandsShort[index]
    case 512:
      long = LowDelayBandTables.offsets512(family: LowDelayBandTables.family[index])
      short = [0]
      tnsMaxBandsLong = LowDelayBandTables.tnsMaxBands512[index]
      tnsMaxBandsShort = 0
    case 480:
      long = LowDelayBandTables.offsets480(family: LowDelayBandTables.family[index])
      short = [0]
      tnsMaxBandsLong = LowDelayBandTables.tnsMaxBands480[index]
      tnsMaxBandsShort = 0
    default:
      long = ScaleFactorBandTables.offsets1024(family: ScaleFactorBandTables.longFamily[index])
      short = ScaleFactorBandTables.offsets128(family: ScaleFactorBandTables.shortFamily[index])
      tnsMaxBandsLong = ScaleFactorBandTables.tnsMaxBandsLong[index]
      tnsMaxBandsShort = ScaleFactorBandTables.tnsMaxBandsShort[index]
    }
  }

  func offsets(short isShort: Bool) -> [Int] { isShort ? short : long }
  func count(short isShort: Bool) -> Int { isShort ? shortCount : longCount }
}
