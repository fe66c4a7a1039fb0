import Foundation
import PCM
import Testing

@testable import AAC

/// What each tool of the encoder gains on a sound that it is made for, and that it can be switched off.
struct EncoderToolTests {
  static func encodeMono(
    _ sound: [Float], _ rate: EncoderSettings.Rate, without tool: EncoderSettings.Tools = [],
    bandwidth: Int? = nil
  ) throws -> (packets: [Packet], settings: EncoderSettings) {
    var settings = EncoderSettings(sampleRate: 44100, layout: .mono, rate: rate)
    settings.tools.subtract(tool)
    return (try encode(PCMBuffer([sound], rate: 44100, layout: .mono), settings), settings)
  }

  static func size(_ packets: [Packet]) -> Int { packets.reduce(0) { $0 + $1.data.count } }

  static func streams(_ packets: [Packet]) throws -> [ChannelStream] {
    var block = RawDataBlock()
    return try packets.map { packet in
      var bits = BitReader(packet.data)
      try block.parse(&bits, bands: ScaleFactorBands.at(44100))
      return block.streams[0]
    }
  }

  /// Clicks apart by a little more than a frame: short windows, each with a filter.
  static let clicks: [Float] = (0..<60000).map { $0 % 1300 == 700 ? ($0 / 1300 % 2 == 0 ? 0.8 : -0.8) : 0 }

  @Test func shapingNoiseInShortWindows() throws {
    let (shaped, settings) = try Self.encodeMono(Self.clicks, .constant(48000))
    let (plain, _) = try Self.encodeMono(
      Self.clicks, .constant(48000), without: .temporalNoiseShaping)
    #expect(try Self.streams(shaped).contains { $0.info.isShort && $0.tns != nil })
    #expect(try Self.streams(plain).allSatisfy { $0.tns == nil })
    let gain =
      try signalToNoise(Self.clicks, decode(shaped, settings)[0])
      - signalToNoise(Self.clicks, decode(plain, settings)[0])
    #expect(gain > 0.5, "\(gain) dB")
    let (fixed, _) = try Self.encodeMono(Self.clicks, .quality(3))
    let (fixedPlain, _) = try Self.encodeMono(
      Self.clicks, .quality(3), without: .temporalNoiseShaping)
    let ratio = Double(Self.size(fixed)) / Double(Self.size(fixedPlain))
    #expect(ratio < 0.9, "\(ratio) of the size at the same quality")
  }

  /// A breath of noise over a tone: the noise above 6 kHz costs next to nothing and keeps its level.
  @Test func substitutingNoise() throws {
    let noise = Signal.noise(frames: 60000, amplitude: 0.1, seed: 11)
    let tone = Signal.tone(700, rate: 44100, frames: 60000, amplitude: 0.3)
    let sound = zip(noise, tone).map { $0 + $1 }
    let (with, settings) = try Self.encodeMono(sound, .quality(1))
    let (without, _) = try Self.encodeMono(sound, .quality(1), without: .noiseSubstitution)
    func hasNoise(_ stream: ChannelStream) -> Bool {
      stream.codebooks.prefix(stream.bandCount).contains(Codebook.noise)
    }
    let shares = try Self.streams(with).map(hasNoise)
    #expect(shares.count { $0 } > shares.count / 2)
    #expect(try !Self.streams(without).contains(where: hasNoise))
    let ratio = Double(Self.size(with)) / Double(Self.size(without))
    #expect(ratio < 0.9, "\(ratio) of the size")
    let decoded = try decode(with, settings)[0]
    let change = Self.level(decoded, 7000...9000) - Self.level(sound, 7000...9000)
    #expect(abs(change) < 0.5, "\(change) dB")
  }

  /// Noise that the channels of a pair do not share is noise of its own in each, at its level; noise that they
  /// share stays one.
  @Test("B072, B077", arguments: [false, true]) func substitutingNoiseInPairs(isShared: Bool) throws {
    let left = Signal.noise(frames: 60000, amplitude: 0.1, seed: 12)
    let other = Signal.noise(frames: 60000, amplitude: 0.05, seed: isShared ? 12 : 13)
    let tone = Signal.tone(700, rate: 44100, frames: 60000, amplitude: 0.3)
    let channels = [left, other].map { zip($0, tone).map { $0 + $1 } }
    var settings = EncoderSettings(sampleRate: 44100, layout: .stereo, rate: .quality(1))
    let buffer = PCMBuffer(channels, rate: 44100, layout: .stereo)
    let packets = try encode(buffer, settings)
    settings.tools.remove(.noiseSubstitution)
    let without = try encode(buffer, settings)
    var block = RawDataBlock()
    var bands = 0
    for packet in packets {
      var bits = BitReader(packet.data)
      try block.parse(&bits, bands: ScaleFactorBands.at(44100))
      guard case .pair(let pair)? = block.elements.first else {
        Issue.record("no pair")
        continue
      }
      let (left, right) = (block.streams[pair.left], block.streams[pair.right])
      for band in 0..<left.info.maxBand where left.codebooks[band] == Codebook.noise {
        bands += 1
        #expect(right.codebooks[band] == Codebook.noise)
        #expect(!pair.midSide.uses(group: 0, band: band))
      }
    }
    let ratio = Double(Self.size(packets)) / Double(Self.size(without))
    if isShared {
      #expect(bands == 0)
      #expect(ratio == 1)
    } else {
      #expect(bands > 5 * packets.count)
      #expect(ratio < 0.9, "\(ratio) of the size")
      let decoded = try decode(packets, settings)
      for (sound, result) in zip(channels, decoded) {
        let change = Self.level(result, 7000...9000) - Self.level(sound, 7000...9000)
        // Bands that are not always noise are coded now and then, with holes.
        #expect(abs(change) < 1, "\(change) dB")
      }
      let likeness = Self.highLikeness(decoded[0], decoded[1])
      #expect(abs(likeness) < 0.2, "\(likeness)")
    }
  }

  /// Correlation of what two channels have above 7 kHz or so (differences of the second order).
  static func highLikeness(_ left: [Float], _ right: [Float]) -> Double {
    var (ll, rr, lr) = (0.0, 0.0, 0.0)
    for frame in 8192..<24576 {
      let x = Double(left[frame] - 2 * left[frame - 1] + left[frame - 2])
      let y = Double(right[frame] - 2 * right[frame - 1] + right[frame - 2])
      ll += x * x
      rr += y * y
      lr += x * y
    }
    return lr / (ll * rr).squareRoot()
  }

  /// The upper edge asked for is the upper edge, be it inside a band.
  @Test func bandwidthEndsWhereAsked() throws {
    let sound = Signal.noise(frames: 40000, amplitude: 0.2, seed: 14)
    var settings = EncoderSettings(sampleRate: 48000, layout: .mono, rate: .quality(5))
    settings.bandwidth = 13_000
    let decoded = try decode(encode(PCMBuffer([sound], rate: 48000, layout: .mono), settings), settings)[0]
    let below = Self.level(decoded, 12_700...12_950, rate: 48000)
    let above = Self.level(decoded, 13_100...13_450, rate: 48000)
    #expect(below - above > 25, "\(below) and \(above) dB")
  }

  /// Mean level between two frequencies in dB.
  static func level(_ sound: [Float], _ hertz: ClosedRange<Double>, rate: Double = 44100) -> Double {
    var energy = 0.0
    var count = 0.0
    for frequency in stride(from: hertz.lowerBound, through: hertz.upperBound, by: 12) {
      var (real, imaginary) = (0.0, 0.0)
      for frame in 8192..<24576 {
        let phase = 2 * Double.pi * frequency * Double(frame) / rate
        real += Double(sound[frame]) * cos(phase)
        imaginary += Double(sound[frame]) * sin(phase)
      }
      energy += real * real + imaginary * imaginary
      count += 1
    }
    return 10 * log10(energy / count)
  }

  @Test func tonesAreNoNoise() throws {
    var sound = [Float](repeating: 0, count: 30000)
    for hertz in stride(from: 6500.0, to: 16000, by: 400) {
      for (frame, value) in Signal.tone(hertz, rate: 44100, frames: 30000, amplitude: 0.02).enumerated() {
        sound[frame] += value
      }
    }
    let (packets, _) = try Self.encodeMono(sound, .constant(32000))
    for stream in try Self.streams(packets).dropFirst(4).dropLast(2) {
      #expect(!stream.codebooks.prefix(stream.bandCount).contains(Codebook.noise))
    }
  }

  @Test func shortWindowsKeepTheSilenceBeforeAClick() throws {
    func before(_ sound: [Float]) -> Double {
      (0..<45).reduce(0.0) { sum, click in
        let start = click * 1300 + 700
        return sum + sound[max(0, start - 600)..<start - 200].reduce(0) { $0 + Double($1) * Double($1) }
      }
    }
    let (short, settings) = try Self.encodeMono(Self.clicks, .constant(64000), without: .temporalNoiseShaping)
    let (long, _) = try Self.encodeMono(
      Self.clicks, .constant(64000), without: [.shortBlocks, .temporalNoiseShaping])
    #expect(try Self.streams(long).allSatisfy { !$0.info.isShort })
    let gain =
      10 * log10(try before(decode(long, settings)[0]) / max(try before(decode(short, settings)[0]), 1e-12))
    #expect(gain > 10, "\(gain) dB")
  }

  /// Decided by an estimate and by measuring.
  @Test(arguments: [EncoderSettings.Effort.min, .medium, .high])
  func middleAndSideSaveBits(effort: EncoderSettings.Effort) throws {
    let middle = Signal.music(rate: 44100, frames: 40000, seed: 3)
    let side = Signal.noise(frames: 40000, amplitude: 0.003, seed: 4)
    let channels = [zip(middle, side).map { $0 + $1 }, zip(middle, side).map { $0 - $1 }]
    var settings = EncoderSettings(sampleRate: 44100, layout: .stereo, rate: .quality(3))
    settings.effort = effort
    let buffer = PCMBuffer(channels, rate: 44100, layout: .stereo)
    let joint = Self.size(try encode(buffer, settings))
    settings.tools.remove(.midSide)
    let separate = Self.size(try encode(buffer, settings))
    #expect(Double(joint) < 0.8 * Double(separate), "\(joint) and \(separate) bytes")
  }

  /// A sound that takes few bits has more bandwidth than the rate can pay for as a rule.
  @Test func simpleSoundsHaveMoreBandwidth() throws {
    var sound = Signal.tone(15500, rate: 44100, frames: 60000, amplitude: 0.1)
    for harmonic in 1...8 {
      let part = Signal.tone(440 * Double(harmonic), rate: 44100, frames: 60000, amplitude: 0.05)
      for frame in sound.indices { sound[frame] += part[frame] }
    }
    let (packets, settings) = try Self.encodeMono(sound, .constant(40000))
    #expect(try AACEncoder(settings).effective.bandwidth < 14000)
    let decoded = try decode(packets, settings)[0]
    #expect(signalToNoise(Array(sound[40000..<55000]), Array(decoded[40000..<55000])) > 25)
    var narrow = settings
    narrow.bandwidth = try AACEncoder(settings).effective.bandwidth
    let kept = try decode(encode(PCMBuffer([sound], rate: 44100, layout: .mono), narrow), narrow)[0]
    #expect(signalToNoise(Array(sound[40000..<55000]), Array(kept[40000..<55000])) < 6)
  }

  @Test func lowFrequencyChannelsHaveLowFrequencies() throws {
    let settings = EncoderSettings(sampleRate: 48000, layout: .surround51, rate: .constant(320_000))
    var channels = [[Float]](repeating: [Float](repeating: 0, count: 30000), count: 6)
    let low = Signal.tone(60, rate: 48000, frames: 30000)
    channels[3] = zip(low, Signal.tone(1000, rate: 48000, frames: 30000)).map { $0 + $1 }
    let decoded = try decode(
      encode(PCMBuffer(channels, rate: 48000, layout: .surround51), settings), settings)
    #expect(signalToNoise(Array(low[4096..<24096]), Array(decoded[3][4096..<24096])) > 20)
  }
}
