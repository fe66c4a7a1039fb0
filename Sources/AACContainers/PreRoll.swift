public import AAC

extension AudioSpecificConfig {
  /// Access units in front of a place that have to be decoded before it, so that the sound there is the same as in
  /// decoding from the start, as far as the codec's memory allows.
  ///
  /// `Documentation/Seeking.md` has what was measured.
  public var preRoll: Int {
    switch objectType {
    case .lowComplexity where sbrPresent == false, .errorResilientLowComplexity: 1
    default: 6
    }
  }
}
