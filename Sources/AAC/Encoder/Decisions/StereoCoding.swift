import DSP

/// Left/right or mid/side, band by band (ISO/IEC 14496-3, 4.6.8.1).
enum StereoCoding {
  /// Decides for one band and, where mid/side is cheaper, transforms lines and weights.
  ///
  /// Noise of mid and noise of side both reach left and right, so both are priced with the sum of the
  /// weights.
  static func code(
    left: inout [Float], right: inout [Float], ranges: [Range<Int>], leftWeight: inout Float,
    rightWeight: inout Float, price: Float
  ) -> Bool {
    let both = leftWeight + rightWeight
    let scale = RateControl.linesPerPrice / price
    var separate: Float = 0
    var joint: Float = 0
    for range in ranges {
      let sums = SpectralKernels.stereoLogSums(
        left, right, range: range, leftWeight: leftWeight * scale, rightWeight: rightWeight * scale,
        jointWeight: both * scale)
      separate += sums.separate
      joint += sums.joint
    }
    guard joint < separate else { return false }
    for range in ranges {
      SpectralKernels.midSide(&left, &right, range: range)
      SpectralKernels.scale(&left, range: range, by: 0.5)
      SpectralKernels.scale(&right, range: range, by: 0.5)
    }
    leftWeight = both
    rightWeight = both
    return true
  }
}
