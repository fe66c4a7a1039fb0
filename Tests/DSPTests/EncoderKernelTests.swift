import Foundation
import Testing

@testable import DSP

/// The encoder's kernels against sums in double precision, over ranges of every length and alignment.
struct EncoderKernelTests {
  static func lines(_ count: Int, _ random: inout some RandomNumberGenerator) -> [Float] {
    (0..<count).map { _ in Float.random(in: -1000...1000, using: &random) }
  }

  static let ranges: [Range<Int>] = [0..<0, 0..<1, 3..<7, 1..<9, 5..<37, 0..<96, 7..<200]

  static func close(_ x: Float, _ y: Double, _ tolerance: Double = 2e-5) -> Bool {
    abs(Double(x) - y) <= tolerance * max(1, abs(y))
  }

  @Test(arguments: ranges) func sums(range: Range<Int>) {
    var random = SystemRandomNumberGenerator()
    let left = Self.lines(200, &random)
    let right = Self.lines(200, &random)
    var magnitudes = [Float](repeating: -1, count: 200)
    SpectralKernels.magnitudes(left, range: range, into: &magnitudes)
    #expect(range.allSatisfy { magnitudes[$0] == abs(left[$0]) })
    #expect(magnitudes.indices.allSatisfy { range.contains($0) || magnitudes[$0] == -1 })
    #expect(
      Self.close(
        SpectralKernels.sumOfRoots(magnitudes, range: range),
        range.reduce(0.0) { $0 + Double(magnitudes[$1]).squareRoot() }))

    for lag in [0, 1, 4, 8] {
      let pairs = range.filter { $0 + lag < range.upperBound }
      let expected = pairs.reduce(0.0) { $0 + Double(left[$1]) * Double(left[$1 + lag]) }
      let scale = pairs.reduce(0.0) { $0 + abs(Double(left[$1]) * Double(left[$1 + lag])) }
      let sum = SpectralKernels.correlation(left, range: range, lag: lag)
      #expect(abs(Double(sum) - expected) <= 1e-6 * max(scale, 1), "lag \(lag)")
    }

    // Bands have whole fours of lines.
    let band = range.lowerBound..<range.lowerBound + range.count / 4 * 4
    let bits = { (x: Double, weight: Double) in log2(1 + x * x * weight) }
    #expect(
      Self.close(
        SpectralKernels.logSum(left, range: band, weight: 0.01),
        band.reduce(0.0) { $0 + bits(Double(left[$1]), 0.01) }))
    let both = SpectralKernels.stereoLogSums(
      left, right, range: band, leftWeight: 0.1, rightWeight: 0.2, jointWeight: 0.3)
    #expect(
      Self.close(
        both.separate, band.reduce(0.0) { $0 + bits(Double(left[$1]), 0.1) + bits(Double(right[$1]), 0.2) }))
    #expect(
      Self.close(
        both.joint,
        band.reduce(0.0) {
          let (l, r) = (Double(left[$1]), Double(right[$1]))
          return $0 + bits((l + r) / 2, 0.3) + bits((l - r) / 2, 0.3)
        }))
  }

  @Test func copiesAreLimited() {
    let x: [Float] = [0, 3, -3, 5, -1e30, .greatestFiniteMagnitude, Float(bitPattern: 71362)]
    var target = [Float](repeating: 9, count: 10)
    SpectralKernels.copyLimited(x, range: 1..<7, limit: 4, to: &target, at: 2)
    #expect(target == [9, 9, 3, -3, 4, -4, 4, Float(bitPattern: 71362), 9, 9])
  }
}
