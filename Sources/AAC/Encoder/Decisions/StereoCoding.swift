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
    left.takeLeastCosts(price: price)
    right.takeLeastCosts(price: price)
    middle.takeLeastCosts(price: price)
    side.takeLeastCosts(price: price)
    let (leftCosts, rightCosts) = (left.leastCosts, right.leastCosts)
    let (middleCosts, sideCosts) = (middle.leastCosts, side.leastCosts)
    var mask = MidSideMask()
    var used = 0
    for group in 0..<info.groupCount {
      let start = group * info.maxBand
      var bands: UInt64 = 0
      for band in 0..<info.maxBand {
        let index = start + band
        let separate = leftCosts[index] + rightCosts[index]
        let joint = middleCosts[index] + sideCosts[index]
        if joint < separate, !left.isNoise(band: index) { bands |= 1 << UInt64(band) }
      }
      left.adopt(bands, from: start, of: middle)
      right.adopt(bands, from: start, of: side)
      mask.groups[group] = bands
      used += bands.nonzeroBitCount
    }
    if used > 0 { mask.mode = used == info.groupCount * info.maxBand ? .all : .perBand }
    return mask
  }
}
