extension SpectralKernels {
  /// Codes a band of left and right as middle and side, each halved, where that takes fewer bits.
  ///
  /// The bits of a line are ½·log2(1 + weight·x²). Noise of middle and noise of side both reach left and
  /// right, so both are weighed with the sum of the weights.
  ///
  /// - Parameters:
  ///   - band: of the first window; the following ones are `stride` lines on.
  ///   - leftWeight, rightWeight: of the lines' energies, relative to the noise allowed.
  /// - Returns: whether left is now middle and right is side.
  public static func codeStereo(
    _ left: inout [Float], _ right: inout [Float], band: Range<Int>, stride: Int, windows: Int,
    leftWeight: Float, rightWeight: Float
  ) -> Bool {
    let end = band.upperBound + (windows - 1) * stride
    check(band.lowerBound..<max(end, band.upperBound), left.count)
    check(band.lowerBound..<max(end, band.upperBound), right.count)
    precondition(band.count & 3 == 0, "whole tuples")
    return left.withUnsafeMutableBufferPointer { left in
      right.withUnsafeMutableBufferPointer { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return false }
        var gain: Float = 0
        for window in 0..<windows {
          let start = band.lowerBound + window * stride
          gain += jointGain(left + start, right + start, band.count, leftWeight, rightWeight)
        }
        guard gain > 0 else { return false }
        for window in 0..<windows {
          let start = band.lowerBound + window * stride
          halfSums(left + start, right + start, band.count)
        }
        return true
      }
    }
  }

  /// Σ log2 of what left and right take over what middle and side take.
  @inline(__always)
  private static func jointGain(
    _ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, _ count: Int, _ leftWeight: Float,
    _ rightWeight: Float
  ) -> Float {
    let one = Lanes8(repeating: 1)
    let leftWeights = Lanes8(repeating: leftWeight)
    let rightWeights = Lanes8(repeating: rightWeight)
    // Halving before squaring.
    let jointWeights = Lanes8(repeating: (leftWeight + rightWeight) * 0.25)
    var gain = Lanes8(repeating: 0)
    var index = 0
    while index < count {
      let isWhole = index &+ 8 <= count
      let l = isWhole ? load(left + index) : loadPartial(left + index, 4)
      let r = isWhole ? load(right + index) : loadPartial(right + index, 4)
      let m = l + r
      let s = l - r
      let apart = log2(
        Lanes.multiplyAdd(l * leftWeights, l, one) * Lanes.multiplyAdd(r * rightWeights, r, one))
      let together = log2(
        Lanes.multiplyAdd(m * jointWeights, m, one) * Lanes.multiplyAdd(s * jointWeights, s, one))
      gain += apart - together
      index &+= 8
    }
    return sum(gain)
  }

  @inline(__always)
  private static func halfSums(
    _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>, _ count: Int
  ) {
    let half = Lanes8(repeating: 0.5)
    var index = 0
    while index &+ 8 <= count {
      let l = load(left + index) * half
      let r = load(right + index) * half
      store(l + r, left + index)
      store(l - r, right + index)
      index &+= 8
    }
    if index < count {
      let l = loadPartial(left + index, 4) * half
      let r = loadPartial(right + index, 4) * half
      storePartial(l + r, left + index, 4)
      storePartial(l - r, right + index, 4)
    }
  }
}
