import DSP

/// Middle and side to left and right, band by band (4.6.8.1).
enum MidSide {
  /// - Parameter pair: a pair with a common window; `info` is the one that both channels share.
  static func apply(
    _ pair: ChannelPair, left: ChannelStream, right: ChannelStream, bands: ScaleFactorBands,
    to leftSpectrum: inout [Float], _ rightSpectrum: inout [Float]
  ) {
    guard pair.midSide.mode != .off else { return }
    let info = left.info
    let offsets = bands.offsets(short: info.isShort)
    let windowLength = bands.frameLength / info.windowCount
    let lengths = info.groupLengths
    var firstWindow = 0
    for group in 0..<info.groupCount {
      var mask = pair.midSide.groups[group]
      for band in 0..<info.maxBand {
        let index = group * info.maxBand + band
        // Noise and intensity bands have a meaning of their own for the mask.
        if left.codebooks[index] >= Codebook.noise || right.codebooks[index] >= Codebook.noise {
          mask &= ~(1 << UInt64(band))
        }
      }
      while mask != 0 {
        let first = mask.trailingZeroBitCount
        let end = first + (~(mask >> UInt64(first))).trailingZeroBitCount
        for window in firstWindow..<firstWindow + lengths[group] {
          let start = window * windowLength
          SpectralKernels.midSide(
            &leftSpectrum, &rightSpectrum, range: start + offsets[first]..<start + offsets[end])
        }
        mask &= ~0 << UInt64(end)
      }
      firstWindow += lengths[group]
    }
  }
}
