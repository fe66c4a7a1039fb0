import Testing

@testable import DSP

@Suite struct MDCTTests {
  /// (2n + N + 1)(2k + 1) eighths of 1/N turns.
  private static func forwardSums(_ x: [Float], lines: Int) -> [Double] {
    naiveCosineSums(x.map(Double.init), outputs: lines, period: 8 * lines) { n, k in
      (2 * n + lines + 1) * (2 * k + 1)
    }.map { 2 * $0 }
  }

  private static func inverseSums(_ x: [Float], lines: Int) -> [Double] {
    naiveCosineSums(x.map(Double.init), outputs: 2 * lines, period: 8 * lines) { k, n in
      (2 * n + lines + 1) * (2 * k + 1)
    }.map { $0 / Double(lines) }
  }

  /// All 2N values from the N of the short form.
  private static func unfold(_ y: [Float]) -> [Float] {
    let lines = y.count
    let half = lines / 2
    return (0..<(2 * lines)).map { n in
      if n < half { return -y[half + n] }
      return n < 3 * half ? y[3 * half - 1 - n] : y[n - 3 * half]
    }
  }

  private static func slopes(_ lines: Int) -> [[Float]] {
    [Window.sine(length: lines), Window.kaiserBesselDerived(length: lines, alpha: 4)]
      + (lines >= 512
        ? [Window.sine(length: lines / 4), Window.kaiserBesselDerived(length: lines / 8, alpha: 6)]
          .filter { $0.count % 8 == 0 } : [])
  }

  /// A rising half of N values around the slope.
  private static func half(_ slope: [Float], _ lines: Int) -> [Float] {
    let flat = (lines - slope.count) / 2
    return [Float](repeating: 0, count: flat) + slope + [Float](repeating: 1, count: flat)
  }

  @Test(arguments: MDCT.supportedLines) func forwardEqualsTheSum(lines: Int) {
    var generator = Generator(seed: printedSeed("forward \(lines)"))
    let input = generator.floats(2 * lines + 3)
    var spectrum = [Float](repeating: .nan, count: lines + 5)
    MDCT(lines: lines).forward(input, at: 3, into: &spectrum, at: 5)
    let reference = Self.forwardSums(Array(input[3...]), lines: lines)
    let ratio = signalToNoise(Array(spectrum[5...]), reference)
    #expect(ratio > 130, "\(ratio) dB")
    #expect(spectrum[..<5].allSatisfy { $0.isNaN })
  }

  @Test(arguments: MDCT.supportedLines) func inverseEqualsTheSum(lines: Int) {
    var generator = Generator(seed: printedSeed("inverse \(lines)"))
    let spectrum = generator.floats(lines + 1)
    var half = [Float](repeating: .nan, count: lines + 7)
    MDCT(lines: lines).inverseHalf(spectrum, at: 1, into: &half, at: 7)
    let ratio = signalToNoise(
      Self.unfold(Array(half[7...])), Self.inverseSums(Array(spectrum[1...]), lines: lines))
    #expect(ratio > 130, "\(ratio) dB")
    #expect(half[..<7].allSatisfy { $0.isNaN })
  }

  @Test(arguments: MDCT.supportedLines) func everyLineComesBackAlone(lines: Int) {
    let transform = MDCT(lines: lines)
    for line in [0, 1, 7, 8, lines / 2 - 1, lines / 2, lines - 2, lines - 1] {
      var spectrum = [Float](repeating: 0, count: lines)
      spectrum[line] = 1
      var half = [Float](repeating: 0, count: lines)
      transform.inverseHalf(spectrum, at: 0, into: &half, at: 0)
      let ratio = signalToNoise(Self.unfold(half), Self.inverseSums(spectrum, lines: lines))
      #expect(ratio > 125, "line \(line): \(ratio) dB")
      if lines > 200 { break }
    }
  }

  @Test(arguments: MDCT.supportedLines) func windowedFormsEqualWindowAndTransform(lines: Int) {
    var generator = Generator(seed: printedSeed("windowed \(lines)"))
    let transform = MDCT(lines: lines)
    for left in Self.slopes(lines) {
      for right in Self.slopes(lines) {
        let window = Self.half(left, lines) + Self.half(right, lines).reversed()
        let input = generator.floats(2 * lines)
        var plain = [Float](repeating: 0, count: lines)
        var fused = plain
        transform.forward(zip(input, window).map { $0 * $1 }, at: 0, into: &plain, at: 0)
        transform.forward(input, at: 0, leftSlope: left, rightSlope: right, into: &fused, at: 0)
        #expect(signalToNoise(fused, plain.map(Double.init)) > 130)

        let before = generator.floats(lines)
        var half = plain
        transform.inverseHalf(fused, at: 0, into: &half, at: 0)
        let block = zip(Self.unfold(half), window).map { $0 * $1 }
        var overlap = before
        var output = [Float](repeating: .nan, count: lines + 2)
        transform.inverse(
          fused, at: 0, leftSlope: left, rightSlope: right, overlap: &overlap, into: &output, at: 1)
        let first = zip(block, before).map { Double($0) + Double($1) }
        #expect(signalToNoise(Array(output[1...lines]), first) > 130)
        #expect(output[0].isNaN && output[lines + 1].isNaN)
        #expect(signalToNoise(overlap, block[lines...].map(Double.init)) > 130)
      }
    }
  }

  @Test(arguments: MDCT.supportedLines) func gainsScaleBothDirections(lines: Int) {
    var generator = Generator(seed: printedSeed("gains \(lines)"))
    let input = generator.floats(2 * lines)
    var plain = [Float](repeating: 0, count: lines)
    var scaled = plain
    MDCT(lines: lines).forward(input, at: 0, into: &plain, at: 0)
    let transform = MDCT(lines: lines, forwardGain: 32768, inverseGain: 1 / 32768)
    transform.forward(input, at: 0, into: &scaled, at: 0)
    #expect(signalToNoise(scaled, plain.map { Double($0) * 32768 }) > 130)
    var half = plain
    var scaledHalf = plain
    MDCT(lines: lines).inverseHalf(plain, at: 0, into: &half, at: 0)
    transform.inverseHalf(scaled, at: 0, into: &scaledHalf, at: 0)
    #expect(signalToNoise(scaledHalf, half.map(Double.init)) > 125)
  }

  @Test func transformsInPlaceOfOneArrayAreIndependentOfWhatWasThere() {
    var generator = Generator(seed: printedSeed("repeat"))
    let transform = MDCT(lines: 960)
    let input = generator.floats(960)
    var first = [Float](repeating: 0, count: 960)
    var second = [Float](repeating: .infinity, count: 960)
    transform.inverseHalf(input, at: 0, into: &first, at: 0)
    transform.inverseHalf([Float](repeating: .nan, count: 960), at: 0, into: &second, at: 0)
    #expect(second.allSatisfy { $0.isNaN })
    transform.inverseHalf(input, at: 0, into: &second, at: 0)
    #expect(first == second)
  }
}
