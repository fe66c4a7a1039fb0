import DSP

/// From quantised lines in coded order to a spectrum, window after window (4.6.1, 4.6.2).
enum Dequantizer {
  /// A scale factor of this value means a gain of one.
  static let unityScaleFactor = 100  // SF_OFFSET

  /// Writes all lines of the frame to `spectrum`; bands without lines (noise, intensity) become zero.
  static func apply(_ stream: ChannelStream, bands: ScaleFactorBands, to spectrum: inout [Float]) {
    SpectralKernels.clear(&spectrum, range: 0..<bands.frameLength)
    if stream.info.isShort {
      short(stream, bands, &spectrum)
    } else {
      long(stream, bands, &spectrum)
      if let pulses = stream.pulses { add(pulses, stream, bands, &spectrum) }
    }
  }

  /// The gain of a spectral scale factor.
  @inline(__always)
  static func gain(_ scaleFactor: Int16, in table: [Float]) -> Float {
    PowerTables.quarter(Int(scaleFactor) - unityScaleFactor, in: table)
  }

  @inline(__always)
  private static func hasLines(_ codebook: UInt8) -> Bool {
    codebook != Codebook.zero && codebook <= Codebook.escape
  }

  private static func long(
    _ stream: ChannelStream, _ bands: ScaleFactorBands, _ spectrum: inout [Float]
  ) {
    let gains = PowerTables.quarters
    var band = 0
    while band < stream.info.maxBand {
      let first = band
      let scaleFactor = stream.scaleFactors[first]
      band += 1
      guard hasLines(stream.codebooks[first]) else { continue }
      while band < stream.info.maxBand, stream.scaleFactors[band] == scaleFactor,
        hasLines(stream.codebooks[band])
      {
        band += 1
      }
      let lines = bands.long[first]..<bands.long[band]
      SpectralKernels.dequantize(
        stream.spectrum, range: lines, scale: gain(scaleFactor, in: gains), into: &spectrum,
        at: lines.lowerBound)
    }
  }

  private static func short(
    _ stream: ChannelStream, _ bands: ScaleFactorBands, _ spectrum: inout [Float]
  ) {
    let gains = PowerTables.quarters
    let windowLength = bands.frameLength / 8
    let lengths = stream.info.groupLengths
    let maxBand = stream.info.maxBand
    var firstWindow = 0
    for group in 0..<stream.info.groupCount {
      let windows = lengths[group]
      for band in 0..<maxBand where hasLines(stream.codebooks[group * maxBand + band]) {
        let scale = gain(stream.scaleFactors[group * maxBand + band], in: gains)
        let width = bands.short[band + 1] - bands.short[band]
        var line = firstWindow * windowLength + windows * bands.short[band]
        for window in firstWindow..<firstWindow + windows {
          SpectralKernels.dequantize(
            stream.spectrum, range: line..<line + width, scale: scale, into: &spectrum,
            at: window * windowLength + bands.short[band])
          line += width
        }
      }
      firstWindow += windows
    }
  }

  /// Pulses move a quantised line away from zero (a zero line below it), so the lines they fall on are
  /// computed again. Lines of bands without spectral data stay as they are.
  private static func add(
    _ pulses: PulseData, _ stream: ChannelStream, _ bands: ScaleFactorBands, _ spectrum: inout [Float]
  ) {
    let gains = PowerTables.quarters
    var line = bands.long[pulses.startBand]
    var band = pulses.startBand
    var value = 0
    for pulse in 0..<pulses.count {
      let isNewLine = pulse == 0 || pulses.offsets[pulse] > 0
      line += pulses.offsets[pulse]
      if isNewLine { value = Int(stream.spectrum[line]) }
      value += value > 0 ? pulses.amplitudes[pulse] : -pulses.amplitudes[pulse]
      while bands.long[band + 1] <= line { band += 1 }
      guard band < stream.info.maxBand, hasLines(stream.codebooks[band]) else { continue }
      let magnitude = PowerTables.fourThirds(abs(value)) * gain(stream.scaleFactors[band], in: gains)
      spectrum[line] = value < 0 ? -magnitude : magnitude
    }
  }
}
