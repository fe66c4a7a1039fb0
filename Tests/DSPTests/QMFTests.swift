import Testing

@testable import DSP

/// The QMF banks against the sums they stand for.
@Suite struct QMFTests {
  static func noise(_ count: Int, seed: UInt64) -> [Float] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<count).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Float(Int32(truncatingIfNeeded: state >> 20)) * 0x1p-31
    }
  }

  /// The taps of a bank of half the bands.
  static func half(_ prototype: [Float], _ modulation: QMFModulation) -> [Double] {
    (0..<320).map {
      let pair = (Double(prototype[2 * $0]), Double(prototype[2 * $0 + 1]))
      return modulation == .symmetric ? pair.0 : 0.5 * (pair.0 + pair.1)
    }
  }

  @Test(arguments: [32, 30, 16, 15], [QMFModulation.symmetric, .lowDelay])
  func analysisIsTheSum(slots: Int, modulation: QMFModulation) {
    let prototype = Self.noise(640, seed: 1)
    let taps = Self.half(prototype, modulation)
    let shift = modulation == .symmetric ? 0.5 : 95
    let samples = Self.noise(2 * 32 * slots, seed: 2)
    let bank = QMFAnalysis(prototype: prototype, gain: 0.5, modulation: modulation)
    var memory = [Float](repeating: 0, count: QMFAnalysis.historyCount + 32 * slots)
    var worst = 0.0
    for frame in 0..<2 {
      var rows = [Float](repeating: 0, count: (slots + 1) * QMFLayout.lowStride + QMFLayout.tail)
      let part = Array(samples[frame * 32 * slots..<(frame + 1) * 32 * slots])
      bank.analyze(part, slots: slots, memory: &memory, into: &rows, row: 1)
      for slot in 0..<slots {
        let newest = (frame * slots + slot) * 32 + 31
        for k in 0..<32 {
          var re = 0.0
          var im = 0.0
          for n in 0..<320 where newest - n >= 0 {
            let value = Double(samples[newest - n]) * taps[n]
            let angle = Double.pi / 64 * (Double(k) + 0.5) * (2 * Double(n % 64) - shift)
            re += value * Elementary.cosine(angle)
            im += value * Elementary.sine(angle)
          }
          let place = (slot + 1) * QMFLayout.lowStride + k
          worst = max(worst, abs(re - Double(rows[place])))
          worst = max(worst, abs(im - Double(rows[place + QMFLayout.lowImaginary])))
        }
      }
    }
    #expect(worst < 2e-5)
  }

  @Test(
    arguments: [(64, 32), (64, 30), (32, 32), (32, 30), (64, 16), (64, 15), (32, 16), (32, 15)],
    [QMFModulation.symmetric, .lowDelay])
  func synthesisIsTheSum(shape: (bands: Int, slots: Int), modulation: QMFModulation) {
    let (bands, slots) = shape
    let prototype = Self.noise(640, seed: 3)
    let taps = bands == 64 ? prototype.map { Double($0) } : Self.half(prototype, modulation)
    let shift =
      modulation == .symmetric ? (bands == 64 ? 255 : 127.5) : (bands == 64 ? 63 : 31)
    let bank = QMFSynthesis(bands: bands, prototype: prototype, gain: 2, modulation: modulation)
    var memory = [Float](repeating: 0, count: bank.memoryCount(slots: slots))
    var output = [Float](repeating: 0, count: bands * slots)
    let frames = (0..<2).map {
      Self.noise((slots + 2) * QMFLayout.stride + QMFLayout.tail, seed: 4 + UInt64($0))
    }
    // v of every slot so far, newest last.
    var v: [[Double]] = [[Double]](repeating: [Double](repeating: 0, count: 2 * bands), count: 10)
    var worst = 0.0
    for frame in frames {
      bank.synthesize(frame, row: 2, slots: slots, memory: &memory, into: &output)
      for slot in 0..<slots {
        v.append(
          (0..<2 * bands).map { n in
            var sum = 0.0
            for k in 0..<bands {
              let place = (slot + 2) * QMFLayout.stride + k
              let angle = Double.pi / Double(2 * bands) * (Double(k) + 0.5) * (2 * Double(n) - shift)
              sum += Double(frame[place]) * Elementary.cosine(angle)
              sum -= Double(frame[place + QMFLayout.imaginary]) * Elementary.sine(angle)
            }
            return sum / 64
          })
        let last = v.count - 1
        for k in 0..<bands {
          var sum = 0.0
          for n in 0..<5 {
            sum += v[last - 2 * n][k] * taps[2 * n * bands + k]
            sum += v[last - 2 * n - 1][bands + k] * taps[(2 * n + 1) * bands + k]
          }
          worst = max(worst, abs(2 * sum - Double(output[slot * bands + k])))
        }
      }
    }
    #expect(worst < 2e-5)
  }

  @Test func hugeSamplesAreLimited() {
    let bank = QMFAnalysis(prototype: [Float](repeating: 1, count: 640), gain: 1)
    var memory = [Float](repeating: 0, count: QMFAnalysis.historyCount + 256)
    var rows = [Float](repeating: 0, count: 8 * QMFLayout.lowStride + QMFLayout.tail)
    var samples = [Float](repeating: 3e38, count: 256)
    for index in samples.indices where index % 3 == 0 { samples[index] = -.infinity }
    bank.analyze(samples, slots: 8, memory: &memory, into: &rows, row: 0)
    #expect(rows.allSatisfy { abs($0) < 65536 * 640 })
    #expect(memory.allSatisfy { abs($0) <= 65536 })
  }
}
