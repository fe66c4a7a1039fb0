import DSP
import PCM
import Testing

@testable import AAC

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Dynamic range control in the QMF samples.
@Suite struct DynamicRangeRowsTests {
  /// Factors of the frame's rows: `[slot][band]`, real and imaginary parts checked to be the same.
  private static func factors(_ rows: DynamicRangeRows, _ slots: Int) -> [[Float]] {
    var samples = [Float](repeating: 1, count: (slots + 6) * QMFLayout.stride + QMFLayout.tail)
    rows.apply(to: &samples)
    for index in slots * QMFLayout.stride..<samples.count { #expect(samples[index] == 1) }
    return (0..<slots).map { slot in
      let start = slot * QMFLayout.stride
      let real = Array(samples[start..<start + 64])
      #expect(real == Array(samples[start + QMFLayout.imaginary..<start + QMFLayout.imaginary + 64]))
      return real
    }
  }

  private static func isNear(_ value: Float, _ expected: Double) -> Bool {
    abs(Double(value) - expected) < 1e-6
  }

  /// The change takes a frame and sets in when the frame's sound reaches the QMF samples.
  @Test(arguments: [32, 30]) func gainsChangeLinearly(slots: Int) {
    let rows = DynamicRangeRows(slots: slots)
    let control = DynamicRangeControl()
    rows.advance(DynamicRangeInfo(), control, programLevel: nil, isShort: false)
    #expect(Self.factors(rows, slots).allSatisfy { $0.allSatisfy { $0 == 1 } })
    let info = DynamicRangeTests.info([-24])
    rows.advance(info, control, programLevel: nil, isShort: false)
    var all = Self.factors(rows, slots)
    rows.advance(info, control, programLevel: nil, isShort: false)
    all += Self.factors(rows, slots)
    for (slot, factors) in all.enumerated() {
      let share = min(max(Double(slot - DynamicRangeRows.delay) / Double(slots), 0), 1)
      for factor in factors { #expect(Self.isNear(factor, 1 - 0.5 * share), "slot \(slot)") }
    }
  }

  /// Schemes 1 to 8 change at once, at the slot nearest to the border of a short window.
  @Test func gainsChangeInSteps() {
    for (slots, borders) in [(32, [0, 4, 8, 12, 16, 20, 24, 28]), (30, [0, 4, 8, 11, 15, 19, 23, 26])] {
      for scheme in 1...8 {
        let rows = DynamicRangeRows(slots: slots)
        var info = DynamicRangeTests.info([24], tops: [255])
        info.interpolationScheme = scheme
        var all: [[Float]] = []
        for _ in 0..<2 {
          rows.advance(info, DynamicRangeControl(), programLevel: nil, isShort: false)
          all += Self.factors(rows, slots)
        }
        let step = all.firstIndex { $0[0] != 1 }
        #expect(step == DynamicRangeRows.delay + borders[scheme - 1])
        #expect(all[(step ?? 0)...].allSatisfy { $0.allSatisfy { $0 == 2 } })
      }
    }
  }

  /// Bands begin at the QMF band of their first line; the last one goes on to the top.
  @Test func bandsEndAtBandsOfTheFilterbank() {
    // Lines 0…35, 36…135, 136…159: QMF bands 0, 1…3 and, from the band of line 136 on, 4….
    let info = DynamicRangeTests.info([-24, 24, 48], tops: [8, 33, 39])
    let rows = DynamicRangeRows(slots: 32)
    for _ in 0..<3 { rows.advance(info, DynamicRangeControl(), programLevel: nil, isShort: false) }
    let factors = Self.factors(rows, 32)[31]
    #expect(factors == [0.5, 2, 2, 2] + [Float](repeating: 4, count: 60))
  }

  /// In short windows each window has its own bands, from the middle of the frame on.
  @Test func shortWindowsChangeAtTheirBorders() {
    // Windows 0 and 1, and window 2 up to line 39: gain -24; then 24 up to window 4; then 48.
    let info = DynamicRangeTests.info([-24, 24, 48], tops: [73, 159, 255])
    let rows = DynamicRangeRows(slots: 32)
    var all: [[Float]] = []
    for frame in 0..<3 {
      var next = DynamicRangeTests.info([0], tops: [255])
      next.interpolationScheme = 5
      rows.advance(
        frame == 0 ? info : next, DynamicRangeControl(), programLevel: nil, isShort: frame == 0)
      all += Self.factors(rows, 32)
    }
    for slot in 0..<58 {
      for band in [0, 9, 10, 31, 63] {
        let expected: Float =
          switch slot {
          case ..<26: 1
          case 26..<34: 0.5
          case 34..<38: band < 10 ? 0.5 : 2
          case 38..<46: 2
          default: 4
          }
        #expect(all[slot][band] == expected, "slot \(slot), band \(band)")
      }
    }
    // The next frame, behind whose window's slope they end.
    #expect(all[58...].allSatisfy { $0.allSatisfy { $0 == 1 } })
  }

  /// Through the whole decoder: a steady gain is a factor on everything, with and without parametric stereo.
  @Test func steadyGainsScaleTheSound() throws {
    for (channels, stereo) in [(1, false), (2, false), (1, true)] {
      let config = try SBRDecoderTests.config(channels, announced: 44100, stereo: stereo ? true : nil)
      let on = try AACDecoder(config)
      on.dynamics = DynamicRangeControl(referenceLevel: -20)
      let off = try AACDecoder(config)
      let payload = try SBRDecoderTests.payload(channels, extra: stereo ? SBRPayload.stereo(3) : [])
      var block = RawDataBlock()
      var bits = BitReader(SBRDecoderTests.unit(channels, payload: payload))
      let bands = ScaleFactorBands.at(SBRDecoderTests.coreRate)
      try block.parse(&bits, bands: bands)
      let plain = block
      DynamicRangeTests.add([DynamicRangeTests.info([-36], level: 92)], to: &block)
      var outputs: [(PCMBuffer, PCMBuffer)] = []
      for frame in 0..<6 {
        var writer = BitWriter()
        // The gains are told once.
        (frame == 0 ? block : plain).write(to: &writer, bands: bands)
        outputs.append((try on.decode(writer.bytes), try off.decode(writer.bytes)))
      }
      on.conceal(into: &outputs[5].0)
      off.conceal(into: &outputs[5].1)
      for (a, b) in outputs[3...] {
        for channel in a.channels.indices {
          let ratio = DynamicRangeTests.ratio(a.channels[channel], b.channels[channel])
          #expect(abs(ratio / exp2((-36.0 + 12) / 24) - 1) < 1e-5, "\(channels) channels")
        }
      }
      #expect(
        outputs[0].0.channels != outputs[0].1.channels || outputs[1].0.channels != outputs[1].1.channels)
    }
  }

  /// The gains of the QMF samples follow those of the spectrum, in long and in short windows.
  @Test func bothWaysChangeAtTheSameTime() throws {
    let sequences: [WindowSequence] = [.onlyLong, .onlyLong, .longStart, .eightShort, .longStop, .onlyLong]
    let coarse = DynamicRangeTests.info([-24])
    var step = DynamicRangeTests.info([0], tops: [255])
    step.interpolationScheme = 5
    // Windows 0 to 3 and 4 to 7.
    let short = DynamicRangeTests.info([12, -36], tops: [127, 255])
    let infos = [nil, nil, coarse, short, step, coarse]
    var ratios: [[Double]] = []
    for hasReplication in [false, true] {
      let config = try SBRDecoderTests.config(1, present: hasReplication)
      let on = try AACDecoder(config)
      on.dynamics = DynamicRangeControl()
      let off = try AACDecoder(config)
      var a: [Float] = []
      var b: [Float] = []
      for (frame, sequence) in (sequences + [.onlyLong, .onlyLong]).enumerated() {
        let unit = Self.noise(sequence, frame < infos.count ? infos[frame] : nil, seed: UInt64(frame))
        a += try on.decode(unit).channels[0]
        b += try off.decode(unit).channels[0]
      }
      // Eighths of frames. With both filterbanks the sound comes 15 slots later.
      let width = hasReplication ? 256 : 128
      let delay = hasReplication ? 64 * (DynamicRangeRows.delay + 5) : 0
      ratios.append(
        (0..<7 * 8).map { part in
          let range = delay + part * width..<delay + (part + 1) * width
          return (SBRDecoderTests.power(a[range]) / SBRDecoderTests.power(b[range])).squareRoot()
        })
    }
    // The windows' slopes are no straight lines, nor are they steps; a step two slots off would be 0.3 off.
    for (part, (spectrum, bands)) in zip(ratios[0], ratios[1]).enumerated() {
      #expect(abs(spectrum - bands) < 0.18, "part \(part): \(spectrum) in the spectrum, \(bands) in bands")
    }
    let steady = [4, 25, 29, 33, 38, 50]
    for (part, factor) in zip(steady, [1, 0.5, 2.0.squareRoot(), 0.125.squareRoot(), 1, 0.5]) {
      #expect(abs(ratios[0][part] - factor) < 1e-4 && abs(ratios[1][part] - factor) < 1e-3)
    }
  }

  /// An access unit of noise in the low lines.
  private static func noise(_ sequence: WindowSequence, _ info: DynamicRangeInfo?, seed: UInt64) -> [UInt8] {
    var random = SeededGenerator(seed: seed + 1)
    let bands = ScaleFactorBands.at(SBRDecoderTests.coreRate)
    var stream = ChannelStream()
    stream.globalGain = 140
    stream.info.windowSequence = sequence
    let isShort = sequence == .eightShort
    stream.info.maxBand = isShort ? 8 : 30
    let offsets = bands.offsets(short: isShort)
    for window in 0..<stream.info.windowCount {
      for band in 0..<stream.info.maxBand {
        let index = window * stream.info.maxBand + band
        stream.codebooks[index] = Codebook.escape
        stream.scaleFactors[index] = isShort ? 134 : 140
        for line in offsets[band]..<offsets[band + 1] {
          stream.spectrum[window * 128 + line] = Int16(random.flag() ? 15 : -15)
        }
      }
    }
    var block = DecoderTests.block([(.singleChannel, 0, [stream])])
    if let info { DynamicRangeTests.add([info], to: &block) }
    var bits = BitWriter()
    block.write(to: &bits, bands: bands)
    return bits.bytes
  }

  /// Without data nothing changes by a single bit.
  @Test func nothingChangesWithoutData() throws {
    let config = try SBRDecoderTests.config(2, announced: 44100)
    let on = try AACDecoder(config)
    on.dynamics = DynamicRangeControl(referenceLevel: -16)
    let off = try AACDecoder(config)
    let unit = SBRDecoderTests.unit(2, payload: try SBRDecoderTests.payload(2, noise: 3))
    for _ in 0..<4 { #expect(try on.decode(unit).channels == off.decode(unit).channels) }
  }
}
