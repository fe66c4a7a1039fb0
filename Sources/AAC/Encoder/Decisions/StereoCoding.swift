import DSP

/// Left/right or mid/side, band by band (ISO/IEC 14496-3, 4.6.8.1).
enum StereoCoding {
  /// Decides for each band of a pair and, where mid/side is cheaper, transforms lines and weights.
  static func code(
    _ left: CodedChannel, _ right: CodedChannel, info: ICSInfo, bands: ScaleFactorBands, price: Float
  ) -> MidSideMask {
    var mask = code(
      &left.spectrum, &right.spectrum, &left.weights, &right.weights, info: info, bands: bands,
      price: price)
    // Bands of noise hold nothing to transform; ms_used would make their noise the same.
    for band in 0..<info.maxBand where mask.uses(group: 0, band: band) && left.isNoise(band: band) {
      mask.groups[0] &= ~(1 << UInt64(band))
      mask.mode = mask.groups[0] == 0 ? .off : .perBand
    }
    return mask
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
      mask.groups[group] = SpectralKernels.codeStereo(
        &left, &right, start: start, stride: windowLength, windows: lengths[group], offsets: offsets,
        bandCount: info.maxBand, leftWeights: &leftWeights, rightWeights: &rightWeights,
        at: group * info.maxBand, scale: scale)
      used += mask.groups[group].nonzeroBitCount
      start += windowLength * lengths[group]
    }
    if used > 0 { mask.mode = used == info.groupCount * info.maxBand ? .all : .perBand }
    return mask
  }

  /// Decides by what was measured: takes each band from `middle` and `side` where that costs less.
  static func choose(
    _ left: CodedChannel, _ right: CodedChannel, middle: CodedChannel, side: CodedChannel, info: ICSInfo,
    price: Float
  ) -> MidSideMask {
    var mask = MidSideMask()
    var used = 0
    for group in 0..<info.groupCount {
      for band in 0..<info.maxBand {
        let index = group * info.maxBand + band
        let separate =
          left.leastCost(band: index, price: price) + right.leastCost(band: index, price: price)
        let joint =
          middle.leastCost(band: index, price: price) + side.leastCost(band: index, price: price)
        guard joint < separate, !left.isNoise(band: index) else { continue }
        left.adopt(band: index, from: middle)
        right.adopt(band: index, from: side)
        mask.groups[group] |= 1 << UInt64(band)
        used += 1
      }
    }
    if used > 0 { mask.mode = used == info.groupCount * info.maxBand ? .all : .perBand }
    return mask
  }
}
