/// Spreading of one masker's energy over its neighbours (ITU-R BS.1387-1, 2.1.6).
enum Spreading {
  /// Contributions below this part of the masker's own are left out.
  private static let floor: Float = 0.003

  /// Adds a masker's contribution, to the power 0.4, to `sums`.
  @inline(__always)
  static func spread(
    masker: Int, energy: Float, level: Float, upperSlope: Float, slopeByLevel: Float,
    lowerRatio: Float, into sums: inout [Float]
  ) {
    let slope = max(upperSlope - slopeByLevel * level, 0.5)
    // 10^(-slope/10 × 0.4) as a power of two.
    let upperRatio = Math.exp2(-slope * (0.332_192_81 * 0.4))
    // The parts of one masker add up to its energy (in the linear domain).
    let lowerLinear = lowerRatio * lowerRatio * lowerRatio.squareRoot()
    let upperLinear = upperRatio * upperRatio * upperRatio.squareRoot()
    let total = 1 + lowerLinear / (1 - lowerLinear) + upperLinear / (1 - upperLinear)
    let peak = Math.exp2(0.4 * Math.log2(energy / total))
    let least = peak * floor
    sums[masker] += peak
    var contribution = peak * upperRatio
    var partition = masker + 1
    while partition < sums.count, contribution > least {
      sums[partition] += contribution
      contribution *= upperRatio
      partition += 1
    }
    contribution = peak * lowerRatio
    partition = masker - 1
    while partition >= 0, contribution > least {
      sums[partition] += contribution
      contribution *= lowerRatio
      partition -= 1
    }
  }
}
