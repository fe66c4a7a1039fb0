/// What the choice of scale factors by theory has to know of every band; the same at all prices.
public struct BandSums: Sendable {
  /// Σ x².
  var energies: [Float]
  /// Σ √|x|.
  var roots: [Float]
  /// Lines.
  var widths: [Float]

  public init(bandCapacity: Int) {
    energies = [Float](repeating: 0, count: (bandCapacity + 7) & ~7)
    roots = energies
    widths = energies
  }
}

extension SpectralKernels {
  /// powers[i] = |x[i]|^(3/4) for the lines of all bands, and the bands' sums in the same pass.
  public static func powersAndSums(
    _ x: [Float], ranges: [Range<Int>], bandCount: Int, into powers: inout [Float], _ sums: inout BandSums
  ) {
    check(0..<bandCount, ranges.count)
    check(0..<bandCount, sums.energies.count)
    x.withUnsafeBufferPointer { x in
      powers.withUnsafeMutableBufferPointer { powers in
        sums.energies.withUnsafeMutableBufferPointer { energies in
          sums.roots.withUnsafeMutableBufferPointer { roots in
            sums.widths.withUnsafeMutableBufferPointer { widths in
              guard let source = x.baseAddress, let target = powers.baseAddress else { return }
              for band in 0..<bandCount {
                let range = ranges[band]
                check(range, x.count)
                check(range, powers.count)
                (energies[band], roots[band]) = powersAndSums(
                  source + range.lowerBound, range.count, target + range.lowerBound)
                widths[band] = Float(range.count)
              }
            }
          }
        }
      }
    }
  }

  /// Σ x² and Σ √|x|.
  @inline(__always)
  private static func powersAndSums(
    _ x: UnsafePointer<Float>, _ count: Int, _ powers: UnsafeMutablePointer<Float>
  ) -> (Float, Float) {
    var energy = Lanes8(repeating: 0)
    var roots = energy
    var index = 0
    while index &+ 8 <= count {
      let lines = load(x + index)
      let root = Lanes.squareRoot(magnitude(lines))
      energy = Lanes.multiplyAdd(lines, lines, energy)
      roots += root
      store(root * Lanes.squareRoot(root), powers + index)
      index &+= 8
    }
    if index < count {
      let lines = loadPartial(x + index, count - index)
      let root = Lanes.squareRoot(magnitude(lines))
      energy = Lanes.multiplyAdd(lines, lines, energy)
      roots += root
      storePartial(root * Lanes.squareRoot(root), powers + index, count - index)
    }
    return (sum(energy), sum(roots))
  }

  /// Sets the scale factor of every band to the one at which, for a fine quantiser, one more bit buys what it
  /// costs; −1 where a band is not worth a bit.
  ///
  /// Noise is then λn / (2 ln 2 · weight), and a step s makes noise of 4/27 · s^(3/2) Σ√|x|.
  ///
  /// - Parameters:
  ///   - weights: with room for whole registers of eight bands.
  ///   - price: noise-to-mask ratio λ that one bit is worth.
  ///   - leastNoise: weighted energy below which a band is left out.
  ///   - tolerance: a scale factor this near to the one before is made equal to it.
  public static func estimateScaleFactors(
    _ sums: BandSums, bandCount: Int, weights: [Float], price: Float, leastNoise: Float, tolerance: Int,
    into chosen: inout [Int]
  ) {
    let whole = (bandCount + 7) & ~7
    check(0..<whole, sums.energies.count)
    check(0..<bandCount, chosen.count)
    reading(sums.energies, 0..<whole) { energies in
      reading(sums.roots, 0..<whole) { roots in
        reading(sums.widths, 0..<whole) { widths in
          reading(weights, 0..<whole) { weights in
            writing(&chosen, 0, bandCount) { chosen in
              // Written so that nothing branches on a scale factor. A difference can tell no more than 60.
              var running = none
              for first in stride(from: 0, to: bandCount, by: 8) {
                let estimates = estimates(
                  energies + first, roots + first, widths + first, weights + first, price, leastNoise)
                for lane in 0..<min(8, bandCount - first) {
                  let estimate = Int(estimates[lane])
                  let difference = estimate &- running
                  let isNear = difference <= tolerance && difference >= 0 &- tolerance
                  let scaleFactor = isNear ? running : min(estimate, running &+ 60)
                  chosen[first &+ lane] = estimate < 0 ? -1 : scaleFactor
                  running = estimate < 0 ? running : scaleFactor
                }
              }
              var following = none
              for band in stride(from: bandCount - 1, through: 0, by: -1) {
                let scaleFactor = min(chosen[band], following &+ 60)
                chosen[band] = scaleFactor
                following = scaleFactor < 0 ? following : scaleFactor
              }
            }
          }
        }
      }
    }
  }

  /// Where all of a band's energy is in one line, this below twice the logarithm of the energy it is the largest that
  /// can be told: 16/3 log2(8191), less what rounding and neighbours made equal may take.
  private static let finestOffset: Float = 69.33 - 3

  /// In place of a neighbour's scale factor: far from all there are.
  private static let none = 1 << 16

  /// The scale factors of eight bands, each on its own.
  @inline(__always)
  private static func estimates(
    _ energies: UnsafePointer<Float>, _ roots: UnsafePointer<Float>, _ widths: UnsafePointer<Float>,
    _ weights: UnsafePointer<Float>, _ price: Float, _ leastNoise: Float
  ) -> SIMD8<Int16> {
    let weight = load(weights)
    let root = atLeast(load(roots), 1e-9)
    let noise = Lanes8(repeating: price) * load(widths) * Lanes8(repeating: 0.721_347_5)
    let ratio = noise / (weight * (Lanes8(repeating: 0.148_148) * root))
    let energy = load(energies)
    var step = log2(atMost(atLeast(ratio, 1e-30), 1e30)) * Lanes8(repeating: 8.0 / 3.0)
    let finest = log2(atLeast(energy, 1e-30)) * Lanes8(repeating: 2) - Lanes8(repeating: finestOffset)
    step.replace(with: finest, where: step .< finest)
    let result = roundedScaleFactors(Lanes8(repeating: 100) + step)
    let zero = Lanes8(repeating: 0)
    let isWorthIt = zero.replacing(
      with: Lanes8(repeating: 1), where: energy * weight .> Lanes8(repeating: leastNoise))
    // 1 and the result, or 0 and −1.
    let worth = Lanes.truncated(isWorthIt)
    return (result &+ SIMD8(repeating: 1)) &* worth &- SIMD8(repeating: 1)
  }
}

/// The scale factors, 0…255, nearest to these.
@inline(__always)
func roundedScaleFactors(_ values: Lanes8) -> SIMD8<Int16> {
  let value = atMost(atLeast(values, 0), 255)
  let whole = Lanes.floats(Lanes.truncated(value))
  let up = Lanes8(repeating: 0).replacing(
    with: Lanes8(repeating: 1), where: value - whole .>= Lanes8(repeating: 0.5))
  // Lanes that are no number are as good as any.
  return Lanes.truncated(atMost(whole + up, 255))
}

@inline(__always)
func atLeast(_ value: Lanes8, _ limit: Float) -> Lanes8 {
  let limits = Lanes8(repeating: limit)
  return value.replacing(with: limits, where: value .< limits)
}

@inline(__always)
func atMost(_ value: Lanes8, _ limit: Float) -> Lanes8 {
  let limits = Lanes8(repeating: limit)
  return value.replacing(with: limits, where: value .> limits)
}
