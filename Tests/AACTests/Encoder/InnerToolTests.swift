import DSP
import Foundation
import PCM
import Testing

@testable import AAC

/// What the encoder's inner parts gain, each against the encoder without it. They have no switch of their own in the
/// settings; the levels of effort leave most of them out.
struct InnerToolTests {
  static func mono(_ sound: [Float]) -> PCMBuffer { PCMBuffer([sound], rate: 44100, layout: .mono) }

  static func settings(_ rate: EncoderSettings.Rate) -> EncoderSettings {
    EncoderSettings(sampleRate: 44100, layout: .mono, rate: rate)
  }

  /// Without anything left out it is the encoder itself.
  @Test(arguments: EncoderSettings.Effort.allCases)
  func thePlannedEncoderIsTheEncoder(effort: EncoderSettings.Effort) throws {
    let sound = EncoderStreamTests.music(frames: 7000)
    var settings = EncoderStreamTests.settings(.constant(96000))
    settings.effort = effort
    #expect(
      try PlannedEncoder.encode(sound, settings, effort: EffortPlan(effort)) == encode(sound, settings))
  }

  /// Noise over mask at a constant rate, with a plan and with another.
  static func noise(
    _ sound: [Float], _ settings: EncoderSettings, _ plans: [EffortPlan],
    controls: [RateControl?] = [nil, nil]
  ) throws -> [Double] {
    try zip(plans, controls).map { plan, control in
      let packets = try PlannedEncoder.encode(mono(sound), settings, effort: plan, control: control)
      return try NoiseToMask.measure(sound, decode(packets, settings)[0])
    }
  }

  /// Few loud tones far apart: the Kaiser–Bessel window keeps them out of the lines between.
  @Test func comparingWindowShapes() throws {
    var sound = [Float](repeating: 0, count: 30000)
    for (hertz, amplitude) in [(1000.7, 0.5), (3511.0, 0.2), (7003.0, 0.1), (12007.0, 0.1)] {
      let tone = Signal.tone(hertz, rate: 44100, frames: sound.count, amplitude: amplitude)
      for frame in sound.indices { sound[frame] += tone[frame] }
    }
    let with = EffortPlan(.medium)
    var without = with
    without.comparesShapes = false
    let settings = Self.settings(.quality(4))
    let sizes = try [with, without].map {
      try PlannedEncoder.encode(Self.mono(sound), settings, effort: $0).bitCounts.reduce(0, +)
    }
    let packets = try PlannedEncoder.encode(Self.mono(sound), settings, effort: with)
    let shaped = try EncoderToolTests.streams(packets).count { $0.info.windowShape == .kaiserBessel }
    #expect(shaped > packets.count / 2)
    #expect(Double(sizes[0]) < 0.95 * Double(sizes[1]), "\(sizes)")
    // Where nothing stands out, or what does stands close, the sine window has the better slopes.
    let dense = Signal.noise(frames: 20000, amplitude: 0.3, seed: 30)
    let plain = try PlannedEncoder.encode(Self.mono(dense), settings, effort: with)
    #expect(try EncoderToolTests.streams(plain).allSatisfy { $0.info.windowShape == .sine })
  }

  /// Left/right or middle/side by what both ways cost, instead of by an estimate from the lines.
  @Test func measuringStereo() throws {
    let voice = (1...24).map {
      Signal.tone(187.3 * Double($0), rate: 44100, frames: 30000, amplitude: 0.3 / Double($0))
    }.reduce([Float](repeating: 0, count: 30000)) { zip($0, $1).map { $0 + $1 } }
    let left = Signal.noise(frames: 30000, amplitude: 0.02, seed: 51)
    let right = Signal.noise(frames: 30000, amplitude: 0.02, seed: 52)
    let sound = [
      zip(voice, left).map { $0 + 0.3 * $1 }, zip(voice, right).map { 0.2 * $0 + 0.3 * $1 },
    ]
    let with = EffortPlan(.high)
    var without = with
    without.measuresStereo = false
    let settings = EncoderSettings(sampleRate: 44100, layout: .stereo, rate: .quality(3))
    let price = try EncoderPlan(settings).control.price
    let figures = try [with, without].map { plan in
      let packets = try PlannedEncoder.encode(
        PCMBuffer(sound, rate: 44100, layout: .stereo), settings, effort: plan)
      let decoded = try decode(packets, settings)
      return (
        bits: packets.bitCounts.reduce(0, +),
        noise: try zip(sound, decoded).map { try NoiseToMask.measure($0, $1, price: price) }
      )
    }
    #expect(figures[0].bits < figures[1].bits, "\(figures)")
    #expect(zip(figures[0].noise, figures[1].noise).allSatisfy { $0 < $1 }, "\(figures)")
  }

  /// Scale factors searched by noise and bits, instead of told by theory.
  @Test func searchingScaleFactors() throws {
    let harmonics = (1...20).map {
      Signal.tone(220.5 * Double($0), rate: 44100, frames: 30000, amplitude: 0.3 / Double($0))
    }
    let sound = harmonics.reduce(Signal.noise(frames: 30000, amplitude: 0.01, seed: 21)) {
      zip($0, $1).map { $0 + $1 }
    }
    let with = EffortPlan(.medium)
    var without = with
    without.searches = false
    let settings = Self.settings(.quality(3))
    let price = try EncoderPlan(settings).control.price
    let figures = try [with, without].map { plan in
      let packets = try PlannedEncoder.encode(Self.mono(sound), settings, effort: plan)
      return (
        bits: packets.bitCounts.reduce(0, +),
        noise: try NoiseToMask.measure(sound, decode(packets, settings)[0], price: price)
      )
    }
    #expect(Double(figures[0].bits) < 0.97 * Double(figures[1].bits), "\(figures)")
    #expect(figures[0].noise < figures[1].noise, "\(figures)")
  }

  /// All codebooks counted for each band, instead of the nearest few.
  @Test func countingAllCodebooks() throws {
    let sound = Self.mono(Signal.music(rate: 44100, frames: 30000, seed: 22))
    let with = EffortPlan(.low)
    var without = with
    without.ownBooksOnly = true
    let sizes = try [with, without].map {
      try PlannedEncoder.encode(sound, Self.settings(.quality(3)), effort: $0).bitCounts.reduce(0, +)
    }
    #expect(sizes[0] < sizes[1], "\(sizes)")
  }

  /// Bits saved in easy frames are there for hard ones.
  @Test func theReservoir() throws {
    let noise = Signal.noise(frames: 60000, amplitude: 0.6, seed: 23)
    let sound = noise.enumerated().map { $1 * Float(exp(-Double($0 % 9000) / 900)) }
    let settings = Self.settings(.constant(64000))
    let plan = try EncoderPlan(settings)
    let none = RateControl(
      mode: .constant(reservoir: 16), bitsPerFrame: plan.control.mean, framesPerSecond: 44100.0 / 1024,
      largestFrame: plan.control.largestFrame, price: Double(plan.control.price))
    let effort = EffortPlan(.medium)
    let figures = try Self.noise(sound, settings, [effort, effort], controls: [nil, none])
    #expect(figures[0] < figures[1] - 1, "\(figures) dB")
  }

  /// With its sine part a steady tone has the same energy, and mask, in every window, wherever its phase is.
  @Test func transformingSines() throws {
    let model = FrameModel(
      rate: try SamplingRate(44100), bandwidth: 22050, tools: .all, effort: EffortPlan(.high))
    let tone = Signal.tone(1010, rate: 44100, frames: 24000)
    var spectrum = [Float](repeating: 0, count: 1024)
    var sines = spectrum
    var weights = [Float](repeating: 0, count: ChannelStream.bandCapacity)
    let band = (model.bands.long.firstIndex { $0 > 1010 * 2048 / 44100 } ?? 1) - 1
    /// Spread of the mask over windows in dB.
    func spread(transformed: Bool) -> Double {
      var memory = model.long.makeMemory()
      let levels = stride(from: 0, through: tone.count - 2048, by: 1024).map { start in
        model.filterbank.analyze(
          tone, at: start, sequence: .onlyLong, shape: .sine, previousShape: .sine, into: &spectrum)
        model.filterbank.analyzeSines(
          tone, at: start, sequence: .onlyLong, shape: .sine, previousShape: .sine, into: &sines)
        model.long.analyze(
          spectrum, sines: transformed ? sines : nil, at: 0, memory: &memory, weights: &weights, at: 0)
        return 10 * log10(Double(weights[band]))
      }.dropFirst(3)
      return (levels.max() ?? 0) - (levels.min() ?? 0)
    }
    let (with, without) = (spread(transformed: true), spread(transformed: false))
    #expect(with < 0.5 && without > 2 * with, "\(with) and \(without) dB")
  }

  /// Eight windows alike share their scale factors: fewer bits for the same lines and prices.
  @Test func groupingWindows() throws {
    let model = FrameModel(
      rate: try SamplingRate(44100), bandwidth: 16000, tools: .all, effort: EffortPlan(.medium)
    )
    let noise = Signal.noise(frames: 2048, amplitude: 0.2, seed: 24)
    let channel = CodedChannel(frameLength: 1024, effort: EffortPlan(.medium))
    var spectrum = channel.spectrum
    model.filterbank.analyze(
      noise, at: 0, sequence: .eightShort, shape: .sine, previousShape: .sine, into: &spectrum)
    var info = ICSInfo()
    info.windowSequence = .eightShort
    info.maxBand = model.maxBandShort
    let chosen = Grouping.choose([spectrum])
    #expect(chosen == 0x7F)
    let bits = [chosen, 0].map { grouping in
      info.grouping = grouping
      channel.begin(info, bands: model.bands)
      channel.spectrum = spectrum
      for band in 0..<channel.bandCount { channel.weights[band] = 1e-9 }
      channel.arrange(bands: model.bands)
      channel.measure(price: 1)
      _ = channel.choose(price: 1)
      _ = channel.quantize()
      var writer = BitWriter()
      SingleChannel.write(tag: 0, channel.stream, to: &writer, bands: model.bands)
      return writer.bitCount
    }
    #expect(Double(bits[0]) < 0.95 * Double(bits[1]), "\(bits)")
    // An attack is kept apart from what is before it.
    let attack = noise.enumerated().map { $0 < 1024 ? $1 * 0.01 : $1 }
    model.filterbank.analyze(
      attack, at: 0, sequence: .eightShort, shape: .sine, previousShape: .sine, into: &spectrum)
    let grouping = Grouping.choose([spectrum])
    #expect(grouping != 0x7F && grouping != 0)
  }
}
