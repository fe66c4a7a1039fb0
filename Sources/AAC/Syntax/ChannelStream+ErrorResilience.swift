extension ChannelStream {
  /// Reads the `individual_channel_stream()` of an error-resilient type, whose parts stand in the order of how
  /// much an error in them would hurt (epConfig 0).
  ///
  /// - Parameter commonInfo: the ics_info that a pair shares; `nil` where the stream has one of its own.
  mutating func parseErrorResilient(
    _ bits: inout BitReader, commonInfo: ICSInfo?, bands: ScaleFactorBands, syntax: StreamSyntax,
    reordering: inout CodewordReordering
  ) throws(AACError) {
    let isEnhancedLowDelay = syntax.objectType == .enhancedLowDelay
    globalGain = try bits.uint(8)
    if let commonInfo {
      info = commonInfo
    } else if isEnhancedLowDelay {
      info = try ICSInfo(parsingMaxBand: &bits, bands: bands)
    } else {
      info = try ICSInfo(parsing: &bits, bands: bands, syntax: syntax)
    }
    if syntax.sectionResilience {
      try VirtualCodebooks.parse(&bits, into: &self)
    } else {
      try SectionData.parse(&bits, info: info, into: &codebooks)
    }
    if syntax.scaleFactorResilience {
      reversible = try ReversibleScaleFactors(parsing: &bits, for: self)
    } else {
      try ScaleFactors.parse(&bits, into: &self)
    }
    pulses = nil
    if !isEnhancedLowDelay { try parsePulses(&bits, bands: bands) }
    let hasTNS = try bits.flag()
    if isEnhancedLowDelay {
      try parseTNS(&bits, isPresent: hasTNS)
    } else if try bits.flag() {
      throw bits.failure(.unsupported("gain control (SSR)"))
    }
    var lengths = CodewordReordering.Lengths()
    if syntax.spectralResilience { lengths = try CodewordReordering.Lengths(parsing: &bits) }
    if var codewords = reversible, syntax.scaleFactorResilience {
      try codewords.parseCodewords(&bits, into: &self)
      reversible = codewords
    }
    if !isEnhancedLowDelay { try parseTNS(&bits, isPresent: hasTNS) }
    let start = bits.position
    if syntax.spectralResilience {
      try reordering.parse(&bits, lengths: lengths, into: &self, bands: bands)
    } else {
      try SpectralData.parse(&bits, into: &self, bands: bands)
    }
    if syntax.sectionResilience { try VirtualCodebooks.check(self, bands: bands, bitOffset: start) }
  }

  /// Writes the whole stream, the counterpart of `parseErrorResilient`.
  func writeErrorResilient(
    to bits: inout BitWriter, commonWindow: Bool, bands: ScaleFactorBands, syntax: StreamSyntax
  ) {
    let isEnhancedLowDelay = syntax.objectType == .enhancedLowDelay
    bits.put(globalGain, 8)
    if isEnhancedLowDelay {
      if !commonWindow { bits.put(info.maxBand, 6) }
    } else if !commonWindow {
      info.write(to: &bits, syntax: syntax)
    }
    if syntax.sectionResilience {
      VirtualCodebooks.write(self, to: &bits)
    } else {
      SectionData.write(codebooks, info: info, to: &bits)
    }
    let scaleFactors = syntax.scaleFactorResilience ? reversible?.write(self) : nil
    if let scaleFactors {
      bits.append(scaleFactors.header)
    } else {
      ScaleFactors.write(self, to: &bits)
    }
    if !isEnhancedLowDelay {
      bits.put(pulses != nil)
      pulses?.write(to: &bits)
    }
    bits.put(tns != nil)
    if isEnhancedLowDelay {
      tns?.write(to: &bits, info: info)
    } else {
      bits.put(false)  // gain_control_data_present
    }
    var reordering = CodewordReordering()
    let spectrum = syntax.spectralResilience ? reordering.data(of: self, bands: bands) : nil
    spectrum?.lengths.write(to: &bits)
    if let scaleFactors { bits.append(scaleFactors.codewords) }
    if !isEnhancedLowDelay { tns?.write(to: &bits, info: info) }
    if let spectrum {
      for bit in spectrum.bits { bits.put(bit) }
    } else {
      SpectralData.write(self, to: &bits, bands: bands)
    }
  }
}
