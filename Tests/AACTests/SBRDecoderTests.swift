import PCM
import Testing

@testable import AAC

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Streams with spectral band replication and parametric stereo through the whole decoder.
@Suite struct SBRDecoderTests {
  static let coreRate = 22050

  static func config(
    _ channels: Int, announced: Int? = nil, present: Bool? = nil, stereo: Bool? = nil, short: Bool = false
  ) throws -> AudioSpecificConfig {
    var config = try AudioSpecificConfig(samplingRate: SamplingRate(coreRate), layout: .stereo)
    config.channelConfiguration = channels
    config.frameLengthFlag = short
    config.sbrPresent = announced == nil ? present : true
    config.psPresent = stereo
    config.signalling = config.sbrPresent == nil ? .none : .backwardCompatible
    if let announced { config.extensionSamplingRate = try SamplingRate(announced) }
    return config
  }

  /// A tone in each channel of the core, with a payload.
  static func unit(_ channels: Int, payload: [UInt8]?, short: Bool = false, value: Int = 100, line: Int = 60)
    -> [UInt8]
  {
    let bands = ScaleFactorBands.at(coreRate, frameLength: short ? 960 : 1024)
    var stream = ChannelStream()
    stream.globalGain = 140
    stream.info.maxBand = 40
    for band in 0..<40 where bands.long[band]..<bands.long[band + 1] ~= line {
      stream.codebooks[band] = Codebook.escape
      stream.scaleFactors[band] = 140
    }
    stream.spectrum[line] = Int16(value)
    var block = DecoderTests.block([
      (channels == 1 ? .singleChannel : .channelPair, 0, [ChannelStream](repeating: stream, count: channels))
    ])
    if let payload {
      block.bytes = payload
      block.elements.append(.fill(Fill(bytes: 0..<payload.count)))
    }
    var bits = BitWriter()
    block.write(to: &bits, bands: bands)
    return bits.bytes
  }

  static func bands() throws -> SBRBands { try SBRBands(SBRPayload.header, outputRate: 44100) }

  static func payload(
    _ channels: Int, header: Bool = true, level: Int = 20, noise: Int = 0, checksum: Bool = false,
    extra: [UInt8] = []
  ) throws -> [UInt8] {
    SBRPayload.bytes(
      SBRPayload.flat(channels, level: level, noise: noise), header: header ? SBRPayload.header : nil,
      try bands(),
      checksum: checksum, extra: extra)
  }

  static func power(_ samples: ArraySlice<Float>) -> Double {
    samples.reduce(0) { $0 + Double($1 * $1) } / Double(samples.count)
  }

  /// Power of what is left after two differences: high frequencies.
  static func highPower(_ samples: [Float]) -> Double {
    var sum = 0.0
    for index in 2..<samples.count {
      let value = Double(samples[index] - 2 * samples[index - 1] + samples[index - 2])
      sum += value * value
    }
    return sum / Double(samples.count)
  }

  // MARK: - Rate and layout

  @Test("B062", arguments: [1, 2]) func dataInTheFirstUnitDoublesTheRate(channels: Int) throws {
    let decoder = try AACDecoder(Self.config(channels))
    #expect(decoder.format.sampleRate == 22050)
    let unit = Self.unit(channels, payload: try Self.payload(channels))
    decoder.prepare(for: [unit])
    let layout: ChannelLayout = channels == 1 ? .mono : .stereo
    #expect(decoder.format == PCMFormat(sampleRate: 44100, layout: layout))
    #expect(decoder.frameLength == 2048)
    let output = try decoder.decode(unit)
    #expect(output.format == decoder.format && output.frameCount == 2048)
    #expect(decoder.extensions == .spectralBandReplication && decoder.notes == [])
    // Without preparation the first unit decides just so.
    #expect(try AACDecoder(Self.config(channels)).decode(unit).format == decoder.format)
  }

  @Test func lateDataChangesNothing() throws {
    let decoder = try AACDecoder(Self.config(2))
    _ = try decoder.decode(Self.unit(2, payload: nil))
    #expect(decoder.notes == [] && decoder.extensions == [])
    let output = try decoder.decode(Self.unit(2, payload: try Self.payload(2)))
    #expect(output.format == PCMFormat(sampleRate: 22050, layout: .stereo) && output.frameCount == 1024)
    #expect(decoder.notes == .ignoresSpectralBandReplication && decoder.extensions == [])
  }

  @Test func laterUnitsCanBePreparedFor() throws {
    let decoder = try AACDecoder(Self.config(1))
    let plain = Self.unit(1, payload: nil)
    let stereo = Self.unit(1, payload: try Self.payload(1, extra: SBRPayload.stereo(0)))
    decoder.prepare(for: [[1, 2, 3], plain, plain, stereo])
    #expect(decoder.format == PCMFormat(sampleRate: 44100, layout: .stereo))
    #expect(try decoder.decode(plain).frameCount == 2048)
    _ = try decoder.decode(stereo)
    #expect(decoder.extensions == [.spectralBandReplication, .parametricStereo])
  }

  @Test func nothingReadableDecidesNothing() throws {
    let decoder = try AACDecoder(Self.config(1))
    decoder.prepare(for: [[], [1, 2, 3]])
    #expect(try decoder.decode(Self.unit(1, payload: try Self.payload(1))).format.sampleRate == 44100)
  }

  @Test func announcedRatesHoldFromTheStart() throws {
    let plain = Self.unit(1, payload: nil)
    let double = try AACDecoder(Self.config(1, announced: 44100))
    #expect(double.format.sampleRate == 44100 && double.frameLength == 2048)
    #expect(try double.decode(plain).frameCount == 2048)
    let single = try AACDecoder(Self.config(1, announced: 22050))
    #expect(single.format.sampleRate == 22050 && single.frameLength == 1024)
    let output = try single.decode(Self.unit(1, payload: try Self.payload(1)))
    #expect(output.frameCount == 1024 && output.format.sampleRate == 22050)
    // A lost first frame has the rate too.
    var lost = PCMBuffer(format: double.format)
    try AACDecoder(Self.config(1, announced: 44100)).conceal(into: &lost)
    #expect(lost.frameCount == 2048 && lost.format.sampleRate == 44100)
    let denied = try AACDecoder(Self.config(1, present: false))
    #expect(try denied.decode(Self.unit(1, payload: try Self.payload(1))).format.sampleRate == 22050)
    #expect(denied.notes == .ignoresSpectralBandReplication)
  }

  @Test("B047") func monoIsStereoOnlyWithParametricStereo() throws {
    func layout(_ first: [UInt8]?, stereo: Bool? = nil) throws -> ChannelLayout {
      let decoder = try AACDecoder(Self.config(1, announced: 44100, stereo: stereo))
      return try decoder.decode(Self.unit(1, payload: first)).format.layout
    }
    #expect(try layout(Self.payload(1)) == .mono)
    #expect(try layout(nil) == .mono)
    #expect(try layout(nil, stereo: true) == .stereo)
    #expect(try layout(Self.payload(1), stereo: false) == .mono)
    #expect(try layout(Self.payload(1, extra: SBRPayload.stereo(3)), stereo: false) == .stereo)
    // Without a header nobody knows.
    #expect(try layout(Self.payload(1, header: false)) == .stereo)

    let late = try AACDecoder(Self.config(1))
    _ = try late.decode(Self.unit(1, payload: Self.payload(1)))
    let output = try late.decode(Self.unit(1, payload: Self.payload(1, extra: SBRPayload.stereo(3))))
    #expect(output.format.layout == .mono && late.notes == .ignoresParametricStereo)
  }

  // MARK: - Sound

  /// The replicated bands come from the noise floor here: three decibels more level are twice the power.
  @Test(arguments: [false, true]) func levelsAreHeard(short: Bool) throws {
    func high(_ level: Int) throws -> Double {
      let decoder = try AACDecoder(Self.config(1, short: short))
      var data = SBRPayload.flat(1, level: level, noise: 0)
      data.channels[0].grid.borders[1] = short ? 15 : 16
      let payload = SBRPayload.bytes(
        data, header: SBRPayload.header, try Self.bands(), slots: short ? 15 : 16)
      let unit = Self.unit(1, payload: payload, short: short, value: 1)
      var all: [Float] = []
      for _ in 0..<12 {
        let output = try decoder.decode(unit)
        #expect(output.frameCount == (short ? 1920 : 2048))
        all += output.channels[0].prefix(output.frameCount)
      }
      return Self.power(all[8000...])
    }
    let low = try high(40)
    let loud = try high(42)
    #expect(abs(loud / low - 2) < 0.02)
    // 34 bands of noise with the power 2^(6 + 40/2): each sample plays a prototype, half of it in the real part.
    let prototype = QMFPrototype.taps.reduce(0) { $0 + Double($1 * $1) } / 64 / 64 / 2
    let expected = 34 * 0x1p26 / 0x1p30 * prototype / 64
    #expect(abs(10 * log10(low / expected)) < 0.3)
  }

  @Test func sinusoidsAreHeard() throws {
    let bands = try Self.bands()
    var data = SBRPayload.flat(1, level: 40, noise: 30)
    let band = 4
    data.channels[0].harmonics = 1 << UInt64(band)
    let payload = SBRPayload.bytes(data, header: SBRPayload.header, bands)
    let decoder = try AACDecoder(Self.config(1))
    var all: [Float] = []
    for _ in 0..<8 { all += try decoder.decode(Self.unit(1, payload: payload, value: 0)).channels[0] }
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
    // The level of a band whose samples have the power 2^26, boosted by four decibels for want of other energy;
    // a tone of amplitude 1 gives samples of `gain`.
    let gain = (0..<320).reduce(0) { $0 + Double(QMFPrototype.taps[2 * $1]) * (($1 / 64) % 2 == 0 ? 1 : -1) }
    #expect(abs(peak * abs(gain) / (0.25 * 1.584893) - 1) < 0.01)
    for other in 13..<46 where other != center { #expect(magnitude(Double(other) + 0.5) < peak / 20) }
  }

  /// Without data the output at the rate of the core is the core's, 481 samples later; at twice the rate it is
  /// that, interpolated.
  @Test(arguments: [22050, 44100]) func upsamplingKeepsTheSound(rate: Int) throws {
    let core = try AACDecoder(Self.config(1, present: false))
    let decoder = try AACDecoder(Self.config(1, announced: rate))
    var plain: [Float] = []
    var output: [Float] = []
    for _ in 0..<6 {
      let unit = Self.unit(1, payload: nil)
      plain += try core.decode(unit).channels[0]
      output += try decoder.decode(unit).channels[0]
    }
    let peak = plain.reduce(0) { max($0, abs($1)) }
    let step = rate / 22050
    for index in 1500..<5000 {
      #expect(abs(output[step * (index + 481)] - plain[index]) < peak * 0.004)
    }
  }

  /// Where there is no data the sound goes on without the high bands, softly, and they come back. Where it is broken
  /// or lost they are held.
  @Test(arguments: ["missing", "broken", "lost"]) func gapsDoNotClick(kind: String) throws {
    let decoder = try AACDecoder(Self.config(2))
    let good = try Self.payload(2, level: 30, checksum: true)
    var broken = good
    broken[6] ^= 0x10
    var frames: [[Float]] = []
    var buffer = PCMBuffer(format: decoder.format)
    for frame in 0..<16 {
      switch (frame, kind) {
      case (8, "lost"): decoder.conceal(into: &buffer)
      case (8, "broken"): try decoder.decode(Self.unit(2, payload: broken), into: &buffer)
      case (8, _): try decoder.decode(Self.unit(2, payload: nil), into: &buffer)
      default: try decoder.decode(Self.unit(2, payload: good), into: &buffer)
      }
      #expect(buffer.frameCount == 2048)
      if frame == 8 {
        #expect(
          decoder.lastFrame.cause == (kind == "lost" ? .missing : kind == "broken" ? .replication : nil))
      }
      frames.append(Array(buffer.channels[0].prefix(2048)))
    }
    func steepest(_ range: Range<Int>) -> Float {
      let samples = frames[range].joined().map { $0 }
      return zip(samples.dropFirst(), samples).reduce(0) { max($0, abs($1.0 - $1.1)) }
    }
    #expect(steepest(7..<11) <= steepest(3..<7) * 1.25)
    let usual = Self.highPower(frames[6])
    if kind == "missing" {
      #expect(Self.highPower(frames[8]) < usual / 4)
    } else {
      #expect(Self.highPower(frames[8]) > usual / 2 && Self.highPower(frames[8]) < usual * 1.1)
      #expect(decoder.lastFrame.isWhole)
    }
    #expect(abs(10 * log10(Self.highPower(frames[12]) / usual)) < 1)
  }

  /// A header with other bands in the middle of a stream.
  @Test func headersCanChange() throws {
    let decoder = try AACDecoder(Self.config(1))
    var other = SBRPayload.header
    other.startFrequency = 10
    other.crossoverBand = 1
    let changed = SBRPayload.bytes(
      SBRPayload.flat(1, level: 30, noise: 0), header: other, try SBRBands(other, outputRate: 44100))
    var powers: [Double] = []
    for frame in 0..<16 {
      let payload = frame < 8 ? try Self.payload(1, level: 30) : changed
      powers.append(Self.highPower(try decoder.decode(Self.unit(1, payload: payload, value: 1)).channels[0]))
    }
    // Fewer bands, all of one level.
    #expect(powers[12] < powers[6] && powers[12] > powers[6] / 3)
  }

  @Test func levelDifferencesAreHeard() throws {
    let decoder = try AACDecoder(Self.config(1))
    var output = PCMBuffer(format: decoder.format)
    for _ in 0..<10 {
      let payload = try Self.payload(1, extra: SBRPayload.stereo(7))
      try decoder.decode(Self.unit(1, payload: payload), into: &output)
    }
    #expect(output.format.layout == .stereo)
    let ratio =
      10 * log10(Self.power(output.channels[0][0..<2048]) / Self.power(output.channels[1][0..<2048]))
    #expect(abs(ratio - 25) < 0.5)
    // Held without data, and where a frame is lost.
    for _ in 0..<2 { try decoder.decode(Self.unit(1, payload: nil), into: &output) }
    let held = 10 * log10(Self.power(output.channels[0][0..<2048]) / Self.power(output.channels[1][0..<2048]))
    #expect(abs(held - 25) < 0.5)
  }

  @Test func resetForgets() throws {
    let decoder = try AACDecoder(Self.config(1))
    let unit = Self.unit(1, payload: try Self.payload(1, extra: SBRPayload.stereo(-3)))
    let first = try decoder.decode(unit)
    for _ in 0..<3 { _ = try decoder.decode(unit) }
    decoder.reset()
    #expect(try decoder.decode(unit).channels == first.channels)
  }

  // MARK: - Damage

  /// Bits of payloads turned around: each frame is as long as any, and every sample a number.
  @Test(arguments: [1, 2, 3]) func mutatedPayloadsAreSafe(kind: Int) throws {
    let channels = kind == 2 ? 2 : 1
    let seed = UInt64.random(in: 1...UInt64(UInt32.max))
    var random = SeededGenerator(seed: seed)
    let decoder = try AACDecoder(Self.config(channels, announced: 44100, stereo: kind == 3))
    var buffer = PCMBuffer(format: decoder.format)
    for _ in 0..<100 {
      var payload = try Self.payload(
        channels, level: Int.random(in: 0...127, using: &random),
        noise: Int.random(in: 0...31, using: &random),
        extra: kind == 3 ? SBRPayload.stereo(Int.random(in: -7...7, using: &random)) : [])
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        // Not the four bits that make it a payload.
        let place = Int.random(in: 4..<8 * payload.count, using: &random)
        payload[place / 8] ^= 1 << UInt8(7 - place % 8)
      }
      try decoder.decode(Self.unit(channels, payload: payload, value: 8000), into: &buffer)
      #expect(buffer.frameCount == 2048 && buffer.format == decoder.format)
      for channel in buffer.channels where !channel.prefix(2048).allSatisfy({ $0.isFinite }) {
        Issue.record("seed \(seed): a sample that is no number")
        return
      }
    }
  }
}
