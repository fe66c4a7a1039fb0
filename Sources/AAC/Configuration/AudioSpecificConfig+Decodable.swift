extension AudioSpecificConfig {
  /// - Throws: `unsupported` with the name of what is not decoded.
  package func checkDecodable() throws(AACError) {
    guard objectType.isDecodable else { throw AACError(.unsupported("\(objectType.name) audio")) }
    if let lowDelaySBR {
      let count = elements.count { $0.kind != .lowFrequency }
      guard objectType == .enhancedLowDelay, lowDelaySBR.headers.count == count else {
        throw AACError(.inconsistent("low-delay SBR without a header for each channel element"))
      }
      for header in lowDelaySBR.headers { _ = try SBRHeader(header) }
    }
    guard objectType.isErrorResilient else { return }
    guard errorProtection == 0 else { throw AACError(.unsupported("epConfig \(errorProtection)")) }
    guard channelConfiguration != 0, programConfig == nil else {
      throw AACError(.unsupported("a program config element with \(objectType.name) audio"))
    }
  }
}
