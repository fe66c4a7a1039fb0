extension SpectralKernels {
  /// Codes bands of left and right as middle and side, each halved, where that takes fewer bits.
  ///
  /// The bits of a line are ½·log2(1 + weight·x²). Noise of middle and noise of side both reach left and
  /// right, so both are weighed with the sum of the weights, which then replaces them.
  ///
  /// - Parameters:
  ///   - start: the first of the group's windows, which are `stride` lines apart.
  ///   - offsets: of `bandCount` bands in each window, and the end of the last.
  ///   - weights: of the bands' noise, from `place` on.
  ///   - scale: from noise weights to weights of the lines' energies.
  /// - Returns: bit b set: left has the middle of band b and right its side.
  public static func codeStereo(
    _ left: inout [Float], _ right: inout [Float], start: Int, stride: Int, windows: Int, offsets: [Int],
    bandCount: Int, leftWeights: inout [Float], rightWeights: inout [Float], at place: Int, scale: Float
  ) -> UInt64 {
    precondition((0...64).contains(bandCount) && bandCount < offsets.count && windows > 0, "a group of bands")
    let end = start + (windows - 1) * stride + offsets[bandCount]
    check(start..<end, left.count)
    check(start..<end, right.count)
    check(place, bandCount, leftWeights.count)
    check(place, bandCount, rightWeights.count)
    var used: UInt64 = 0
    left.withUnsafeMutableBufferPointer { left in
      right.withUnsafeMutableBufferPointer { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return }
        for band in 0..<bandCount {
          let first = start + offsets[band]
          let count = offsets[band + 1] - offsets[band]
          let (leftWeight, rightWeight) = (leftWeights[place + band], rightWeights[place + band])
          var gain: Float = 0
          for window in 0..<windows {
            let line = first + window * stride
            gain += jointGain(left + line, right + line, count, leftWeight * scale, rightWeight * scale)
          }
          guard gain > 0 else { continue }
          for window in 0..<windows {
            halfSums(left + first + window * stride, right + first + window * stride, count)
          }
          leftWeights[place + band] = leftWeight + rightWeight
          rightWeights[place + band] = leftWeight + rightWeight
          used |= 1 << UInt64(band)
        }
      }
    }
    return used
  }

  /// target = (left + sign·right) / 2, all of it.
  public static func halfSum(
    _ left: [Float], _ right: [Float], sign: Float, into target: inout [Float]
  ) {
    let count = target.count
    let half = Lanes8(repeating: 0.5)
    let other = Lanes8(repeating: 0.5 * sign)
    reading(left, 0..<count) { left in
      reading(right, 0..<count) { right in
        writing(&target, 0, count) { target in
          var index = 0
          while index &+ 8 <= count {
            store(load(left + index) * half + load(right + index) * other, target + index)
            index &+= 8
          }
          while index < count {
            target[index] = 0.5 * left[index] + 0.5 * sign * right[index]
            index &+= 1
          }
        }
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
