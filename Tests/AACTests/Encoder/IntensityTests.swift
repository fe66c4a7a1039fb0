import Foundation
import PCM
import Testing

@testable import AAC

/// Intensity stereo: which bands become one carrier, what comes out of the decoder, and what it gains.
struct IntensityTests {
  static let frames = 40_000
  static let settings = EncoderSettings(sampleRate: 44100, layout: .stereo, rate: .quality(1))

  /// A tone in the middle, and something above 4 kHz or so.
  static func sound(_ left: [Float], _ right: [Float]) -> PCMBuffer {
    let tone = Signal.tone(700, rate: 44100, frames: frames, amplitude: 0.2)
    return PCMBuffer(
      [left, right].map { channel in zip(channel, tone).map { $0 + $1 } }, rate: 44100, layout: .stereo)
  }

  /// Noise that is in both channels, at a level of its own in each; with a part that each has alone.
  static func panned(_ gain: Float, alone: Float = 0.1) -> PCMBuffer {
    let noise = Signal.noise(frames: frames, amplitude: 0.1, seed: 31)
    let own = [UInt64(32), 33].map { Signal.noise(frames: frames, amplitude: 0.1 * alone, seed: $0) }
    return sound(
      zip(noise, own[0]).map { $0 + $1 }, zip(noise, own[1]).map { gain * ($0 + $1) })
  }

  struct Use {
    var inPhase = 0
    var outOfPhase = 0
    var lowest = Int.max
    var count: Int { inPhase + outOfPhase }
  }

  /// Intensity bands of all packets; checks that none is middle and side at once, and that the mask is told by bands.
  static func use(_ packets: [Packet]) throws -> Use {
    var block = RawDataBlock()
    var use = Use()
    for packet in packets {
      var bits = BitReader(packet.data)
      try block.parse(&bits, bands: ScaleFactorBands.at(44100))
      guard case .pair(let pair)? = block.elements.first else {
        Issue.record("no pair")
        continue
      }
      let right = block.streams[pair.right]
      let offsets = ScaleFactorBands.at(44100).offsets(short: right.info.isShort)
      for group in 0..<right.info.groupCount {
        for band in 0..<right.info.maxBand {
          let book = right.codebooks[group * right.info.maxBand + band]
          guard book >= Codebook.intensityOutOfPhase else { continue }
          if book == Codebook.intensityInPhase { use.inPhase += 1 } else { use.outOfPhase += 1 }
          use.lowest = min(use.lowest, offsets[band] * (right.info.isShort ? 8 : 1))
          #expect(pair.midSide.mode != .all && !pair.midSide.uses(group: group, band: band))
          #expect(right.tns == nil && block.streams[pair.left].tns == nil)
        }
      }
    }
    return use
  }

  static func without(_ settings: EncoderSettings) -> EncoderSettings {
    var settings = settings
    settings.tools.remove(.intensity)
    return settings
  }

  @Test(arguments: [EncoderSettings.Effort.low, .medium, .high])
  func pannedNoiseIsACarrier(effort: EncoderSettings.Effort) throws {
    var settings = Self.settings
    settings.effort = effort
    let packets = try encode(Self.panned(0.4), settings)
    let use = try Self.use(packets)
    #expect(use.inPhase > 5 * packets.count && use.outOfPhase < use.inPhase / 20, "\(use)")
    #expect(use.lowest * 44100 >= 4000 * 2048, "from line \(use.lowest) on")
    let none = try Self.use(encode(Self.panned(0.4), Self.without(settings)))
    #expect(none.count == 0)
  }

  /// Steady tones, each with a place of its own between the channels: next to none of their bands, and where one
  /// is taken for noise now and then the waveforms stay.
  @Test func steadyTonesAreHardlyEver() throws {
    var channels = [[Float]](repeating: [Float](repeating: 0, count: Self.frames), count: 2)
    for (index, hertz) in stride(from: 4300.0, to: 12000, by: 700).enumerated() {
      let tone = Signal.tone(hertz, rate: 44100, frames: Self.frames, amplitude: 0.02)
      let gains: [Float] = index % 2 == 0 ? [1, 0.4] : [0.4, 1]
      for channel in 0..<2 {
        for frame in tone.indices { channels[channel][frame] += gains[channel] * tone[frame] }
      }
    }
    let sound = Self.sound(channels[0], channels[1])
    let packets = try encode(sound, Self.settings)
    let use = try Self.use(Array(packets.dropFirst(4).dropLast(2)))
    // Eleven tones.
    #expect(use.count < packets.count / 2, "\(use)")
    let plain = try decode(encode(sound, Self.without(Self.settings)), Self.without(Self.settings))
    let decoded = try decode(packets, Self.settings)
    for channel in 0..<2 {
      let (with, without) = (
        signalToNoise(sound.channels[channel], decoded[channel]),
        signalToNoise(sound.channels[channel], plain[channel])
      )
      #expect(with > without - 0.5, "\(with) and \(without) dB")
    }
  }

  /// What both channels have in the same way is left to middle and side.
  @Test func theMiddleIsNone() throws {
    let noise = Signal.noise(frames: Self.frames, amplitude: 0.1, seed: 34)
    let use = try Self.use(encode(Self.sound(noise, noise), Self.settings))
    #expect(use.count == 0, "\(use)")
  }

  /// At rates that can pay for both channels the packets are those without the tool.
  @Test func highRatesHaveNone() throws {
    var settings = Self.settings
    settings.rate = .constant(96000)
    let sound = Self.panned(0.4)
    #expect(try encode(sound, settings) == encode(sound, Self.without(settings)))
  }

  /// Levels of both channels, and the sign between them, as they went in.
  @Test("B075", arguments: [Float(0.4), 2, -0.4, -1.5])
  func levelsAndSignsAreKept(gain: Float) throws {
    let sound = Self.panned(gain)
    let packets = try encode(sound, Self.settings)
    let use = try Self.use(packets)
    #expect((gain < 0 ? use.outOfPhase : use.inPhase) > 5 * packets.count, "\(use)")
    let decoded = try decode(packets, Self.settings)
    for (channel, result) in zip(sound.channels, decoded) {
      let change =
        EncoderToolTests.level(result, 7000...9000) - EncoderToolTests.level(channel, 7000...9000)
      #expect(abs(change) < 1, "\(change) dB")
    }
    let likeness = EncoderToolTests.highLikeness(decoded[0], decoded[1])
    #expect(gain < 0 ? likeness < -0.9 : likeness > 0.9, "\(likeness)")
  }

  /// At one price of a bit: a twentieth fewer bits. The noise over mask, as it is in waveforms, hardly rises.
  @Test func savesBits() throws {
    let sound = Self.panned(0.4)
    let settings = [Self.settings, Self.without(Self.settings)]
    let figures = try settings.map { settings in
      let packets = try encode(sound, settings)
      let decoded = try decode(packets, settings)
      return (
        size: EncoderToolTests.size(packets),
        noise: try zip(sound.channels, decoded).map { try NoiseToMask.measure($0, $1) }
      )
    }
    #expect(Double(figures[0].size) < 0.97 * Double(figures[1].size), "\(figures)")
    for (with, without) in zip(figures[0].noise, figures[1].noise) {
      #expect(with < without + 0.5, "\(figures)")
    }
  }

  /// Another decoder reads the same levels and signs out of it, sample by sample.
  @Test(.enabled(if: Opponent.path != nil), arguments: [Float(0.4), -0.4])
  func otherDecodersAgree(gain: Float) throws {
    let packets = try encode(Self.panned(gain), Self.settings)
    let decoder = try AACDecoder(AACEncoder(Self.settings).configuration)
    var bytes: [UInt8] = []
    var ours: [Float] = []
    for packet in packets {
      // A header of ADTS: LC, 44.1 kHz, two channels, without a checksum.
      let size = packet.data.count + 7
      bytes += [
        0xFF, 0xF1, 0x50, 0x80 | UInt8(size >> 11), UInt8(size >> 3 & 0xFF), UInt8(size & 7) << 5 | 0x1F,
        0xFC,
      ]
      bytes += packet.data
      let output = try decoder.decode(packet.data)
      for frame in 0..<output.frameCount { ours += output.channels.map { $0[frame] } }
    }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).aac")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(bytes).write(to: file)
    let theirs = try #require(Opponent.decode(file))
    #expect(abs(theirs.count - ours.count) <= 4096)
    #expect(signalToNoise(ours, theirs) > 80)
  }
}
