import DSP

/// Left/right or mid/side, band by band (ISO/IEC 14496-3, 4.6.8.1).
enum StereoCoding {
  /// Decides for each band of a pair and, where mid/side is cheaper, transforms lines and weights.
  static func code(
    _ left: CodedChannel, _ right: CodedChannel, info: ICSInfo, bands: ScaleFactorBands, price: Float
  ) -> MidSideMask {
    code(
      &left.spectrum, &right.spectrum, &left.weights, &right.weights, info: info, bands: bands,
      price: price)
  }

  private static func code(
    _ left: inout [Float], _ right: inout [Float], _ leftWeights: inout [Float],
    _ rightWeights: inout [Float], info: ICSInfo, bands: ScaleFactorBands, price: Float
  ) -> MidSideMask {
    let offsets = bands.offsets(short: info.isShort)
    let windowLength = bands.frameLength / info.windowCount
    let lengths = info.groupLengths
    let scale = RateControl.linesPerPrice / price
    var mask = MidSideMask()
    var used = 0
    var start = 0
    for group in 0..<info.groupCount {
      for band in 0..<info.maxBand {
        let index = group * info.maxBand + band
        let isJoint = SpectralKernels.codeStereo(
          &left, &right, band: start + offsets[band]..<start + offsets[band + 1], stride: windowLength,
          windows: lengths[group], leftWeight: leftWeights[index] * scale,
          rightWeight: rightWeights[index] * scale)
        guard isJoint else { continue }
        // Noise of mid and noise of side both reach left and right.
        let both = leftWeights[index] + rightWeights[index]
        leftWeights[index] = both
        rightWeights[index] = both
        mask.groups[group] |= 1 << UInt64(band)
        used += 1
      }
      start += windowLength * lengths[group]
    }
    if used > 0 { mask.mode = used == info.groupCount * info.maxBand ? .all : .perBand }
    return mask
  }
}
