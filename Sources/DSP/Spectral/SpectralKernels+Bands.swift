/// How the bands of a channel are to be quantised.
public struct BandChoice {
  /// Scale factor of each band, −1 where the band is left out.
  public let scaleFactors: [Int]
  /// What is added before truncation.
  public let roundings: [Float]

  public init(scaleFactors: [Int], roundings: [Float]) {
    self.scaleFactors = scaleFactors
    self.roundings = roundings
  }
}

extension SpectralKernels {
  /// Quantises every band, signs included; writes the largest magnitude of each band to `largest`.
  ///
  /// - Parameters:
  ///   - lines, powers: x and |x|^¾ in coded order.
  ///   - ranges: lines of each band.
  public static func quantizeBands(
    _ lines: [Float], powers: [Float], ranges: [Range<Int>], bandCount: Int, choice: BandChoice,
    steps: StepTable, into spectrum: inout [Int16], largest: inout [Int]
  ) {
    check(0..<bandCount, ranges.count)
    check(0..<bandCount, choice.scaleFactors.count)
    check(0..<bandCount, choice.roundings.count)
    check(0..<bandCount, largest.count)
    let multipliers = steps.multipliers
    lines.withUnsafeBufferPointer { lines in
      powers.withUnsafeBufferPointer { powers in
        spectrum.withUnsafeMutableBufferPointer { spectrum in
          largest.withUnsafeMutableBufferPointer { largest in
            guard let x = lines.baseAddress, let p = powers.baseAddress, let q = spectrum.baseAddress
            else { return }
            for band in 0..<bandCount {
              let range = ranges[band]
              check(range, lines.count)
              check(range, powers.count)
              check(range, spectrum.count)
              let (first, count) = (range.lowerBound, range.count)
              let scaleFactor = choice.scaleFactors[band]
              if scaleFactor < 0 {
                largest[band] = 0
                (q + first).update(repeating: 0, count: count)
              } else {
                precondition(scaleFactor < 256, "a scale factor")
                largest[band] = quantize(
                  x + first, p + first, count, multipliers[scaleFactor], choice.roundings[band], q + first)
              }
            }
          }
        }
      }
    }
  }

  @inline(__always)
  private static func quantize(
    _ lines: UnsafePointer<Float>, _ powers: UnsafePointer<Float>, _ count: Int, _ multiplier: Float,
    _ rounding: Float, _ q: UnsafeMutablePointer<Int16>
  ) -> Int {
    let factor = Lanes8(repeating: multiplier)
    let offset = Lanes8(repeating: rounding)
    var largest = SIMD8<Int16>(repeating: 0)
    var index = 0
    while index &+ 8 <= count {
      let values = Lanes.truncated(Lanes.multiplyAdd(load(powers + index), factor, offset))
      largest.replace(with: values, where: values .> largest)
      let signs = Lanes.signs(load(lines + index))
      store((values ^ signs) &- signs, q + index)
      index &+= 8
    }
    if index < count {
      let rest = count - index
      let values = Lanes.truncated(Lanes.multiplyAdd(loadPartial(powers + index, rest), factor, offset))
      largest.replace(with: values, where: values .> largest)
      let signs = Lanes.signs(loadPartial(lines + index, rest))
      storePartial((values ^ signs) &- signs, q + index, rest)
    }
    return Int(peak(largest))
  }
}
