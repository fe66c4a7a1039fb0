import AudioFiles
import Foundation
import PCM
import Testing

/// Against the values of EBU Tech 3341 and ITU-R BS.1770.
@Suite struct LoudnessMeterTests {
  private static func sine(
    _ decibels: [Double], seconds: Double, rate: Int, _ layout: ChannelLayout, hertz: Double = 1000
  ) -> PCMBuffer {
    let frames = Int(seconds * Double(rate))
    let channels = decibels.map { level in
      let peak = level.isFinite ? pow(10, level / 20) : 0
      return (0..<frames).map { Float(peak * sin(2 * .pi * hertz * Double($0) / Double(rate))) }
    }
    return PCMBuffer(format: PCMFormat(sampleRate: rate, layout: layout), channels: channels)
  }

  private static func measure(_ sounds: PCMBuffer..., block: Int = 4800) throws -> Loudness {
    let meter = try LoudnessMeter(sounds[0].format)
    for sound in sounds {
      var start = 0
      while start < sound.frameCount {
        let end = min(sound.frameCount, start + block)
        try meter.add(
          PCMBuffer(format: sound.format, channels: sound.channels.map { [Float]($0[start..<end]) }))
        start = end
      }
    }
    return meter.loudness
  }

  private static func near(_ value: Double, _ expected: Double, within tolerance: Double = 0.1) -> Bool {
    abs(value - expected) <= tolerance
  }

  /// Tech 3341, test 1 and 2, at both usual rates.
  @Test(arguments: [44100, 48000], [-23.0, -33.0]) func stereoSine(rate: Int, level: Double) throws {
    for hertz in [997.0, 1000.0] {
      let loudness = try Self.measure(
        Self.sine([level, level], seconds: 10, rate: rate, .stereo, hertz: hertz))
      #expect(Self.near(loudness.momentary, level), "\(loudness)")
      #expect(Self.near(loudness.shortTerm, level), "\(loudness)")
      #expect(Self.near(loudness.integrated, level), "\(loudness)")
      #expect(Self.near(loudness.truePeak, level, within: 0.2), "\(loudness)")
    }
  }

  /// Tech 3341, test 3: what is 10 LU below the rest does not count.
  @Test func quietStretchesAreLeftOut() throws {
    let quiet = Self.sine([-36, -36], seconds: 10, rate: 48000, .stereo)
    let loud = Self.sine([-23, -23], seconds: 30, rate: 48000, .stereo)
    let loudness = try Self.measure(quiet, loud, quiet)
    #expect(Self.near(loudness.integrated, -23), "\(loudness)")
    #expect(Self.near(loudness.momentary, -36), "\(loudness)")
  }

  /// Half the power of two channels.
  @Test func mono() throws {
    let loudness = try Self.measure(Self.sine([-23], seconds: 5, rate: 48000, .mono))
    #expect(Self.near(loudness.integrated, -26.01), "\(loudness)")
  }

  /// Tech 3341, test 6: 5.0 with -28 dB in front, -24 dB in the middle, -30 dB behind; low frequencies do not count.
  @Test func surroundWeights() throws {
    let loudness = try Self.measure(
      Self.sine([-28, -28, -24, 0, -30, -30], seconds: 10, rate: 48000, .surround51))
    #expect(Self.near(loudness.integrated, -23), "\(loudness)")
    #expect(Self.near(loudness.truePeak, 0, within: 0.2), "\(loudness)")
    let side = ChannelLayout([.frontLeft, .frontRight, .sideLeft, .sideRight])
    let silence = -Double.infinity
    let sides = try Self.measure(
      Self.sine([silence, silence, -23, -23], seconds: 5, rate: 48000, side))
    #expect(Self.near(sides.integrated, -21.5), "\(sides)")
    let seven = try Self.measure(
      Self.sine(
        [silence, silence, silence, silence, -23, -23, silence, silence], seconds: 5, rate: 48000,
        .surround71))
    #expect(Self.near(seven.integrated, -23), "backs beside sides count once: \(seven)")
  }

  /// Tech 3341, test 15 to 19: a peak between the samples.
  @Test func truePeakBetweenSamples() throws {
    let frames = 48000
    let peak = pow(10, -6.0 / 20)
    let samples = (0..<frames).map { Float(peak * sin(.pi / 2 * Double($0) + .pi / 4)) }
    let sound = PCMBuffer(
      format: PCMFormat(sampleRate: 48000, layout: .stereo), channels: [samples, samples])
    let loudness = try Self.measure(sound)
    #expect(loudness.truePeak > -6.4 && loudness.truePeak < -5.8, "\(loudness)")
    #expect(20 * log10(Double(samples.max() ?? 0)) < -8.9)
  }

  @Test func silence() throws {
    let nothing = Loudness()
    #expect(nothing.integrated == -.infinity)
    let format = PCMFormat(sampleRate: 44100, layout: .stereo)
    #expect(try LoudnessMeter(format).loudness == nothing)
    #expect(try Self.measure(PCMBuffer(format: format, frameCount: 200_000)) == nothing)
    #expect(try Self.measure(PCMBuffer(format: format, frameCount: 3)) == nothing)
    #expect(try Self.measure(PCMBuffer(format: format)) == nothing)
  }

  @Test func whatIsNoNumberCountsAsZero() throws {
    var sound = PCMBuffer(format: PCMFormat(sampleRate: 48000, layout: .mono), frameCount: 48000)
    sound.channels[0][100] = .nan
    sound.channels[0][200] = .infinity
    sound.channels[0][300] = -.infinity
    #expect(try Self.measure(sound) == Loudness())
  }

  /// The same whatever the blocks are.
  @Test func blocksDoNotMatter() throws {
    let seed =
      ProcessInfo.processInfo.environment["AAC_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...(.max))
    var state = seed | 1
    func random(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    let format = PCMFormat(sampleRate: 44100, layout: .surround51)
    var sound = PCMBuffer(format: format, frameCount: 44100 * 5)
    for channel in 0..<6 {
      for frame in 0..<sound.frameCount { sound.channels[channel][frame] = Float(random(2001) - 1000) / 4000 }
    }
    let whole = try LoudnessMeter(format)
    try whole.add(sound)
    let parts = try LoudnessMeter(format)
    var start = 0
    while start < sound.frameCount {
      let end = min(sound.frameCount, start + random(9000))
      try parts.add(PCMBuffer(format: format, channels: sound.channels.map { [Float]($0[start..<end]) }))
      start = end
    }
    #expect(whole.loudness == parts.loudness, "AAC_SEED=\(seed)")
    #expect(whole.loudness.integrated > -20, "AAC_SEED=\(seed)")
  }

  @Test func refusals() throws {
    for format in [
      PCMFormat(sampleRate: 0, layout: .stereo), PCMFormat(sampleRate: -1, layout: .stereo),
      PCMFormat(sampleRate: .max, layout: .mono), PCMFormat(sampleRate: 48000, layout: .discrete(0)),
      PCMFormat(sampleRate: 48000, layout: .discrete(65)),
    ] {
      #expect(throws: AudioFileError.self) { try LoudnessMeter(format) }
    }
    let meter = try LoudnessMeter(PCMFormat(sampleRate: 48000, layout: .stereo))
    #expect(throws: AudioFileError.self) {
      try meter.add(PCMBuffer(format: PCMFormat(sampleRate: 44100, layout: .stereo), frameCount: 10))
    }
    #expect(throws: AudioFileError.self) {
      try meter.add(PCMBuffer(format: PCMFormat(sampleRate: 48000, layout: .mono), frameCount: 10))
    }
  }
}
