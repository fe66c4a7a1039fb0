import AACContainers
import Foundation
import PCM
import Testing

@testable import AAC

/// ELD streams with low-delay replication of another encoder. No other decoder at hand reads them: their syntax
/// has to account for every bit, their core has to be what FFmpeg hears in it, and the noise that all streams of
/// this set are made from has to have the level that it has in those with plain replication.
@Suite(.enabled(if: sharedFolder != nil)) struct LowDelayVectorTests {
  static let names = [
    "noise_1ch_16khz_aot39_ds_sbr_fl512_mp4", "noise_1ch_44khz_aot39_ds_sbr_fl512_mp4",
    "noise_2ch_22khz_aot39_ds_sbr_fl512_mp4", "noise_2ch_32khz_aot39_ds_sbr_fl512_mp4",
    "noise_2ch_48khz_aot39_ds_sbr_fl512_mp4", "noise_1ch_32khz_aot39_dr_sbr_fl480_mp4",
    "noise_1ch_48khz_aot39_dr_sbr_fl480_mp4",
  ]
  static let models = [
    "noise_1ch_24khz_aot5_ds_sbr_sig1_mp4",
    "noise_1ch_32khz_aot5_dr_sbr_sig2_mp4", "noise_1ch_44khz_aot5_dr_sbr_sig0_mp4",
    "noise_2ch_32khz_aot5_ds_sbr_sig2_mp4",
    "noise_2ch_48khz_aot5_ds_sbr_sig1_mp4",
  ]

  static func url(_ name: String) throws -> URL {
    try #require(sharedFolder).appendingPathComponent("vectors/encoders/\(name).m4a")
  }

  static func packets(_ name: String) throws -> (config: AudioSpecificConfig, units: [[UInt8]]) {
    let reader = try openPacketReader(FileSource(path: url(name).path))
    var packet = Packet(data: [], presentationTime: 0, duration: 0)
    var units: [[UInt8]] = []
    while try reader.nextPacket(into: &packet) { units.append(packet.data) }
    return (reader.info.configuration, units)
  }

  /// Behind the payloads there is nothing but the padding to a whole byte.
  @Test(arguments: names) func everyBitIsAccountedFor(name: String) throws {
    let (config, units) = try Self.packets(name)
    let lowDelay = try #require(config.lowDelaySBR)
    #expect(lowDelay.isDualRate == name.contains("_dr_"))
    var parsers = SBRElementParser.all(
      of: config.elements.map(\.kind), outputRate: 2 * config.samplingRate.hertz,
      slots: config.frameLength / 32,
      lowDelay: lowDelay)
    var block = RawDataBlock()
    block.syntax = StreamSyntax(config)
    var largest = 0
    var counts = (transient: 0, coupled: 0, headers: 0)
    for unit in units {
      var bits = BitReader(unit)
      try block.parse(&bits, bands: config.bands)
      for index in parsers.indices {
        var ahead = bits
        if try ahead.flag() { counts.headers += 1 }
        let result = try parsers[index]?.parseLowDelay(&bits, hasChecksum: lowDelay.hasChecksums)
        #expect(result == .data)
        if parsers[index]?.data.channels[0].grid.frameClass == .transient { counts.transient += 1 }
        if parsers[index]?.data.isCoupled == true { counts.coupled += 1 }
      }
      largest = max(largest, bits.remaining)
    }
    print(
      "\(name): \(units.count) units, \(counts), up to \(largest) bits of padding, checksums: \(lowDelay.hasChecksums)"
    )
    #expect(units.count > 100 && largest < 8)
    #expect(counts.transient > 0 && (counts.coupled > 0) == name.contains("_2ch_"))
  }

  /// FFmpeg reads the core where the configuration does not mention replication.
  @Test(arguments: names) func coreMatches(name: String) throws {
    let (config, units) = try Self.packets(name)
    var plain = config
    plain.lowDelaySBR = nil
    let decoder = try AACDecoder(plain)
    let whole = try AACDecoder(config)
    let count = decoder.format.channelCount
    var core = [[Float]](repeating: [], count: count)
    var output = core
    for unit in units {
      let part = try decoder.decode(unit)
      let full = try whole.decode(unit)
      for channel in 0..<count {
        core[channel] += part.channels[channel]
        output[channel] += full.channels[channel]
      }
    }
    // Four seconds and what the coders add, at the rate in the name.
    let info = try openPacketReader(FileSource(path: Self.url(name).path)).info
    #expect(whole.format.sampleRate == info.timeRate && output[0].count == units.count * info.packetDuration)
    #expect(info.validFrames == Int64(output[0].count))
    #expect(name.contains("_\(info.timeRate / 1000)khz_"))
    #expect((4..<4.04).contains(Double(output[0].count) / Double(info.timeRate)))
    // What lies below the replicated bands is the core's. The streams have noise there in the third second.
    let rate = config.samplingRate.hertz
    for channel in 0..<count {
      let range = rate * 9 / 4..<rate * 11 / 4
      let error = LowDelayDecoderTests.error(core[channel], output[channel], range: range)
      print("\(name), channel \(channel): \(10 * log10(error)) dB beside the core")
      #expect(error < 1e-3)
    }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).m4a")
    defer { try? FileManager.default.removeItem(at: file) }
    let sink = MemorySink()
    let writer = try M4AWriter(sink, configuration: plain)
    for (index, unit) in units.enumerated() {
      try writer.write(
        Packet(data: unit, presentationTime: Int64(index * config.frameLength), duration: config.frameLength))
    }
    try writer.finish()
    try Data(sink.bytes).write(to: file)
    // FFmpeg has no bands for enhanced low delay at 16 kHz.
    guard Opponent.path != nil, rate != 16000 else { return }
    let theirs = try #require(Opponent.decode(file))
    try #require(theirs.count >= core[0].count * count)
    var largest: Float = 0
    for channel in 0..<count {
      for index in core[channel].indices {
        largest = max(largest, abs(core[channel][index] - theirs[index * count + channel]))
      }
    }
    print("\(name): \(largest * 32768) / 32768 beside FFmpeg's core")
    #expect(largest <= 2 / 32768)
  }

  /// Seconds of noise below an eighth of the rate alternate with seconds of the same noise from a quarter on.
  struct Levels {
    /// dB of the high noise over the low one.
    var difference = 0.0
    /// dB of what is heard of one in the seconds of the other.
    var rest = 0.0

    init(_ samples: [Float], rate: Int) {
      func powers(_ second: Int) -> [Double] {
        PowerMeter.bands(Array(samples[second * rate + rate * 3 / 10..<second * rate + rate * 9 / 10]))
      }
      // Second channels are silent at first.
      let (first, second) = (powers(2), powers(3))
      let low = 2...13
      let high = 36...43
      func mean(_ powers: [Double], _ bands: ClosedRange<Int>) -> Double {
        powers[bands].reduce(0, +) / Double(bands.count)
      }
      difference = 10 * log10(mean(second, high) / mean(first, low))
      rest = 10 * log10(max(mean(first, high), mean(second, low)) / mean(first, low))
    }
  }

  static func levels(_ names: [String]) throws -> [Levels] {
    try names.flatMap { name in
      let sound = try ConformanceTests.decode(url(name))
      return sound.channels.map { Levels($0, rate: sound.format.sampleRate) }
    }
  }

  @Test func noiseHasItsLevel() throws {
    let models = try Self.levels(Self.models)
    let model = models.reduce(0) { $0 + $1.difference } / Double(models.count)
    let found = try Self.levels(Self.names)
    print("plain replication: mean \(model), \(models.map(\.difference))")
    print("low delay: \(found.map(\.difference)), rests \(found.map(\.rest))")
    // Noise floors are 1.8 dB louder through the low-delay bank, whose prototypes carry more power.
    for levels in found {
      #expect(abs(levels.difference - model) < 2)
      #expect(levels.rest < -40)
    }
  }
}
