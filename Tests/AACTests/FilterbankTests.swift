import Testing

@testable import AAC

@Suite struct FilterbankTests {
  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state &* 0x2545_F491_4F6C_DD1D
    }
  }

  private static func printedSeed(_ name: String) -> UInt64 {
    let seed = UInt64.random(in: 1...UInt64(UInt32.max))
    print("\(name): seed \(seed)")
    return seed
  }

  private static func successors(_ sequence: WindowSequence) -> [WindowSequence] {
    switch sequence {
    case .onlyLong, .longStop: [.onlyLong, .longStart]
    case .longStart, .eightShort: [.eightShort, .longStop]
    }
  }

  @Test(arguments: [1024, 960]) func legalOrdersReconstruct(frameLength: Int) {
    var generator = Generator(state: Self.printedSeed("reconstruction \(frameLength)"))
    let analysis = AnalysisFilterbank(frameLength: frameLength)
    let synthesis = SynthesisFilterbank(frameLength: frameLength)
    let frames = 60
    let time = (0..<((frames + 1) * frameLength)).map { _ in
      Float.random(in: -1...1, using: &generator)
    }
    var spectrum = [Float](repeating: 0, count: frameLength)
    var overlap = spectrum
    var output = [Float](repeating: .nan, count: frames * frameLength)
    var sequence = WindowSequence.onlyLong
    var previousShape = WindowShape.sine
    var used: Set<WindowSequence> = []
    for frame in 0..<frames {
      let shape: WindowShape = Bool.random(using: &generator) ? .sine : .kaiserBessel
      analysis.analyze(
        time, at: frame * frameLength, sequence: sequence, shape: shape, previousShape: previousShape,
        into: &spectrum)
      synthesis.synthesize(
        spectrum, sequence: sequence, shape: shape, previousShape: previousShape, overlap: &overlap,
        into: &output, at: frame * frameLength)
      used.insert(sequence)
      previousShape = shape
      sequence = Self.successors(sequence).randomElement(using: &generator) ?? .onlyLong
    }
    #expect(used.count == 4)
    var worst: Float = 0
    for index in frameLength..<(frames * frameLength) {
      worst = max(worst, abs(output[index] - time[index]))
    }
    print("worst error \(worst)")
    #expect(worst < 1e-6)
  }

  /// Every order of two sequences, legal or not, against windowed sums in double precision.
  @Test(arguments: [1024, 960]) func everyOrderEqualsTheDefinition(frameLength: Int) {
    var generator = Generator(state: Self.printedSeed("definition \(frameLength)"))
    let synthesis = SynthesisFilterbank(frameLength: frameLength)
    let sequences: [WindowSequence] = [.onlyLong, .longStart, .eightShort, .longStop]
    var overlap = [Float](repeating: 0, count: frameLength)
    var expected = [Double](repeating: 0, count: 2 * frameLength)
    var previousShape = WindowShape.sine
    var order: [WindowSequence] = []
    for first in sequences { for second in sequences { order += [first, second] } }
    for sequence in order {
      let shape: WindowShape = Bool.random(using: &generator) ? .sine : .kaiserBessel
      // Few lines, so that the sums stay short; each block has some.
      var spectrum = [Float](repeating: 0, count: frameLength)
      for start in stride(from: 0, to: frameLength, by: frameLength / 8) {
        spectrum[start + Int.random(in: 0..<(frameLength / 8), using: &generator)] =
          Float.random(in: -32768...32768, using: &generator)
      }
      var output = [Float](repeating: .nan, count: frameLength + 1)
      synthesis.synthesize(
        spectrum, sequence: sequence, shape: shape, previousShape: previousShape, overlap: &overlap,
        into: &output, at: 1)
      let block = FilterbankReference.block(spectrum, sequence, shape, previousShape)
      for index in expected.indices { expected[index] += block[index] }
      var worst = 0.0
      for index in 0..<frameLength {
        worst = max(worst, abs(Double(output[index + 1]) - expected[index]))
        worst = max(worst, abs(Double(overlap[index]) - expected[frameLength + index]))
      }
      #expect(worst < 2e-7, "\(sequence) after shape \(previousShape)")
      #expect(output[0].isNaN)
      expected = Array(expected[frameLength...]) + [Double](repeating: 0, count: frameLength)
      previousShape = shape
    }
  }

  /// A window-shaped sine of full scale has, at its line, half the window's sum times 2·32768 at most.
  @Test func fullScaleIs32768() {
    let analysis = AnalysisFilterbank(frameLength: 1024)
    var spectrum = [Float](repeating: 0, count: 1024)
    var largest: Float = 0
    for phase in 0..<16 {
      let time = (0..<2048).map { index in
        FilterbankReference.cosine(2 * Double.pi * (100.5 / 2048 * Double(index) + Double(phase) / 16))
      }
      analysis.analyze(
        time, at: 0, sequence: .onlyLong, shape: .sine, previousShape: .sine, into: &spectrum)
      largest = max(largest, abs(spectrum[100]))
    }
    // The sine window's 2048 values sum to 2·2048/π.
    let expected = Float(32768 * 2 * 2048 / Double.pi)
    #expect(largest > expected * 0.97 && largest < expected * 1.001, "\(largest / expected)")
  }
}
