import DSP
import PCM
import Testing

@testable import AAC

/// The levels of effort: each does what the one before it does, and more; the rate is kept at all of them.
struct EffortTests {
  /// Quantised trials of a band.
  private static func trials(_ plan: EffortPlan) -> Int {
    guard plan.searches else { return 1 }
    return plan.grid.count * plan.grid.roundings.count * (plan.measuresStereo ? 2 : 1)
  }

  @Test func moreEffortTriesMore() {
    let plans = EncoderSettings.Effort.allCases.map(EffortPlan.init)
    for (less, more) in zip(plans, plans.dropFirst()) {
      #expect(Self.trials(less) <= Self.trials(more))
      #expect(!less.searches || more.searches)
      #expect(!less.comparesShapes || more.comparesShapes)
      #expect(!less.shapesNoise || more.shapesNoise)
      #expect(!less.measuresStereo || more.measuresStereo)
      #expect(!less.transformsSines || more.transformsSines)
      #expect(less.spreadsQuickly || !more.spreadsQuickly)
      #expect(less.ownBooksOnly || !more.ownBooksOnly)
    }
  }

  @Test func theUsualEffortIsHigh() {
    #expect(EncoderSettings(sampleRate: 44100, layout: .mono, rate: .quality(3)).effort == .high)
  }

  @Test(arguments: EncoderSettings.Effort.allCases)
  func theRateIsKept(effort: EncoderSettings.Effort) throws {
    for rate in [EncoderSettings.Rate.constant(96000), .average(96000)] {
      var settings = EncoderStreamTests.settings(rate)
      settings.effort = effort
      let packets = try encode(EncoderStreamTests.music(frames: 100_000), settings)
      let bits = packets.reduce(0) { $0 + $1.data.count * 8 }
      let mean = 96000.0 * 1024 / 44100
      // Half of what the reservoir holds may be left or spent; the average mode allows five frames.
      let allowance = rate == .average(96000) ? 5 * mean : (2 * 6144 - mean) / 2
      #expect(abs(Double(bits) - mean * Double(packets.count)) < allowance + mean, "\(effort) \(rate)")
      #expect(packets.allSatisfy { $0.data.count * 8 <= 2 * 6144 })
    }
  }

  /// One table look-up a tuple writes what the codebooks say, signs and escape sequences included.
  @Test func wholeBandsAreWrittenAsTuples() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let bands = ScaleFactorBands.at(44100)
    for book in 1...11 {
      let codebook = SpectralCodebook.all[book]
      let reach = book == 11 ? 8191 : codebook.lav
      var stream = ChannelStream()
      stream.info.maxBand = 20
      for band in 0..<20 { stream.codebooks[band] = band % 5 == 4 ? 0 : UInt8(book) }
      for line in 0..<bands.long[20] {
        let limit = book == 11 ? [3, 17, reach].randomElement(using: &random) ?? reach : reach
        stream.spectrum[line] = Int16(random.int(-limit...limit))
      }
      var whole = BitWriter()
      var single = BitWriter()
      whole.put(5, 3)
      single.put(5, 3)
      SpectralData.write(stream, to: &whole, bands: bands)
      for band in 0..<20 where band % 5 != 4 {
        SpectralData.write(
          stream.spectrum, bands.long[band]..<bands.long[band + 1], book: codebook, to: &single)
      }
      #expect(whole.bitCount == single.bitCount, "book \(book), seed \(seed)")
      whole.alignToByte()
      single.alignToByte()
      #expect(whole.bytes == single.bytes, "book \(book), seed \(seed)")
    }
  }
}
