/// `ltp_data()`: how a frame is predicted from the sound before it (4.6.7).
struct LTPData: Equatable, Sendable {
  /// Samples to look back; `nil` (low delay only): as many as in the frame before.
  var lag: Int?  // ltp_lag
  var coefficient = 0  // ltp_coef
  /// A bit for each band (bit 0: band 0) that the prediction is added to.
  var used: UInt64 = 0  // ltp_long_used

  static let bandLimit = 40  // MAX_LTP_LONG_SFB

  static func lagBits(_ objectType: AudioObjectType) -> Int { objectType == .lowDelay ? 10 : 11 }
}

extension LTPData {
  /// - Parameter maxBand: max_sfb of the frame, whose window is a long one.
  init(
    parsing bits: inout BitReader, maxBand: Int, frameLength: Int, objectType: AudioObjectType
  ) throws(AACError) {
    var hasLag = true
    if objectType == .lowDelay { hasLag = try bits.flag() }  // ltp_lag_update
    if hasLag {
      let start = bits.position
      let lag = try bits.uint(Self.lagBits(objectType))
      guard lag <= 2 * frameLength else {
        throw AACError(.outOfRange("ltp_lag", value: lag, allowed: 0...2 * frameLength), bitOffset: start)
      }
      self.lag = lag
    }
    coefficient = try bits.uint(3)
    for band in 0..<min(maxBand, Self.bandLimit) where try bits.flag() { used |= 1 << UInt64(band) }
  }

  func write(to bits: inout BitWriter, maxBand: Int, objectType: AudioObjectType) {
    if objectType == .lowDelay { bits.put(lag != nil) }
    if let lag { bits.put(lag, Self.lagBits(objectType)) }
    bits.put(coefficient, 3)
    for band in 0..<min(maxBand, Self.bandLimit) { bits.put(used >> UInt64(band) & 1 != 0) }
  }
}
