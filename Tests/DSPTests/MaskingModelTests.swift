import Foundation
import Testing

@testable import DSP

/// The masking model against the formulas in double precision, masker by masker.
struct MaskingModelTests {
  static let lines = 64
  static let firstLine = [0, 1, 2, 3, 5, 8, 12, 18, 27, 40, 64]
  static let bandOffsets = [0, 4, 8, 16, 32, 60]

  static var partitions: MaskingPartitions {
    let count = firstLine.count - 1
    return MaskingPartitions(
      firstLine: firstLine, earWeight: (0..<count).map { 0.5 + 0.1 * Float($0) },
      internalNoise: (0..<count).map { 3 + Float($0) },
      maskingRatio: (0..<count).map { 0.5 - 0.02 * Float($0) },
      upperSlope: (0..<count).map { 6.5 + 0.2 * Float($0) },
      forwardDecay: (0..<count).map { 0.6 - 0.03 * Float($0) },
      lineWeight: (0..<count).map { 1 + 0.5 * Float($0) }, slopeByLevel: 0.05, lowerRatio: 0.54,
      levelOffset: -20, preEchoLimit: 16)
  }

  /// Excitation before normalisation.
  static func spread(_ energies: [Double], offset: Double) -> [Double] {
    let p = partitions
    var sums = [Double](repeating: 0, count: energies.count)
    for (masker, energy) in energies.enumerated() {
      let level = 10 * log10(energy) + offset
      let slope = max(Double(p.upperSlope[masker]) - Double(p.slopeByLevel) * level, 0.5)
      let upper = pow(10, -slope / 10)
      let lower = pow(Double(p.lowerRatio), 2.5)
      let peak = energy / (1 + lower / (1 - lower) + upper / (1 - upper))
      for target in energies.indices {
        let distance = Double(abs(target - masker))
        sums[target] += pow(peak * pow(target > masker ? upper : lower, distance), 0.4)
      }
    }
    return sums.map { pow($0, 2.5) }
  }

  /// Far over its own sound no mask is believed, unless so little is there that it may be leakage.
  @Test(arguments: [Float.infinity, 40, 1.5]) func weightsFollowTheFormulas(highestMask: Float) {
    var random = Generator(seed: printedSeed(#function))
    let model = MaskingModel(Self.partitions, bandOffsets: Self.bandOffsets, spreadsQuickly: false)
    var memory = model.makeMemory()
    let p = Self.partitions
    let count = Self.firstLine.count - 1
    let normalization = Self.spread([Double](repeating: 1, count: count), offset: 0)
    var smeared = p.internalNoise.map(Double.init)
    var previous = smeared
    for gain in [Float](arrayLiteral: 10, 3000, 1) {
      // One partition in three is loud.
      let gains = (0..<Self.lines).map { line in
        let partition = Self.firstLine.lastIndex { $0 <= line } ?? 0
        return partition % 3 == 1 ? gain : gain * Float.random(in: 0.001...0.1, using: &random)
      }
      let x = gains.map { Float.random(in: -$0...$0, using: &random) }
      let y = gains.map { Float.random(in: -$0...$0, using: &random) }
      var weights = [Float](repeating: -1, count: 7)
      model.analyze(
        x, sines: y, at: 0, highestMask: highestMask, memory: &memory, weights: &weights, at: 1)
      let energies = (0..<count).map { partition -> Double in
        let range = Self.firstLine[partition]..<Self.firstLine[partition + 1]
        let sum = range.reduce(0.0) { $0 + Double(x[$1] * x[$1]) + Double(y[$1] * y[$1]) }
        return 0.5 * sum * Double(p.earWeight[partition]) + Double(p.internalNoise[partition])
      }
      let now = zip(Self.spread(energies, offset: -20), normalization).map { $0 / $1 }
      var lineWeights: [Double] = []
      for partition in 0..<count {
        let decay = Double(p.forwardDecay[partition])
        smeared[partition] = decay * smeared[partition] + (1 - decay) * now[partition]
        var limited = min(max(now[partition], smeared[partition]), 16 * previous[partition])
        if energies[partition] > 0.001 * limited {
          limited = min(limited, Double(highestMask) * energies[partition])
        }
        let mask = max(limited, Double(p.internalNoise[partition]))
        lineWeights += [Double](
          repeating: Double(p.lineWeight[partition] * p.earWeight[partition] / p.maskingRatio[partition])
            / mask,
          count: Self.firstLine[partition + 1] - Self.firstLine[partition])
      }
      previous = now
      #expect(weights[0] == -1 && weights[6] == -1)
      for band in 0..<5 {
        let range = Self.bandOffsets[band]..<Self.bandOffsets[band + 1]
        let mean = lineWeights[range].reduce(0, +) / Double(range.count)
        // Far contributions are left out of the model.
        #expect(abs(Double(weights[band + 1]) / mean - 1) < 0.03, "band \(band), gain \(gain)")
      }
    }
  }

  /// Quick spreading is near the other where slopes change little from partition to partition.
  @Test func quickSpreadingIsNear() {
    var random = Generator(seed: printedSeed(#function))
    let x = (0..<Self.lines).map { _ in Float.random(in: -1000...1000, using: &random) }
    let weights = [false, true].map { quickly in
      let model = MaskingModel(Self.partitions, bandOffsets: Self.bandOffsets, spreadsQuickly: quickly)
      var memory = model.makeMemory()
      var weights = [Float](repeating: 0, count: 5)
      model.analyze(x, sines: nil, at: 0, highestMask: .infinity, memory: &memory, weights: &weights, at: 0)
      return weights
    }
    for (one, other) in zip(weights[0], weights[1]) {
      #expect(one > 0 && abs(Foundation.log2(Double(one / other))) < 1, "\(weights)")
    }
  }
}
