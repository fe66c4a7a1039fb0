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
    var random = Generator(seed: printedSeed(#function))
    let left = Self.lines(200, &random)
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
  }

  @Test func copiesAreLimited() {
    let x: [Float] = [0, 3, -3, 5, -1e30, .greatestFiniteMagnitude, Float(bitPattern: 71362)]
    var target = [Float](repeating: 9, count: 10)
    SpectralKernels.copyLimited(x, range: 1..<7, limit: 4, to: &target, at: 2)
    #expect(target == [9, 9, 3, -3, 4, -4, 4, Float(bitPattern: 71362), 9, 9])
  }

  @Test func logarithmsAndPowersAreNear() {
    for step in 0..<4000 {
      let x = Float(step - 2000) / 16.03
      let power = DSP.exp2(Lanes8(repeating: x))[3]
      #expect(abs(Double(power) / Foundation.exp2(Double(x)) - 1) < 5e-7, "2^\(x)")
      let back = DSP.log2(Lanes8(repeating: power))[5]
      #expect(
        abs(Double(back) - Foundation.log2(Double(power))) < 1e-6 * max(1, abs(Double(x))), "log2 \(power)")
    }
  }

  /// Middle and side where the sum of logarithms is less, and then halved sums and differences.
  @Test func stereoIsDecidedByLogarithms() {
    var random = Generator(seed: printedSeed(#function))
    for windows in [1, 3] {
      let left = Self.lines(96, &random)
      // The first band alike in both, the second apart, the third opposite, the fourth left alone.
      let offsets = [0, 8, 12, 24, 28]
      let right = (0..<96).map { line -> Float in
        let place = line % 32
        if place < 8 { return left[line] * 1.01 }
        if place < 12 { return 0.001 * left[(line + 7) % 96] }
        return place < 24 ? -left[line] : left[line]
      }
      var (l, r) = (left, right)
      var weights: [Float] = [9, 1, 2, 3, 5]
      var others: [Float] = [9, 4, 3, 2, 6]
      let used = SpectralKernels.codeStereo(
        &l, &r, start: 0, stride: 32, windows: windows, offsets: offsets, bandCount: 3,
        leftWeights: &weights, rightWeights: &others, at: 1, scale: 0.5)
      var expected: UInt64 = 0
      for band in 0..<3 {
        let (w, v) = ([1.0, 2, 3][band] * 0.5, [4.0, 3, 2][band] * 0.5)
        var gain = 0.0
        for window in 0..<windows {
          for line in offsets[band]..<offsets[band + 1] {
            let (x, y) = (Double(left[window * 32 + line]), Double(right[window * 32 + line]))
            let (m, s) = ((x + y) / 2, (x - y) / 2)
            gain += Foundation.log2((1 + w * x * x) * (1 + v * y * y))
            gain -= Foundation.log2((1 + (w + v) * m * m) * (1 + (w + v) * s * s))
          }
        }
        if gain > 0 { expected |= 1 << UInt64(band) }
      }
      #expect(used == expected && expected == 0b101)
      #expect(weights == [9, 5, 2, 5, 5] && others == [9, 5, 3, 5, 6])
      for line in 0..<96 {
        let place = line % 32
        let isJoint = line / 32 < windows && (place < 8 || (12..<24).contains(place))
        #expect(abs(l[line] - (isJoint ? (left[line] + right[line]) / 2 : left[line])) < 1e-3)
        #expect(abs(r[line] - (isJoint ? (left[line] - right[line]) / 2 : right[line])) < 1e-3)
      }
    }
  }

  @Test func highPassIsTheRecursion() {
    var random = Generator(seed: printedSeed(#function))
    let samples = [Float](repeating: 0, count: 64) + Self.lines(3 * 64, &random)
    var filter = HighPassEnergies()
    var (x1, y1) = (0.0, 0.0)
    for start in [64, 128, 192] {
      let energies = filter.next(samples, at: start, count: 64)
      for part in 0..<8 {
        var energy = 0.0
        for index in start + part * 8..<start + (part + 1) * 8 {
          let x = Double(samples[index])
          let y = 0.75 * (x - x1) + 0.5 * y1
          energy += y * y
          (x1, y1) = (x, y)
        }
        #expect(Self.close(energies[part], energy), "block at \(start), part \(part)")
      }
    }
  }

  @Test func blocksMove() {
    var x = (0..<20).map(Float.init)
    SpectralKernels.shift(&x, by: 8)
    #expect(Array(x[0..<12]) == (8..<20).map(Float.init))
    var y = [Float](repeating: -1, count: 12)
    SpectralKernels.reverse(x, range: 1..<12, into: &y)
    #expect(y == (9..<20).reversed().map(Float.init) + [-1])
  }
}
