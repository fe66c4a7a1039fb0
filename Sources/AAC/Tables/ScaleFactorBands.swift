/// The scale factor bands of a stream: band edges of its long and short windows.
struct ScaleFactorBands: Equatable, Sendable {
  /// Lines of a long window (1024 or 960) and of a short one (an eighth).
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
    let longFamily = ScaleFactorBandTables.longFamily[index]
    let shortFamily = ScaleFactorBandTables.shortFamily[index]
    self.frameLength = frameLength
    if frameLength == 960 {
      long = ScaleFactorBandTables.offsets960(family: longFamily)
      short = ScaleFactorBandTables.offsets120(family: shortFamily)
    } else {
      long = ScaleFactorBandTables.offsets1024(family: longFamily)
      short = ScaleFactorBandTables.offsets128(family: shortFamily)
    }
    tnsMaxBandsLong = ScaleFactorBandTables.tnsMaxBandsLong[index]
    tnsMaxBandsShort = ScaleFactorBandTables.tnsMaxBandsShort[index]
  }

  func offsets(short isShort: Bool) -> [Int] { isShort ? short : long }
  func count(short isShort: Bool) -> Int { isShort ? shortCount : longCount }
}
