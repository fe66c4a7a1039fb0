import Foundation
import Testing

@testable import DSP

/// Quantising bands and choosing scale factors, against loops over single lines.
struct BandKernelTests {
  static let steps = StepTable(
    steps: (0..<256).map { Float(pow(2, (Double($0) - 100) / 4)) },
    multipliers: (0..<256).map { Float(pow(2, -0.75 * (Double($0) - 100) / 4)) })
  static let ranges = [0..<4, 4..<16, 16..<20, 20..<64]

  @Test func bandsAreQuantisedWithTheirSigns() {
    var random = Generator(seed: printedSeed(#function))
    let lines = EncoderKernelTests.lines(64, &random)
    var powers = lines
    SpectralKernels.powerThreeQuarters(lines, range: 0..<64, into: &powers)
    var spectrum = [Int16](repeating: 99, count: 64)
    var largest = [Int](repeating: 99, count: 4)
    let chosen = [104, 130, -1, 90]
    SpectralKernels.quantizeBands(
      lines, powers: powers, ranges: Self.ranges, bandCount: 4,
      choice: BandChoice(scaleFactors: chosen, roundings: [0.37, 0.4, 0.5, 0.3]), steps: Self.steps,
      into: &spectrum, largest: &largest)
    for (band, range) in Self.ranges.enumerated() {
      for line in range {
        guard chosen[band] >= 0 else {
          #expect(spectrum[line] == 0)
          continue
        }
        let step = pow(2, (Double(chosen[band]) - 100) / 4)
        let exact = pow(abs(Double(lines[line])) / step, 0.75) + [0.37, 0.4, 0.5, 0.3][band]
        let nearest = exact.rounded()
        let value = abs(exact - nearest) < 1e-3 ? Double(abs(spectrum[line])) : exact.rounded(.down)
        #expect(Double(abs(spectrum[line])) == value && abs(value - exact) <= 1.001)
        #expect(spectrum[line] == 0 || (spectrum[line] < 0) == (lines[line] < 0))
      }
      #expect(largest[band] == range.map { Int(abs(spectrum[$0])) }.max())
    }
  }

  /// All ways through four bands of three candidates, one by one.
  @Test(arguments: [1, 2]) func theTrellisFindsTheCheapestWay(spacing: Int) {
    let grid = CandidateGrid(count: 3, spacing: spacing, roundings: [0.4], below: 1)
    let deltaBits = (-60...60).map { Float(1 + abs($0)) }
    let trellis = ScaleFactorTrellis(grid: grid, deltaBits: deltaBits, bandCapacity: 4)
    for _ in 0..<50 {
      var table = CandidateTable(bandCapacity: 4)
      for band in 0..<4 {
        table.first[band] = Int.random(in: 100...106)
        table.zeroNoise[band] = 1e6
        for index in 0..<3 {
          table.noise[band * CandidateGrid.stride + index] = Float.random(in: 0...20)
          table.bits[band * CandidateGrid.stride + index] = Float(Int.random(in: 0...30))
        }
      }
      let price: Float = 0.7
      var least = Float.greatestFiniteMagnitude
      for way in 0..<81 {
        let indices = [way / 27, way / 9 % 3, way / 3 % 3, way % 3]
        var cost: Float = price
        for band in 0..<4 {
          let place = band * CandidateGrid.stride + indices[band]
          cost += table.noise[place] + price * table.bits[place]
          guard band > 0 else { continue }
          let scaleFactors = [band - 1, band].map { table.first[$0] + indices[$0] * spacing }
          cost += price * deltaBits[scaleFactors[1] - scaleFactors[0] + 60]
        }
        least = min(least, cost)
      }
      var chosen = [Int](repeating: 0, count: 4)
      var rounding = [Float](repeating: 0, count: 4)
      let outcome = trellis.run(table, bandCount: 4, price: price, chosen: &chosen, rounding: &rounding)
      #expect(abs(outcome.noise + price * outcome.bits - least) < 1e-3 * least)
    }
  }

  /// The estimate where one more bit buys what it costs, equal where neighbours are near, within reach.
  @Test func estimatesFollowTheory() {
    let magnitudes = (0..<64).map { line -> Float in line < 16 ? 100 : line < 20 ? 0.001 : 1e7 }
    var chosen = [Int](repeating: 0, count: 4)
    SpectralKernels.estimateScaleFactors(
      magnitudes, ranges: Self.ranges, bandCount: 4, weights: [1, 1.2, 1, 1e-9], price: 1, leastNoise: 1,
      tolerance: 1, into: &chosen)
    let step = 100 + 8.0 / 3 * log2(0.721_347_5 / (4.0 / 27 * 10))
    #expect(chosen[0] == Int(step.rounded()))
    #expect(chosen[1] == chosen[0])
    #expect(chosen[2] == -1)
    #expect(chosen[3] <= chosen[1] + 60 && chosen[3] > chosen[1])
  }
}
