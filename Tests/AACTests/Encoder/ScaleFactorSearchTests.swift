import DSP
import Testing

@testable import AAC

struct ScaleFactorSearchTests {
  /// The syntax has no word for a difference above 60: a quiet, sensitive band beside a loud, insensitive one.
  @Test(arguments: [[0, 1, 0, 1], [1, 0, 0, 1], [0, 0, 1, 1], [1, 1, 1, 0]])
  func neighboursStayWithinReach(kinds: [Int]) {
    let ranges = (0..<4).map { $0 * 16..<($0 + 1) * 16 }
    let magnitudes = kinds.flatMap { [Float](repeating: $0 == 0 ? 0.01 : 1e8, count: 16) }
    let powers = magnitudes.map { ($0 * $0.squareRoot()).squareRoot() }
    let weights = kinds.map { Float($0 == 0 ? 1e9 : 1e-14) }
    for effort in [EncoderSettings.Effort.low, .medium, .high, .max] {
      var candidates = BandCandidates(effort: EffortPlan(effort))
      candidates.fill(
        magnitudes: magnitudes, powers: powers, ranges: ranges, bandCount: 4, weights: weights, price: 0.001)
      var search = ScaleFactorSearch(grid: candidates.grid)
      search.run(candidates, bandCount: 4, price: 0.001)
      let coded = search.chosen.prefix(4).filter { $0 >= 0 }
      #expect(coded.count == 4)
      #expect(zip(coded, coded.dropFirst()).allSatisfy { abs($0 - $1) <= 60 }, "\(coded)")
    }
  }

  /// The same where scale factors are estimated.
  @Test func estimatesStayWithinReach() {
    let ranges = (0..<4).map { $0 * 16..<($0 + 1) * 16 }
    for kinds in [[0, 1, 0, 1], [1, 0, 0, 1]] {
      let magnitudes = kinds.flatMap { [Float](repeating: $0 == 0 ? 0.01 : 1e8, count: 16) }
      var search = ScaleFactorSearch(grid: EffortPlan(.min).grid)
      var sums = BandSums(bandCapacity: 4)
      var powers = magnitudes
      SpectralKernels.powersAndSums(magnitudes, ranges: ranges, bandCount: 4, into: &powers, &sums)
      let weights = kinds.map { Float($0 == 0 ? 1e9 : 1e-14) } + [1, 1, 1, 1]
      search.estimate(sums, bandCount: 4, weights: weights, price: 0.001)
      let coded = search.chosen.prefix(4).filter { $0 >= 0 }
      #expect(coded.count == 4)
      #expect(zip(coded, coded.dropFirst()).allSatisfy { abs($0 - $1) <= 60 }, "\(coded)")
    }
  }
}
