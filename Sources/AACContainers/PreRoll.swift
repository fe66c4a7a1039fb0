public import AAC

extension AudioSpecificConfig {
  /// Access units in front of a place that have to be decoded before it, so that the sound there is what decoding from
  /// the start gives: the overlap of the windows takes one, low delay three, the filters and the differential values of
  /// spectral band replication and parametric stereo, and long-term prediction, more. Main's prediction looks back
  /// without end; behind these it differs by less than noise does.
  ///
  /// `Documentation/Seeking.md` has what was measured.
  public var preRoll: Int {
    if mayReplicate { return 12 }
    return switch objectType {
    case .lowComplexity, .errorResilientLowComplexity: 1
    case .lowDelay, .enhancedLowDelay: 3
    case .main: 32
    default: 12
    }
  }

  /// Access units are best passed over in multiples of this number: the noise that spectral band replication adds comes
  /// from a table of 512 values, through which each access unit steps by a multiple of its time slots. So it goes on as
  /// if nothing had been passed over.
  public var preRollStep: Int {
    guard mayReplicate else { return 1 }
    let slots = frameLength / 32
    let step = 512 >> min(9, max(0, slots).trailingZeroBitCount)
    return step <= 32 ? step : 1
  }

  /// What is not announced may come all the same.
  private var mayReplicate: Bool {
    lowDelaySBR != nil
      || sbrPresent != false && [.lowComplexity, .main, .longTermPrediction].contains(objectType)
  }
}
