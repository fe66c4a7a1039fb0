import DSP
import Testing

@testable import AAC

/// The filterbanks with the tables of the standard.
@Suite struct SBRSignalTests {
  static func noise(_ count: Int, _ random: inout SeededGenerator) -> [Float] {
    (0..<count).map { _ in Float.random(in: -0.5...0.5, using: &random) }
  }

  /// Analysis and synthesis give the samples back, at the same rate or at twice the rate, with the delay that
  /// the tables stand for.
  @Test(arguments: [32, 64]) func banksReconstruct(bands: Int) {
    var random = SeededGenerator(seed: 5)
    let samples = Self.noise(32 * 128, &random)
    let analysis = QMFAnalysis(prototype: QMFPrototype.taps, gain: 32768)
    let synthesis = QMFSynthesis(bands: bands, prototype: QMFPrototype.taps, gain: 1 / 32768)
    var memory = [Float](repeating: 0, count: QMFAnalysis.historyCount + 1024)
    var other = [Float](repeating: 0, count: synthesis.memoryCount(slots: 32))
    var output: [Float] = []
    for frame in 0..<4 {
      var low = [Float](repeating: 0, count: 34 * QMFLayout.lowStride + QMFLayout.tail)
      var high = [Float](repeating: 0, count: 32 * QMFLayout.stride + QMFLayout.tail)
      var part = [Float](repeating: 0, count: 32 * bands)
      analysis.analyze(
        Array(samples[frame * 1024..<frame * 1024 + 1024]), slots: 32, memory: &memory, into: &low, row: 2)
      ReplicationKernels.copyLow(low, bands: 32, rows: 0..<32, to: &high)
      synthesis.synthesize(high, row: 0, slots: 32, memory: &other, into: &part)
      output += part
    }
    var error = 0.0
    var power = 0.0
    for index in 1000..<3000 {
      let value = bands == 32 ? output[index + 289] : output[2 * (index + 289)]
      let difference = Double(value - samples[index])
      error += difference * difference
      power += Double(samples[index] * samples[index])
    }
    #expect(error < power * 4e-6)
  }

  /// With the mono sound alone on both sides, splitting and joining give back what went in.
  @Test(arguments: [20, 34], [32, 30]) func hybridBandsReconstruct(parameters: Int, slots: Int) {
    var random = SeededGenerator(seed: UInt64(parameters + slots))
    let bank = StereoBank(
      shape: parameters == 20 ? PSShape.of20 : PSShape.of34, slots: slots, linkGains: PSTables.linkGains,
      linkTurns: PSTables.linkTurns, firstTurn: PSTables.firstTurn, decaySlope: PSTables.decaySlope)
    let stride = QMFLayout.stride
    var rows = Self.noise((slots + 6) * stride + QMFLayout.tail, &random)
    for frame in 0..<3 {
      var left = rows
      var right = [Float](repeating: 0, count: rows.count)
      bank.split(left)
      bank.decorrelate()
      var coefficients = [Float](repeating: 0, count: 8 * StereoBank.room)
      for index in 0..<2 * StereoBank.room { coefficients[index] = index < StereoBank.room ? 1 : 0.5 }
      let steps = [Float](repeating: 0, count: 8 * StereoBank.room)
      bank.mix(0..<7, coefficients: &coefficients, steps: steps, isComplex: false)
      bank.mix(7..<slots, coefficients: &coefficients, steps: steps, isComplex: true)
      bank.join(into: &left, &right)
      var worst: Float = 0
      for row in 0..<slots where frame > 0 {
        for band in 0..<64 {
          for place in [row * stride + band, row * stride + band + QMFLayout.imaginary] {
            worst = max(worst, abs(left[place] - rows[place]), abs(right[place] - 0.5 * rows[place]))
          }
        }
      }
      #expect(worst < 1e-5)
      // The next frame begins with what this one has looked ahead to.
      var next = Self.noise(rows.count, &random)
      for index in 0..<6 * stride { next[index] = rows[slots * stride + index] }
      rows = next
    }
  }

  /// The decorrelated sound has the energy of the sound, but for transients.
  @Test(arguments: [20, 34]) func decorrelationKeepsTheEnergy(parameters: Int) {
    var random = SeededGenerator(seed: 3)
    let slots = 32
    let bank = StereoBank(
      shape: parameters == 20 ? PSShape.of20 : PSShape.of34, slots: slots, linkGains: PSTables.linkGains,
      linkTurns: PSTables.linkTurns, firstTurn: PSTables.firstTurn, decaySlope: PSTables.decaySlope)
    var energies: (Double, Double, Double) = (0, 0, 0)
    var past = Self.noise(38 * QMFLayout.stride + QMFLayout.tail, &random)
    for frame in 0..<30 {
      var left = Self.noise(past.count, &random)
      for index in 0..<6 * QMFLayout.stride { left[index] = past[slots * QMFLayout.stride + index] }
      past = left
      var right = left
      bank.split(left)
      bank.decorrelate()
      var coefficients = [Float](repeating: 0, count: 8 * StereoBank.room)
      for index in 0..<StereoBank.room {
        coefficients[index] = 1
        coefficients[3 * StereoBank.room + index] = 1
      }
      let steps = [Float](repeating: 0, count: 8 * StereoBank.room)
      bank.mix(0..<slots, coefficients: &coefficients, steps: steps, isComplex: false)
      bank.join(into: &left, &right)
      guard frame > 2 else { continue }
      for row in 0..<slots {
        for band in 0..<64 {
          let place = row * QMFLayout.stride + band
          energies.0 += Double(left[place] * left[place])
          energies.1 += Double(right[place] * right[place])
          energies.2 += Double(left[place] * right[place])
        }
      }
    }
    // White noise looks a little like transients.
    #expect(energies.1 > 0.5 * energies.0 && energies.1 < 1.02 * energies.0)
    #expect(abs(energies.2) < 0.05 * energies.0)
  }
}
