import DSP

/// A coupling channel's sound added to its targets (4.6.8.3).
enum Coupling {
  /// The factor that a gain stands for, in steps of 0.75, 1.5, 3 or 6 dB by gain_element_scale (0…3).
  static func factor(_ gain: Int, scale: Int, signed: Bool) -> Float {
    let stepsPerOctave = Double(8 >> scale)
    guard signed else { return PowerTables.powerOfTwo(Double(-gain) / stepsPerOctave) }
    let magnitude = PowerTables.powerOfTwo(Double(-(gain >> 1)) / stepsPerOctave)
    return gain & 1 != 0 ? -magnitude : magnitude
  }

  /// The factor of a gain for all bands. It never carries a sign.
  static func commonFactor(_ list: GainList, of element: CouplingChannel) -> Float {
    factor(list.common, scale: element.gainScale, signed: false)
  }

  /// Adds the lines of a coupling channel to a target of the same window sequence.
  static func add(
    _ element: CouplingChannel, _ stream: ChannelStream, gains list: GainList, bands: ScaleFactorBands,
    _ spectrum: [Float], to target: inout [Float]
  ) {
    let info = stream.info
    let offsets = bands.offsets(short: info.isShort)
    let windowLength = bands.frameLength / info.windowCount
    let lengths = info.groupLengths
    let common = commonFactor(list, of: element)
    var firstWindow = 0
    for group in 0..<info.groupCount {
      for band in 0..<info.maxBand {
        let index = group * info.maxBand + band
        guard stream.codebooks[index] != Codebook.zero else { continue }
        let gain =
          list.isCommon
          ? common
          : factor(Int(list.bands[index]), scale: element.gainScale, signed: element.hasSignedGains)
        for window in firstWindow..<firstWindow + lengths[group] {
          let start = window * windowLength
          SpectralKernels.addScaled(
            spectrum, range: start + offsets[band]..<start + offsets[band + 1], gain: gain, to: &target,
            at: start + offsets[band])
        }
      }
      firstWindow += lengths[group]
    }
  }
}
