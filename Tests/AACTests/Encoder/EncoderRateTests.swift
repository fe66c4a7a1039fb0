import Foundation
import PCM
import Testing

@testable import AAC

/// The promises of the rates: a constant delay, means, the size of frames, steps of constant quality.
struct EncoderRateTests {
  /// Half loud, half silent; and the other way round.
  static func halves(frames: Int, loudFirst: Bool, channels: Int) -> [[Float]] {
    (0..<channels).map { channel in
      let noise = Signal.noise(frames: frames, amplitude: 0.5, seed: UInt64(40 + channel))
      return noise.indices.map { ($0 < frames / 2) == loudFirst ? noise[$0] : 0 }
    }
  }

  /// Sounds that try a reservoir: none that is hard all along, none that is easy all along.
  static func sounds(frames: Int, channels: Int) -> [(name: String, channels: [[Float]])] {
    let silence = [Float](repeating: 0, count: frames)
    return [
      ("music", (0..<channels).map { Signal.music(rate: 44100, frames: frames, seed: UInt64($0)) }),
      ("loud, then silent", halves(frames: frames, loudFirst: true, channels: channels)),
      ("silent, then loud", halves(frames: frames, loudFirst: false, channels: channels)),
      (
        "noise", (0..<channels).map { Signal.noise(frames: frames, amplitude: 1, seed: UInt64($0 + 7)) }
      ),
      (
        "clicks",
        (0..<channels).map { _ in silence.indices.map { $0 % 9000 == 5000 ? 0.9 : 0 } }
      ),
      ("silence", [[Float]](repeating: silence, count: channels)),
    ]
  }

  /// What is wrong with the rate of a sound.
  static func faults(_ sound: PCMBuffer, rate: EncoderSettings.Rate, effort: EncoderSettings.Effort) throws
    -> [String]
  {
    let channels = sound.channels.count
    let sampleRate = sound.format.sampleRate
    var settings = EncoderSettings(sampleRate: sampleRate, layout: sound.format.layout, rate: rate)
    settings.effort = effort
    let sizes = try encode(sound, settings).bitCounts
    var faults: [String] = []
    if let largest = sizes.max(), largest > 6144 * channels { faults.append("a frame of \(largest) bits") }
    let asked: Int
    switch rate {
    case .constant(let bitRate):
      asked = bitRate
      let channel = ConstantChannel(bitRate: bitRate, sampleRate: sampleRate, channels: channels)
      faults += channel.faults(sizes).prefix(3)
    case .average(let bitRate): asked = bitRate
    case .quality: return faults
    }
    guard sound.frameCount >= 8 * sampleRate else { return faults }
    let mean = Double(sizes.reduce(0, +) * sampleRate) / Double(sizes.count * 1024)
    let error = 100 * (mean / Double(asked) - 1)
    if abs(error) > 1 { faults.append("\(error) % off") }
    return faults
  }

  static let cases: [(channels: Int, rate: Int)] = [
    (1, 32000), (1, 160_000), (2, 32000), (2, 128_000), (2, 320_000),
  ]

  /// A second of each: enough for the reservoir to run full and empty.
  @Test(arguments: cases) func theDelayIsConstant(channels: Int, rate: Int) throws {
    for sound in Self.sounds(frames: 44100, channels: channels) {
      let buffer = PCMBuffer(sound.channels, rate: 44100, layout: channels == 1 ? .mono : .stereo)
      let faults = try Self.faults(buffer, rate: .constant(rate), effort: .min)
      #expect(faults.isEmpty, "\(sound.name): \(faults)")
    }
  }

  /// All levels of effort fit frames in their own way, with searches or without.
  @Test(arguments: EncoderSettings.Effort.allCases)
  func theDelayIsConstantAtAnyEffort(effort: EncoderSettings.Effort) throws {
    let sounds = Self.sounds(frames: 40000, channels: 1)
    for rate in [40000, 160_000] {
      for sound in [sounds[1], sounds[2], sounds[4]] {
        let buffer = PCMBuffer(sound.channels, rate: 44100, layout: .mono)
        let faults = try Self.faults(buffer, rate: .constant(rate), effort: effort)
        #expect(faults.isEmpty, "\(sound.name) at \(rate): \(faults)")
      }
    }
  }

  /// The reservoir is bounded in seconds too: low sampling rates, where a frame is long, and many channels.
  @Test(arguments: [(8000, 12000, ChannelLayout.mono), (16000, 24000, .mono), (48000, 384_000, .surround51)])
  func theDelayIsConstantElsewhere(sampleRate: Int, rate: Int, layout: ChannelLayout) throws {
    for sound in Self.sounds(frames: 30000, channels: layout.channelCount) {
      let faults = try Self.faults(
        PCMBuffer(sound.channels, rate: sampleRate, layout: layout), rate: .constant(rate), effort: .min)
      #expect(faults.isEmpty, "\(sound.name): \(faults)")
    }
  }

  /// Eight seconds that end in silence: the shortest that the promise holds for, and the hardest.
  @Test("B065", arguments: [(1, 32000), (1, 96000), (2, 48000)])
  func theMeanIsWithinOnePercent(channels: Int, rate: Int) throws {
    let halves = Self.halves(frames: 8 * 44100, loudFirst: true, channels: channels)
    let buffer = PCMBuffer(halves, rate: 44100, layout: channels == 1 ? .mono : .stereo)
    for mode in [EncoderSettings.Rate.constant(rate), .average(rate)] {
      let faults = try Self.faults(buffer, rate: mode, effort: .min)
      #expect(faults.isEmpty, "\(mode): \(faults)")
    }
  }

  /// Where eight seconds are 62 frames.
  @Test func theMeanIsWithinOnePercentAtLowSamplingRates() throws {
    for sound in Self.sounds(frames: 8 * 8000, channels: 1) {
      for mode in [EncoderSettings.Rate.constant(12000), .average(12000)] {
        let faults = try Self.faults(
          PCMBuffer(sound.channels, rate: 8000, layout: .mono), rate: mode, effort: .low)
        #expect(faults.isEmpty, "\(sound.name) \(mode): \(faults)")
      }
    }
  }

  static let stereoRates = [32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
  static let monoRates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160]

  /// Three seconds of every sound of the large set, at a constant rate that differs from sound to sound; `make rates`
  /// has them whole and at all rates.
  @Test(arguments: sharedFolder == nil ? [] : Array(SharedSounds.names.enumerated()))
  func theDelayIsConstantForSharedSounds(index: Int, name: String) throws {
    guard let sound = try SharedSounds.read(name, seconds: 3) else { return }
    let rates = sound.channels.count == 1 ? Self.monoRates : Self.stereoRates
    let rate = 1000 * rates[index % rates.count]
    let faults = try Self.faults(sound, rate: .constant(rate), effort: .min)
    #expect(faults.isEmpty, "\(name) at \(rate): \(faults)")
  }

  /// Sounds that come near to the bounds: a loud one after silence, and speech with rests.
  @Test(arguments: sharedFolder == nil ? [] : [("attack_gm", 32000), ("speech_female_es", 32000)])
  func theMeanOfSharedSoundsIsWithinOnePercent(name: String, rate: Int) throws {
    guard let sound = try SharedSounds.read(name) else { return }
    for mode in [EncoderSettings.Rate.constant(rate), .average(rate)] {
      let faults = try Self.faults(sound, rate: mode, effort: .min)
      #expect(faults.isEmpty, "\(name) \(mode): \(faults)")
    }
  }

  /// What each step takes and gives, on sounds of different kinds: more bits, and less noise over mask.
  @Test(arguments: ["music", "noise", "chord"]) func stepsOfQualityAreInOrder(name: String) throws {
    let frames = 24000
    let sound: [Float] =
      switch name {
      case "music": Signal.music(rate: 44100, frames: frames, seed: 2)
      case "noise": Signal.noise(frames: frames, amplitude: 0.2, seed: 3)
      default:
        [220.0, 277.2, 329.6, 1760].map { Signal.tone($0, rate: 44100, frames: frames, amplitude: 0.15) }
          .reduce([Float](repeating: 0, count: frames)) { zip($0, $1).map { $0 + $1 } }
      }
    var figures: [(size: Int, noise: Double)] = []
    for level in 1...5 {
      var settings = EncoderSettings(sampleRate: 44100, layout: .mono, rate: .quality(level))
      settings.tools.remove(.noiseSubstitution)
      // The step is in the noise, not in the width.
      settings.bandwidth = 22050
      let packets = try encode(PCMBuffer([sound], rate: 44100, layout: .mono), settings)
      let decoded = try decode(packets, settings)[0]
      figures.append(
        (packets.bitCounts.reduce(0, +), try NoiseToMask.measure(sound, decoded)))
    }
    for (less, more) in zip(figures, figures.dropFirst()) {
      #expect(less.size < more.size, "\(figures)")
      #expect(less.noise > more.noise + 1, "\(figures)")
    }
  }

  /// One price: loud or quiet, hard or easy, the noise over mask of a level stays about the same.
  @Test func qualityIsConstant() throws {
    let noise = Signal.noise(frames: 48000, amplitude: 1, seed: 12)
    let sound = noise.enumerated().map { $1 * ($0 < 24000 ? 0.3 : 0.01) }
    var settings = EncoderSettings(sampleRate: 44100, layout: .mono, rate: .quality(3))
    settings.tools.remove(.noiseSubstitution)
    settings.bandwidth = 22050
    let packets = try encode(PCMBuffer([sound], rate: 44100, layout: .mono), settings)
    let decoded = try decode(packets, settings)[0]
    let loud = try NoiseToMask.measure(Array(sound[2048..<22528]), Array(decoded[2048..<22528]))
    let quiet = try NoiseToMask.measure(Array(sound[27648..<46080]), Array(decoded[27648..<46080]))
    #expect(abs(loud - quiet) < 3, "\(loud) and \(quiet) dB")
  }
}
