extension SpectralKernels {
  /// Sets the scale factor of every band to the one at which, for a fine quantiser, one more bit buys what it
  /// costs; −1 where a band is not worth a bit.
  ///
  /// Noise is then λn / (2 ln 2 · weight), and a step s makes noise of 4/27 · s^(3/2) Σ√|x|.
  ///
  /// - Parameters:
  ///   - magnitudes: |x| in coded order.
  ///   - price: noise-to-mask ratio λ that one bit is worth.
  ///   - leastNoise: weighted energy below which a band is left out.
  ///   - tolerance: a scale factor this near to the one before is made equal to it.
  public static func estimateScaleFactors(
    _ magnitudes: [Float], ranges: [Range<Int>], bandCount: Int, weights: [Float], price: Float,
    leastNoise: Float, tolerance: Int, into chosen: inout [Int]
  ) {
    precondition(
      bandCount <= ranges.count && bandCount <= weights.count && bandCount <= chosen.count,
      "bands inside their arrays")
    var running: Int?
    for band in 0..<bandCount {
      let range = ranges[band]
      let (energy, roots) = reading(magnitudes, range) { energyAndRoots($0, range.count) } ?? (0, 0)
      let weight = weights[band]
      guard energy * weight > leastNoise else {
        chosen[band] = -1
        continue
      }
      let ratio = price * Float(range.count) * 0.721_347_5 / (weight * (0.148_148 * max(roots, 1e-9)))
      let step = log2(Lanes8(repeating: min(max(ratio, 1e-30), 1e30)))[0] * (8.0 / 3.0)
      var scaleFactor = Int(min(max(100 + step, 0), 255).rounded())
      if let running {
        if abs(scaleFactor - running) <= tolerance { scaleFactor = running }
        // A difference can tell no more.
        scaleFactor = min(scaleFactor, running + 60)
      }
      chosen[band] = scaleFactor
      running = scaleFactor
    }
    var following: Int?
    for band in stride(from: bandCount - 1, through: 0, by: -1) where chosen[band] >= 0 {
      if let following { chosen[band] = min(chosen[band], following + 60) }
      following = chosen[band]
    }
  }

  @inline(__always)
  private static func energyAndRoots(_ x: UnsafePointer<Float>, _ count: Int) -> (Float, Float) {
    var energy = Lanes8(repeating: 0)
    var roots = energy
    var index = 0
    while index &+ 8 <= count {
      let lines = load(x + index)
      energy = Lanes.multiplyAdd(lines, lines, energy)
      roots += Lanes.squareRoot(lines)
      index &+= 8
    }
    if index < count {
      let lines = loadPartial(x + index, count - index)
      energy = Lanes.multiplyAdd(lines, lines, energy)
      roots += Lanes.squareRoot(lines)
    }
    return (sum(energy), sum(roots))
  }
}
