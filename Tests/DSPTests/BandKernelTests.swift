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
    var sums = BandSums(bandCapacity: 4)
    var powers = magnitudes
    SpectralKernels.powersAndSums(magnitudes, ranges: Self.ranges, bandCount: 4, into: &powers, &sums)
    SpectralKernels.estimateScaleFactors(
      sums, bandCount: 4, weights: [1, 1.2, 1, 1e-9, .nan, 0, -1, .infinity], price: 1, leastNoise: 1,
      tolerance: 1, into: &chosen)
    let step = 100 + 8.0 / 3 * log2(0.721_347_5 / (4.0 / 27 * 10))
    #expect(chosen[0] == Int(step.rounded()))
    #expect(chosen[1] == chosen[0])
    #expect(chosen[2] == -1)
    #expect(chosen[3] <= chosen[1] + 60 && chosen[3] > chosen[1])
  }

  /// The same with many bands, band by band.
  @Test(arguments: [1, 7, 8, 9, 41]) func estimatesFollowTheoryInEveryBand(bandCount: Int) {
    var random = Generator(seed: printedSeed(#function))
    let ranges = (0..<bandCount).reduce(into: [Range<Int>]()) { ranges, band in
      let start = ranges.last?.upperBound ?? 3
      ranges.append(start..<start + 4 * (1 + band % 3))
    }
    let lines = EncoderKernelTests.lines((ranges.last?.upperBound ?? 0) + 1, &random)
    var powers = [Float](repeating: -1, count: lines.count)
    var sums = BandSums(bandCapacity: bandCount)
    SpectralKernels.powersAndSums(lines, ranges: ranges, bandCount: bandCount, into: &powers, &sums)
    for (line, power) in powers.enumerated() {
      guard line >= 3, line < lines.count - 1 else {
        #expect(power == -1)
        continue
      }
      #expect(EncoderKernelTests.close(power, pow(abs(Double(lines[line])), 0.75)))
    }
    let weights = (0..<bandCount + 7).map { _ in Float(pow(10, Double.random(in: -12...2, using: &random))) }
    let (price, leastNoise, tolerance) = (Float(0.3), Float(0.02), 2)
    var chosen = [Int](repeating: 99, count: bandCount)
    SpectralKernels.estimateScaleFactors(
      sums, bandCount: bandCount, weights: weights, price: price, leastNoise: leastNoise,
      tolerance: tolerance,
      into: &chosen)
    for (band, range) in ranges.enumerated() {
      let energy = range.reduce(0.0) { $0 + Double(lines[$1]) * Double(lines[$1]) }
      #expect(EncoderKernelTests.close(sums.energies[band], energy))
      let roots = range.reduce(0.0) { $0 + abs(Double(lines[$1])).squareRoot() }
      #expect(EncoderKernelTests.close(sums.roots[band], roots))
      let noise = energy * Double(weights[band])
      guard abs(noise / Double(leastNoise) - 1) > 1e-4 else { continue }
      guard noise > Double(leastNoise) else {
        #expect(chosen[band] == -1)
        continue
      }
      let ratio = Double(price) * Double(range.count) * 0.721_347_5 / (Double(weights[band]) * 4 / 27 * roots)
      // All of the energy in one line must stay below 8192, by the three steps that neighbours may take.
      let finest = 2 * log2(energy) - 16.0 / 3 * log2(8191) + 3
      let exact = min(max(100 + max(8.0 / 3 * log2(ratio), finest), 0), 255)
      // Equal to the one before, or within half a step of theory, or held back by a neighbour's reach.
      let before = chosen[..<band].last { $0 >= 0 }
      let after = chosen[(band + 1)...].first { $0 >= 0 }
      let isNear = abs(Double(chosen[band]) - exact) <= 0.501
      let isEqual = chosen[band] == before && abs(Double(chosen[band]) - exact) <= Double(tolerance) + 0.501
      let isHeld =
        before.map { chosen[band] == $0 + 60 } == true || after.map { chosen[band] == $0 + 60 } == true
      #expect(isNear || isEqual || isHeld, "band \(band): \(chosen[band]), \(exact)")
      let peak = range.map { pow(abs(Double(lines[$0])), 0.75) }.max() ?? 0
      #expect(isHeld || peak * pow(2, -0.1875 * Double(chosen[band] - 100)) < 8191)
    }
  }

  /// Costs and candidates of bands that another table lends.
  @Test func bandsAreAdopted() {
    var random = Generator(seed: printedSeed(#function))
    func table() -> CandidateTable {
      var table = CandidateTable(bandCapacity: 70)
      table.first = (0..<70).map { _ in Int.random(in: -1...200, using: &random) }
      table.zeroNoise = random.floats(70, in: 0...100)
      table.noise = random.floats(70 * CandidateGrid.stride, in: 0...100)
      table.bits = random.floats(70 * CandidateGrid.stride, in: 0...100)
      table.rounding = random.floats(70 * CandidateGrid.stride, in: 0...1)
      return table
    }
    let (own, other) = (table(), table())
    let price: Float = 0.5
    var costs = [Float](repeating: 0, count: 70)
    own.leastCosts(bandCount: 69, price: price, into: &costs)
    for band in 0..<69 {
      let least =
        (0..<CandidateGrid.stride).map { index -> Float in
          let place = band * CandidateGrid.stride + index
          return own.noise[place] + price * (own.bits[place] + 1)
        }.min() ?? 0
      let expected = own.first[band] < 0 ? own.zeroNoise[band] : min(own.zeroNoise[band], least)
      #expect(abs(costs[band] - expected) <= 1e-4)
    }
    #expect(costs[69] == 0)

    let bands: UInt64 = 1 | 1 << 5 | 1 << 63
    var mixed = own
    mixed.adopt(bands, from: 3, of: other)
    let lines = random.floats(280)
    var target = [Float](repeating: 7, count: 280)
    SpectralKernels.copyBands(
      lines, ranges: (0..<70).map { 4 * $0..<4 * $0 + 4 }, bands: bands, from: 3, to: &target)
    for band in 0..<70 {
      let source = [3, 8, 66].contains(band) ? other : own
      #expect(mixed.first[band] == source.first[band] && mixed.zeroNoise[band] == source.zeroNoise[band])
      let row = band * CandidateGrid.stride..<(band + 1) * CandidateGrid.stride
      #expect(mixed.noise[row] == source.noise[row] && mixed.bits[row] == source.bits[row])
      #expect(mixed.rounding[row] == source.rounding[row])
      let copied = [3, 8, 66].contains(band)
      #expect((4 * band..<4 * band + 4).allSatisfy { target[$0] == (copied ? lines[$0] : 7) })
    }
  }
}
