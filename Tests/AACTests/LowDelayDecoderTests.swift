import DSP
import PCM
import Testing

@testable import AAC

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// ELD streams with low-delay replication through the whole decoder.
@Suite struct LowDelayDecoderTests {
  /// All of `frames` units' output, first channel.
  static func decode(_ stream: LowDelayStream, _ units: [[UInt8]]) throws -> [Float] {
    let decoder = try AACDecoder(stream.config)
    var all: [Float] = []
    for unit in units {
      let output = try decoder.decode(unit)
      #expect(output.frameCount == decoder.frameLength)
      all += output.channels[0].prefix(output.frameCount)
    }
    return all
  }

  // MARK: - Banks

  /// What the banks take in comes out again: at the rate of the core 32 samples later, at twice the rate 64½.
  @Test(arguments: [32, 64], [16, 15]) func banksReconstruct(bands: Int, slots: Int) {
    var random = SeededGenerator(seed: 7)
    let frames = 12
    // Below 0.4 of the rate, where values between the samples are easily had.
    let samples = Self.smooth(SBRSignalTests.noise(32 * slots * frames, &random))
    let prototype = LowDelayQMFPrototype.taps
    let analysis = QMFAnalysis(prototype: prototype, gain: 32768, modulation: .lowDelay)
    let synthesis = QMFSynthesis(bands: bands, prototype: prototype, gain: 1 / 32768, modulation: .lowDelay)
    var memory = [Float](repeating: 0, count: QMFAnalysis.historyCount + 32 * slots)
    var other = [Float](repeating: 0, count: synthesis.memoryCount(slots: slots))
    var output: [Float] = []
    for frame in 0..<frames {
      var low = [Float](repeating: 0, count: (slots + 2) * QMFLayout.lowStride + QMFLayout.tail)
      var high = [Float](repeating: 0, count: slots * QMFLayout.stride + QMFLayout.tail)
      var part = [Float](repeating: 0, count: slots * bands)
      analysis.analyze(
        Array(samples[frame * 32 * slots..<(frame + 1) * 32 * slots]), slots: slots, memory: &memory,
        into: &low,
        row: 2)
      ReplicationKernels.copyLow(low, bands: 32, rows: 0..<slots, to: &high)
      synthesis.synthesize(high, row: 0, slots: slots, memory: &other, into: &part)
      output += part
    }
    #expect(Self.error(samples, output, range: 1000..<4000) < 1e-7)
  }

  static func smooth(_ samples: [Float]) -> [Float] {
    samples.indices.map { index in
      (max(0, index - 7)...index).reduce(0) { $0 + samples[$1] } / 8
    }
  }

  /// Power of the difference of `output` from `input` with the delay that the banks have, over the power.
  static func error(_ input: [Float], _ output: [Float], range: Range<Int>) -> Double {
    let step = output.count / input.count
    var difference = 0.0
    var power = 0.0
    for index in range {
      var value = 0.0
      if step == 1 {
        value = Double(output[index + 32])
      } else {
        // Between two samples: a windowed sinc.
        for tap in -12..<12 {
          let x = Double.pi * (Double(tap) + 0.5)
          let window = 0.5 + 0.5 * cos(x / 12)
          value += Double(output[2 * index + 65 + tap]) * sin(x) / x * window
        }
      }
      difference += pow(value - Double(input[index]), 2)
      power += pow(Double(input[index]), 2)
    }
    return difference / power
  }

  // MARK: - Rate and layout

  @Test(arguments: [false, true], [false, true]) func formatsAreThoseOfTheConfiguration(
    isDual: Bool, isShort: Bool
  ) throws {
    let stream = try LowDelayStream(channels: 2, isShort: isShort, isDual: isDual)
    let config = try AudioSpecificConfig(parsing: stream.config.bytes)
    #expect(config == stream.config)
    let decoder = try AACDecoder(config)
    let format = PCMFormat(sampleRate: isDual ? 44100 : 22050, layout: .stereo)
    let length = (isDual ? 2 : 1) * (isShort ? 480 : 512)
    #expect(decoder.format == format && decoder.frameLength == length)
    #expect(decoder.extensions == .spectralBandReplication && decoder.notes == [])
    var lost = PCMBuffer(format: decoder.format)
    decoder.conceal(into: &lost)
    #expect(lost.frameCount == length && lost.format == format)
    decoder.prepare(for: [[1, 2, 3]])
    #expect(decoder.format == format && decoder.frameLength == length)
  }

  /// All layouts with random cores and payloads: every payload is found, whatever comes before it.
  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 11, 12, 14]) func everythingDecodes(channels: Int) throws {
    var random = SeededGenerator.printingSeed("everythingDecodes \(channels)")
    for trial in 0..<2 {
      let hertz = [16000, 22050, 24000, 48000][random.int(0...3)]
      var header = SBRSyntaxTests.header(&random)
      while (try? SBRBands(header, outputRate: 2 * hertz)) == nil { header = SBRSyntaxTests.header(&random) }
      let stream = try LowDelayStream(
        hertz: hertz, channels: channels, isShort: trial & 1 != 0, isDual: random.flag(),
        checksums: random.flag(), header: header)
      let config = stream.config
      let decoder = try AACDecoder(config)
      var inspector = try AccessUnitInspector(config)
      let kinds = config.elements.map(\.kind).filter { $0 != .lowFrequency }
      var previous = kinds.map { SBRData(channelCount: $0.width) }
      for frame in 0..<3 {
        let core = RawDataBlock.random(config.bands, StreamSyntax(config), &random)
        let data = kinds.map {
          SBRSyntaxTests.data(
            &random, $0.width, stream.header, stream.bands, slots: stream.slots,
            grid: { LowDelayStream.grid(&$0, slots: $1) })
        }
        let unit = stream.unit(core) { bits in
          for (index, part) in data.enumerated() {
            SBRPayload.putLowDelay(
              part, header: frame == 1 ? stream.header : nil, stream.bands, slots: stream.slots,
              previous: previous[index], checksum: stream.hasChecksums, to: &bits)
          }
        }
        previous = data
        let output = try decoder.decode(unit)
        let found = decoder.replication?.payloads ?? []
        #expect(found.map { $0.trimmed(stream.bands) } == data.map { $0.trimmed(stream.bands) })
        #expect(output.format == decoder.format && output.frameCount == decoder.frameLength)
        #expect(output.format.layout == config.elements.layout)
        #expect(output.channels.allSatisfy { $0.allSatisfy(\.isFinite) })
        #expect(try inspector.inspect(unit).tools.contains(.spectralBandReplication))
      }
    }
  }

  @Test func configurationsWithoutHeadersAreRefused() throws {
    var config = try LowDelayStream(channels: 6).config
    _ = try AACDecoder(config)
    config.lowDelaySBR?.headers.removeLast()
    #expect(throws: AACError.self) { try AACDecoder(config) }
    config = .of(.lowComplexity)
    config.lowDelaySBR = LowDelaySBRConfig(headers: [SBRHeaderBits(value: 0, count: 16)])
    #expect(throws: AACError.self) { try AACDecoder(config) }
  }

  // MARK: - Sound

  /// The core comes through with the delay of the banks, with payloads that add next to nothing or without any.
  @Test(arguments: [false, true], [false, true]) func coreIsKept(isDual: Bool, hasData: Bool) throws {
    let stream = try LowDelayStream(isDual: isDual)
    var plain = stream.config
    plain.lowDelaySBR = nil
    let core = stream.core(lines: [30: 700, 61: -400, 90: 300])
    let data = stream.flat(1, level: 0, noise: 30)
    let unit = stream.unit(core, hasData ? [data] : [])
    let decoder = try AACDecoder(plain)
    var expected: [Float] = []
    for _ in 0..<8 { expected += try decoder.decode(stream.unit(core, [])).channels[0] }
    let output = try Self.decode(stream, [[UInt8]](repeating: unit, count: 8))
    #expect(Self.error(expected, output, range: 1500..<4000) < 1e-6)
  }

  /// The replicated bands come from the noise floor here: three decibels more level are twice the power.
  @Test(arguments: [false, true], [false, true]) func levelsAreHeard(isDual: Bool, isShort: Bool) throws {
    let stream = try LowDelayStream(isShort: isShort, isDual: isDual)
    func high(_ level: Int) throws -> Double {
      let unit = stream.unit(stream.core(lines: [60: 1], gain: 100), [stream.flat(1, level: level, noise: 0)])
      let all = try Self.decode(stream, [[UInt8]](repeating: unit, count: 24))
      return SBRDecoderTests.power(all[4000...])
    }
    let low = try high(40)
    #expect(abs(try high(42) / low - 2) < 0.02)
    // As in `SBRDecoderTests`; at the rate of the core the bands from 32 on are not heard.
    let taps = LowDelayQMFPrototype.taps
    let count = isDual ? 64 : 32
    let bank =
      isDual
      ? taps.map { Double($0) }
      : (0..<320).map { 0.5 * Double(taps[2 * $0]) + 0.5 * Double(taps[2 * $0 + 1]) }
    let prototype = bank.reduce(0) { $0 + $1 * $1 } / 64 / 64 / 2
    // The noise table is not white: through these banks it is 0.31 dB louder than white noise (sums in double
    // precision, outside of this package).
    let noise = pow(10, 0.031)
    let heard = min(stream.bands.first + stream.bands.count, count) - stream.bands.first
    let expected = Double(heard) * 0x1p26 / 0x1p30 * noise * prototype / Double(count)
    #expect(abs(10 * log10(low / expected)) < 0.05)
  }

  /// bs_amp_res of a single envelope: steps of 3 dB.
  @Test func coarseStepsAreHeard() throws {
    let stream = try LowDelayStream()
    func high(_ level: Int, coarse: Bool) throws -> Double {
      var data = stream.flat(1, level: level, noise: 0)
      data.channels[0].grid.isCoarseAlone = coarse
      data.channels[0].isCoarse = coarse
      let unit = stream.unit(stream.core(lines: [60: 1], gain: 100), [data])
      return SBRDecoderTests.power(try Self.decode(stream, [[UInt8]](repeating: unit, count: 12))[4000...])
    }
    #expect(abs(try high(20, coarse: true) / high(40, coarse: false) - 1) < 0.01)
  }

  @Test func sinusoidsAreHeard() throws {
    let stream = try LowDelayStream()
    let bands = stream.bands
    var data = stream.flat(1, level: 40, noise: 30)
    let band = 4
    data.channels[0].harmonics = 1 << UInt64(band)
    let unit = stream.unit(stream.core(lines: [:]), [data])
    let all = try Self.decode(stream, [[UInt8]](repeating: unit, count: 16))
    let center = (bands.high[band] + bands.high[band + 1]) / 2
    func magnitude(_ place: Double) -> Double {
      var re = 0.0
      var im = 0.0
      for index in 6000..<14000 {
        let angle = Double.pi / 64 * place * Double(index)
        re += Double(all[index]) * cos(angle)
        im += Double(all[index]) * sin(angle)
      }
      return (re * re + im * im).squareRoot() / 4000
    }
    let peak = magnitude(Double(center) + 0.5)
    // As in `SBRDecoderTests`.
    let taps = LowDelayQMFPrototype.taps
    let gain = (0..<320).reduce(0) {
      $0 + Double(taps[2 * $1] + taps[2 * $1 + 1]) / 2 * (($1 / 64) % 2 == 0 ? 1 : -1)
    }
    #expect(abs(peak * abs(gain) / (0.25 * 1.584893) - 1) < 0.01)
    for other in 13..<46 where other != center { #expect(magnitude(Double(other) + 0.5) < peak / 20) }
  }

  /// An envelope is heard when the core's sound of its slots is: here a burst of four slots in each frame.
  @Test(arguments: [16, 15], [3, 7, 9]) func envelopesAreInTime(slots: Int, position: Int) throws {
    let stream = try LowDelayStream(isShort: slots == 15)
    var data = stream.flat(1, level: 0, noise: 0)
    data.channels[0].grid.setTransient(position, slots: slots)
    data.channels[0].grid.resolutions = 0xFF
    for band in 0..<48 { data.channels[0].envelopes[48 + band] = 44 }
    var random = SeededGenerator(seed: UInt64(slots + position))
    let frames = 40
    let units = (0..<frames).map { _ in
      var lines: [Int: Int16] = [:]
      for line in 4..<200 { lines[line] = random.flag() ? 1 : -1 }
      return stream.unit(stream.core(lines: lines, gain: 120), [data])
    }
    let all = try Self.decode(stream, units)
    let length = 64 * slots
    // The burst of a frame is over within the frame and a few slots.
    var weight = 0.0
    var moment = 0.0
    for frame in 2..<frames - 1 {
      for index in 0..<length {
        let place = frame * length + 64 * position - length / 2 + 192 + index
        let value = pow(Double(all[place] - 2 * all[place - 1] + all[place - 2]), 2)
        weight += value
        moment += value * Double(place - frame * length)
      }
    }
    let center = moment / weight
    // A slot of the bank is centred 32¼ samples of the core before its last one, half of the delay of 64½; the
    // other half comes behind.
    let expected = 64 * (Double(position) + 1.5) + 64
    print("slots \(slots), position \(position): the burst is \(center - expected) samples late")
    #expect(abs(center - expected) < 8)
  }

  /// Where data is missing or a frame is lost the high bands go on, fading, and come back as they were.
  @Test(arguments: ["missing", "broken", "lost"], [1, 2]) func gapsAreBridged(kind: String, channels: Int)
    throws
  {
    let stream = try LowDelayStream(channels: channels, checksums: true)
    var random = SeededGenerator(seed: 4)
    var core = stream.core(lines: [60: 100])
    if channels == 2 {
      core = RawDataBlock.random(stream.config.bands, StreamSyntax(stream.config), &random)
      for index in core.streams.indices { core.streams[index] = stream.core(lines: [60: 100]).streams[0] }
      guard case .pair(var pair) = core.elements[0] else { return }
      pair.midSide = MidSideMask()
      core.elements = [.pair(pair)]
    }
    let good = stream.unit(core, [stream.flat(channels, level: 30, noise: 0)])
    let coreBits = stream.unit(core, []).count * 8
    var broken = good
    broken[coreBits / 8 + 2] ^= 0x10
    let decoder = try AACDecoder(stream.config)
    var buffer = PCMBuffer(format: decoder.format)
    var powers: [Double] = []
    for frame in 0..<24 {
      switch (frame, kind) {
      case (12, "lost"): decoder.conceal(into: &buffer)
      case (12, "broken"): try decoder.decode(broken, into: &buffer)
      case (12, _): try decoder.decode(stream.unit(core, []), into: &buffer)
      default: try decoder.decode(good, into: &buffer)
      }
      #expect(buffer.frameCount == 1024 && buffer.format == decoder.format)
      powers.append(SBRDecoderTests.highPower(Array(buffer.channels[channels - 1].prefix(1024))))
    }
    let usual = powers[8..<12].reduce(0, +) / 4
    #expect(powers[12] < usual && powers[12] > usual / 2)
    let after = powers[16..<24].reduce(0, +) / 8
    #expect(abs(10 * log10(after / usual)) < 1)
  }

  /// Further payloads are behind those of the replication, at any bit: here a gain of a half.
  @Test func dynamicRangeDataIsFound() throws {
    let stream = try LowDelayStream(checksums: true)
    let data = stream.flat(1, level: 30, noise: 5)
    let unit = stream.unit(stream.core(lines: [60: 100])) { bits in
      SBRPayload.putLowDelay(data, header: nil, stream.bands, slots: stream.slots, checksum: true, to: &bits)
      bits.put(11, 4)  // EXT_DYNAMIC_RANGE
      bits.put(0, 4)  // no tag, no exclusions, one band, no level
      bits.put(1, 1)
      bits.put(24, 7)
    }
    let plain = try AACDecoder(stream.config)
    let controlled = try AACDecoder(stream.config)
    controlled.dynamics = DynamicRangeControl()
    for frame in 0..<6 {
      let (a, b) = (try plain.decode(unit).channels[0], try controlled.decode(unit).channels[0])
      guard frame > 2 else { continue }
      let peak = a.reduce(0) { max($0, abs($1)) }
      #expect(zip(a, b).allSatisfy { abs($0 / 2 - $1) < peak * 1e-5 })
    }
  }

  @Test func resetForgets() throws {
    let stream = try LowDelayStream(checksums: true)
    let unit = stream.unit(stream.core(lines: [60: 100]), [stream.flat(1, level: 30, noise: 5)])
    let decoder = try AACDecoder(stream.config)
    let first = try decoder.decode(unit)
    for _ in 0..<3 { _ = try decoder.decode(unit) }
    decoder.reset()
    #expect(try decoder.decode(unit).channels == first.channels)
    #expect(decoder.extensions == .spectralBandReplication)
  }

  // MARK: - Damage

  /// Bits turned around anywhere: each unit throws or gives a whole frame of numbers.
  @Test(arguments: [false, true], [1, 2, 6]) func damageIsSafe(checksums: Bool, channels: Int) throws {
    var random = SeededGenerator.printingSeed("damageIsSafe \(checksums) \(channels)")
    let stream = try LowDelayStream(channels: channels, isDual: random.flag(), checksums: checksums)
    let config = stream.config
    let decoder = try AACDecoder(config)
    var buffer = PCMBuffer(format: decoder.format)
    let kinds = config.elements.map(\.kind).filter { $0 != .lowFrequency }
    for _ in 0..<25 {
      let core = RawDataBlock.random(config.bands, StreamSyntax(config), &random)
      var unit = stream.unit(
        core,
        kinds.map { stream.flat($0.width, level: random.int(0...100), noise: random.int(0...31)) },
        header: random.flag() ? stream.header : nil)
      let start = stream.unit(core, []).count - 1
      for _ in 0..<random.int(0...6) {
        let place = random.int(8 * start...8 * unit.count - 1)
        unit[place / 8] ^= 1 << UInt8(7 - place % 8)
      }
      if random.int(0...3) == 0 { unit.removeLast(random.int(1...unit.count - start)) }
      do throws(AACError) {
        try decoder.decode(unit, into: &buffer)
        #expect(buffer.frameCount == decoder.frameLength)
      } catch { decoder.conceal(into: &buffer) }
      #expect(buffer.channels.allSatisfy { $0.prefix(buffer.frameCount).allSatisfy(\.isFinite) })
    }
  }
}
