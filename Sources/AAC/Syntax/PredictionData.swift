/// The part of ics_info that steers the predictors of the object type Main (4.6.6).
struct PredictionData: Equatable, Sendable {
  /// The group of predictors (1…30) that starts over after this frame; 0 for none.
  var resetGroup = 0  // predictor_reset_group_number
  /// A bit for each band (bit 0: band 0) whose lines are predicted.
  var used: UInt64 = 0  // prediction_used

  static let resetGroups = 1...30
}

extension PredictionData {
  /// - Parameter count: bands with a flag: those below max_sfb and PRED_SFB_MAX.
  init(parsing bits: inout BitReader, bandCount count: Int) throws(AACError) {
    if try bits.flag() {
      let start = bits.position
      resetGroup = try bits.uint(5)
      guard Self.resetGroups.contains(resetGroup) else {
        throw AACError(
          .outOfRange("predictor_reset_group_number", value: resetGroup, allowed: Self.resetGroups),
          bitOffset: start)
      }
    }
    for band in 0..<count where try bits.flag() { used |= 1 << UInt64(band) }
  }

  func write(to bits: inout BitWriter, bandCount count: Int) {
    bits.put(resetGroup != 0)
    if resetGroup != 0 { bits.put(resetGroup, 5) }
    for band in 0..<count { bits.put(used >> UInt64(band) & 1 != 0) }
  }
}
