import Foundation
import PCM
import Testing

@testable import AAC

/// What comes out: legal blocks, the right rate, the right sound in the right channel.
struct EncoderStreamTests {
  static func settings(_ rate: EncoderSettings.Rate, layout: ChannelLayout = .stereo) -> EncoderSettings {
    EncoderSettings(sampleRate: 44100, layout: layout, rate: rate)
  }

  static func music(frames: Int, layout: ChannelLayout = .stereo) -> PCMBuffer {
    PCMBuffer(
      (0..<layout.channelCount).map { Signal.music(rate: 44100, frames: frames, seed: UInt64($0)) },
      rate: 44100, layout: layout)
  }

  @Test func everyBlockIsReadToItsLastBit() throws {
    let packets = try encode(Self.music(frames: 44100), Self.settings(.constant(128_000)))
    let bands = ScaleFactorBands.at(44100)
    var block = RawDataBlock()
    var shortFrames = 0
    for packet in packets {
      var bits = BitReader(packet.data)
      try block.parse(&bits, bands: bands)
      #expect(bits.remaining == 0)
      if block.streams[0].info.isShort { shortFrames += 1 }
      #expect(packet.data.count * 8 <= 2 * 6144)
    }
    // Five bursts a second call for short windows, the tone between them does not.
    #expect((3...12).contains(shortFrames), "\(shortFrames) short frames of \(packets.count)")
  }

  @Test(arguments: [32000, 64000, 128_000, 256_000])
  func constantRateIsKept(rate: Int) throws {
    let frames = 88200
    let packets = try encode(Self.music(frames: frames), Self.settings(.constant(rate)))
    let bits = packets.reduce(0) { $0 + $1.data.count * 8 }
    let measured = Double(bits) * 44100 / Double(packets.count * 1024)
    // No stretch of frames takes more than came in and the reservoir held; half of it is left at the end.
    let mean = Double(rate) * 1024 / 44100
    let reservoir = (2 * 6144 - mean) / Double(packets.count) / mean
    #expect(abs(measured / Double(rate) - 1) < 0.01 + reservoir / 2, "\(measured)")
    var level = (2 * 6144 - mean) / 2
    for packet in packets {
      level += mean - Double(packet.data.count * 8)
      #expect(level > -8 && level < 2 * 6144 - mean + 8)
    }
  }

  @Test func averageRateIsKept() throws {
    let packets = try encode(Self.music(frames: 132_300), Self.settings(.average(96000)))
    let bits = packets.reduce(0) { $0 + $1.data.count * 8 }
    #expect(abs(Double(bits) * 44100 / Double(packets.count * 1024) / 96000 - 1) < 0.05)
  }

  @Test func betterQualityTakesMoreBits() throws {
    let sound = Self.music(frames: 30000)
    let sizes = try (1...5).map { level in
      try encode(sound, Self.settings(.quality(level))).reduce(0) { $0 + $1.data.count }
    }
    #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0 < $1 }, "\(sizes)")
  }

  @Test func moreBitsGiveLessNoise() throws {
    // Several bursts: long enough for the rates to be kept, and for a reservoir to be emptied.
    let sound = Self.music(frames: 60000)
    let ratios = try [64000, 128_000, 256_000, 400_000].map { rate in
      let settings = Self.settings(.constant(rate))
      return try signalToNoise(sound.channels[0], decode(encode(sound, settings), settings)[0])
    }
    #expect(zip(ratios, ratios.dropFirst()).allSatisfy { $0 + 1 < $1 }, "\(ratios)")
  }

  @Test(arguments: EncoderSettings.Effort.allCases) func everyEffortDecodes(effort: EncoderSettings.Effort)
    throws
  {
    var settings = Self.settings(.constant(128_000))
    settings.effort = effort
    let sound = Self.music(frames: 12000)
    let ratio = try signalToNoise(sound.channels[1], decode(encode(sound, settings), settings)[1])
    #expect(ratio > 8, "\(ratio)")
  }

  @Test("B064") func fullScaleNoiseStaysInTheBuffer() throws {
    let noise = (0..<2).map { Signal.noise(frames: 8000, amplitude: 1, seed: UInt64($0 + 9)) }
    for rate in [EncoderSettings.Rate.quality(5), .constant(529_200), .average(529_200)] {
      let packets = try encode(PCMBuffer(noise, rate: 44100, layout: .stereo), Self.settings(rate))
      #expect(packets.allSatisfy { $0.data.count * 8 <= 2 * 6144 })
    }
  }

  @Test("B075, B107") func oddSoundsAreFine() throws {
    let frames = 6000
    let square = (0..<frames).map { Float($0 / 50 % 2 == 0 ? 1 : -1) }
    let denormal = [Float](repeating: Float(bitPattern: 71362), count: frames)  // about 1e-40
    let silence = [Float](repeating: 0, count: frames)
    let huge = [Float](repeating: 1e30, count: frames)
    let impulse = silence.enumerated().map { $0.offset == 3000 ? Float(1) : 0 }
    for sound in [square, denormal, silence, huge, impulse] {
      for rate in [EncoderSettings.Rate.constant(64000), .average(64000), .quality(3)] {
        let settings = Self.settings(rate)
        let decoded = try decode(
          encode(PCMBuffer([sound, silence], rate: 44100, layout: .stereo), settings), settings)
        #expect(decoded[0].allSatisfy { $0.isFinite && abs($0) < 8 })
        #expect(decoded[1].count == frames)
      }
    }
  }

  /// A pre-echo would be heard as a breath before the click.
  @Test func b073_clicksHaveNoPreEcho() throws {
    for offset in stride(from: 0, to: 1024, by: 171) {
      var click = [Float](repeating: 0, count: 8192)
      let start = 4096 + offset
      for index in 0..<200 {
        click[start + index] = Float(0.8 * exp(-Double(index) / 40) * (index % 2 == 0 ? 1 : -1))
      }
      let settings = Self.settings(.constant(96000), layout: .mono)
      let decoded = try decode(encode(PCMBuffer([click], rate: 44100, layout: .mono), settings), settings)[0]
      let energy = click.reduce(0) { $0 + $1 * $1 }
      let before = decoded[start - 1200..<start - 220].reduce(0) { $0 + $1 * $1 }
      #expect(10 * log10(Double(before / energy) + 1e-12) < -25, "offset \(offset)")
    }
  }
}

/// Temporal noise shaping is for sounds that are bunched in time.
struct NoiseShapingChoiceTests {
  /// Frames with filters among those of a mono sound.
  static func shapedFrames(_ sound: [Float]) throws -> (shaped: Int, all: Int) {
    let packets = try encode(
      PCMBuffer([sound], rate: 44100, layout: .mono),
      EncoderStreamTests.settings(.constant(64000), layout: .mono))
    var block = RawDataBlock()
    var shaped = 0
    for packet in packets {
      var bits = BitReader(packet.data)
      try block.parse(&bits, bands: ScaleFactorBands.at(44100))
      if block.streams[0].tns != nil { shaped += 1 }
    }
    return (shaped, packets.count)
  }

  /// The lines of a steady tone or a sweep can be predicted from each other, but a filter would only spread
  /// noise over the whole spectrum.
  @Test func steadySoundsAreLeftAlone() throws {
    let sweep = (0..<40000).map { frame in
      let time = Double(frame) / 44100
      return Float(0.5 * sin(2 * .pi * (500 * time + 4000 * time * time)))
    }
    // The first and the last windows are half silence: what is in them begins or ends.
    #expect(try Self.shapedFrames(sweep).shaped <= 3)
    #expect(try Self.shapedFrames(Signal.tone(3000, rate: 44100, frames: 20000)).shaped <= 3)
  }

  /// A train of pulses, closer together than short blocks could resolve one by one.
  @Test func pulsesAreShaped() throws {
    let noise = Signal.noise(frames: 40000, amplitude: 0.5, seed: 5)
    let pulses = noise.enumerated().map { frame, value in
      value * Float(exp(-Double(frame % 400) / 40))
    }
    let (shaped, all) = try Self.shapedFrames(pulses)
    #expect(shaped > all / 2, "\(shaped) of \(all)")
    /// Noise where the pulses have died away.
    func noiseBetween(_ tools: EncoderSettings.Tools) throws -> Double {
      var settings = EncoderStreamTests.settings(.constant(64000), layout: .mono)
      settings.tools = tools
      let decoded = try decode(encode(PCMBuffer([pulses], rate: 44100, layout: .mono), settings), settings)[0]
      var energy = 0.0
      for frame in pulses.indices where (100..<300).contains(frame % 400) {
        let error = Double(decoded[frame] - pulses[frame])
        energy += error * error
      }
      return 10 * log10(energy)
    }
    let gain =
      try noiseBetween(EncoderSettings.Tools.all.subtracting(.temporalNoiseShaping)) - noiseBetween(.all)
    #expect(gain > 1, "\(gain) dB")
  }
}
