import DSP

/// Bands of the right channel that are the left one at another level (4.6.8.2).
enum Intensity {
  /// Positions that would make the right channel louder than this (in quarters of an octave) count as it.
  private static let largestExponent = 80

  /// Fills the intensity bands of `rightSpectrum`, which are zero, from the final left spectrum.
  ///
  /// ms_used turns the sign. Where all bands are middle and side (ms_mask_present 2) it counts as set:
  /// decoders differ there, but encoders that use the combination mean it so.
  static func apply(
    _ pair: ChannelPair, right: ChannelStream, bands: ScaleFactorBands, left leftSpectrum: [Float],
    to rightSpectrum: inout [Float]
  ) {
    let info = right.info
    let offsets = bands.offsets(short: info.isShort)
    let windowLength = bands.frameLength / info.windowCount
    let lengths = info.groupLengths
    let gains = PowerTables.quarters
    let inverts = pair.commonWindow && pair.midSide.mode != .off
    var firstWindow = 0
    for group in 0..<info.groupCount {
      for band in 0..<info.maxBand {
        let index = group * info.maxBand + band
        let codebook = right.codebooks[index]
        guard codebook >= Codebook.intensityOutOfPhase else { continue }
        var gain = PowerTables.quarter(min(-Int(right.scaleFactors[index]), largestExponent), in: gains)
        if codebook == Codebook.intensityOutOfPhase { gain = -gain }
        if inverts, pair.midSide.uses(group: group, band: band) { gain = -gain }
        for window in firstWindow..<firstWindow + lengths[group] {
          let start = window * windowLength
          SpectralKernels.addScaled(
            leftSpectrum, range: start + offsets[band]..<start + offsets[band + 1], gain: gain,
            to: &rightSpectrum, at: start + offsets[band])
        }
      }
      firstWindow += lengths[group]
    }
  }
}
