import Testing

@testable import DSP

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite struct QuantizationTests {
  static let lengths = Array(0...35) + [64, 95, 96, 100, 1024]

  @Test func powerIsThreeQuarters() {
    var generator = Generator(seed: printedSeed("power"))
    for length in Self.lengths {
      let x = (0..<(length + 6)).map { _ in
        Float(exp2(Double.random(in: -30...25, using: &generator)))
          * (Bool.random(using: &generator) ? 1 : -1)
      }
      var target = [Float](repeating: -1, count: length + 6)
      SpectralKernels.powerThreeQuarters(x, range: 3..<(3 + length), into: &target)
      for index in target.indices {
        guard index >= 3 && index < 3 + length else {
          #expect(target[index] == -1)
          continue
        }
        let expected = pow(abs(Double(x[index])), 0.75)
        #expect(abs(Double(target[index]) - expected) <= expected * 2e-7)
      }
    }
    let tiny = Float.leastNonzeroMagnitude
    var special = [Float](repeating: -1, count: 11)
    SpectralKernels.powerThreeQuarters(
      [0, -0, 1, -16, .infinity, .nan, tiny, 0, 0, -.infinity, 81], range: 0..<11, into: &special)
    #expect(special[0] == 0 && special[1] == 0 && special[2] == 1 && special[3] == 8)
    #expect(special[4] == .infinity && special[5].isNaN && special[6] < 1e-28 && special[6] > 0)
    #expect(special[9] == .infinity && special[10] == 27)
  }

  @Test func quantizeTruncatesAndSaturates() {
    var generator = Generator(seed: printedSeed("quantize"))
    for length in Self.lengths {
      let top = exp2(Float.random(in: 0...14, using: &generator))
      let powers = generator.floats(length + 6, in: 0...top)
      let multiplier = Float.random(in: 0.5...2, using: &generator)
      var q = [Int16](repeating: -7, count: length + 6)
      let largest = SpectralKernels.quantize(
        powers, range: 3..<(3 + length), multiplier: multiplier, rounding: 0.4054, into: &q)
      var expectedLargest = 0
      for index in q.indices {
        guard index >= 3 && index < 3 + length else {
          #expect(q[index] == -7)
          continue
        }
        let exact = Double(powers[index]) * Double(multiplier) + Double(Float(0.4054))
        let low = min(8191, Int(exact * (1 - 2e-7)))
        let high = min(8191, Int(exact * (1 + 2e-7)))
        #expect(Int(q[index]) >= low && Int(q[index]) <= high)
        expectedLargest = max(expectedLargest, Int(q[index]))
      }
      #expect(largest == expectedLargest)
    }
    var q = [Int16](repeating: 0, count: 11)
    let tiny = Float.leastNonzeroMagnitude
    let odd: [Float] = [.nan, .infinity, 1e38, 8190.5, 8191, 8192, 0, tiny, 32768, 70000, .nan]
    let expected: [Int16] = [8191, 8191, 8191, 8190, 8191, 8191, 0, 0, 8191, 8191, 8191]
    for length in 1...11 {
      let largest = SpectralKernels.quantize(odd, range: 0..<length, multiplier: 1, rounding: 0.4, into: &q)
      #expect(q[..<length] == expected[..<length])
      #expect(largest == 8191)
    }
  }

  private static func exactError(_ x: [Float], _ q: [Int16], _ range: Range<Int>, _ step: Float) -> Double {
    range.reduce(0.0) { sum, index in
      let difference = Double(x[index]) - Double(step) * pow(Double(q[index]), 4.0 / 3)
      return sum + difference * difference
    }
  }

  @Test func errorIsTheSumOfSquaredDifferences() {
    var generator = Generator(seed: printedSeed("error"))
    for length in Self.lengths {
      for top in [Int16(0), 1, 2, 15, 40, 8191] {
        let q = (0..<(length + 6)).map { _ in Int16.random(in: 0...top, using: &generator) }
        let step: Float = 0.37
        let x = q.map { value in
          max(0, step * Float(pow(Double(value), 4.0 / 3)) + Float.random(in: -1...1, using: &generator))
        }
        let range = 3..<(3 + length)
        let error = SpectralKernels.quantizationError(x, quantized: q, range: range, step: step)
        let expected = Self.exactError(x, q, range, step)
        // Differences of values near top^(4/3) carry their rounding.
        let scale = Double(step) * pow(Double(top), 4.0 / 3)
        let tolerance = expected * 2e-6 + Double(length) * scale * 2e-7 * 2
        #expect(abs(Double(error) - expected) <= tolerance, "\(length) \(top)")
      }
    }
    #expect(SpectralKernels.quantizationError([1, 2], quantized: [-3, -32768], range: 0..<2, step: 1) == 5)
  }

  @Test func fusedFormEqualsTheTwo() {
    var generator = Generator(seed: printedSeed("fused"))
    for length in Self.lengths {
      for top in [Float(0.5), 2, 20, 300, 20000] {
        let powers = generator.floats(length + 6, in: 0...top)
        let multiplier = Float.random(in: 0.2...1.2, using: &generator)
        let step = Float(pow(Double(multiplier), -4.0 / 3))
        let magnitudes = powers.map { Float(pow(Double($0), 4.0 / 3)) }
        let range = 3..<(3 + length)
        var q = [Int16](repeating: -7, count: length + 6)
        var fusedQ = q
        let largest = SpectralKernels.quantize(
          powers, range: range, multiplier: multiplier, rounding: 0.4054, into: &q)
        let error = SpectralKernels.quantizationError(magnitudes, quantized: q, range: range, step: step)
        let fused = SpectralKernels.quantizeMeasuringError(
          magnitudes, powers: powers, range: range, multiplier: multiplier, rounding: 0.4054, step: step,
          into: &fusedQ)
        #expect(q == fusedQ)
        #expect(fused.largest == largest)
        #expect(abs(fused.error - error) <= error * 1e-5, "\(length) \(top)")
      }
    }
  }

  @Test func dequantizeIsFourThirds() {
    var generator = Generator(seed: printedSeed("dequantize"))
    for length in Self.lengths {
      for top in [Int16(0), 1, 2, 15, 200, 8191] {
        let q = (0..<(length + 6)).map { _ in Int16.random(in: -top...top, using: &generator) }
        var target = [Float](repeating: 9, count: length + 4)
        SpectralKernels.dequantize(q, range: 3..<(3 + length), scale: 0.37, into: &target, at: 2)
        #expect(target[..<2] == [9, 9] && target[(length + 2)...] == [9, 9])
        for index in 0..<length {
          let value = Double(q[index + 3])
          let expected = (value < 0 ? -1 : 1) * pow(abs(value), 4.0 / 3) * Double(Float(0.37))
          #expect(abs(Double(target[index + 2]) - expected) <= abs(expected) * 2e-7)
        }
      }
    }
  }

  @Test func everyMagnitudeHasItsPower() {
    let q = (-8191...8191).map { Int16($0) }
    var target = [Float](repeating: 0, count: q.count)
    SpectralKernels.dequantize(q, range: 0..<q.count, scale: 1, into: &target, at: 0)
    for (value, power) in zip(q, target) {
      let expected = pow(abs(Double(value)), 4.0 / 3) * (value < 0 ? -1 : 1)
      #expect(abs(Double(power) - expected) <= abs(expected) * 6e-8)
    }
    // What a damaged stream may hold saturates.
    for length in 1...9 {
      let odd = [Int16](repeating: .min, count: length - 1) + [.max]
      SpectralKernels.dequantize(odd, range: 0..<length, scale: 1, into: &target, at: 0)
      let largest = Float(pow(8191.0, 4.0 / 3))
      #expect(target[length - 1] == largest)
      #expect(target[..<(length - 1)].allSatisfy { $0 == -largest })
    }
  }
}
