import AAC
import AACContainers
import AACKit
import AudioFiles
import PCM
import Testing
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Damage and change through the whole reader.
@Suite struct DamageTests {
  /// A tone in each channel, encoded.
  static func tone(
    _ layout: ChannelLayout, rate: Int = 48000, seconds: Double = 1, level: Double = 0.3
  ) throws -> (AudioSpecificConfig, [Packet]) {
    let frames = Int(seconds * Double(rate))
    let samples = (0..<frames).map { Float(level * sin(2 * .pi * 200 * Double($0) / Double(rate))) }
    let sound = PCMBuffer(
      format: PCMFormat(sampleRate: rate, layout: layout), channels: layout.speakers.map { _ in samples })
    let encoder = try AACEncoder(
      EncoderSettings(sampleRate: rate, layout: layout, rate: .constant(64000 * layout.channelCount)))
    let packets = try encoder.encode(sound)
    return (encoder.configuration, try packets + encoder.finish())
  }

  static func adts(_ parts: [(AudioSpecificConfig, [Packet])], checksums: Bool = false) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for (configuration, packets) in parts {
      let sink = MemorySink()
      let writer = try ADTSWriter(sink, configuration: configuration, options: .init(checksums: checksums))
      for packet in packets { try writer.write(packet) }
      try writer.finish()
      bytes += sink.bytes
    }
    return bytes
  }

  static func loas(_ parts: [(AudioSpecificConfig, [Packet])]) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for (configuration, packets) in parts {
      let sink = MemorySink()
      let writer = try LOASWriter(sink, configuration: configuration)
      for packet in packets { try writer.write(packet) }
      try writer.finish()
      bytes += sink.bytes
    }
    return bytes
  }

  static func read(_ reader: AACReader) throws -> [[Float]] {
    var sound = [[Float]](repeating: [], count: reader.format.channelCount)
    var buffer = PCMBuffer(format: reader.format)
    while try reader.read(4096, into: &buffer) > 0 {
      for channel in sound.indices { sound[channel] += buffer.channels[channel].prefix(buffer.frameCount) }
    }
    return sound
  }

  private static func steepest(_ samples: some Collection<Float>) -> Float {
    zip(samples.dropFirst(), samples).reduce(0) { max($0, abs($1.0 - $1.1)) }
  }

  /// Another layout, the same rate: the time is exact, and the old sound dies away under the new one.
  @Test("B029", arguments: [ContainerFormat.adts, .loas])
  func channelsChange(container: ContainerFormat) throws {
    let stereo = try Self.tone(.stereo)
    let mono = try Self.tone(.mono)
    let parts = [
      (stereo.0, Array(stereo.1.prefix(20))), (mono.0, Array(mono.1.dropFirst(4).prefix(20))), stereo,
    ]
    let bytes = try container == .adts ? Self.adts(parts) : Self.loas(parts)
    let reader = try AACReader(MemorySource(bytes))
    let sound = try Self.read(reader)
    #expect(reader.format == PCMFormat(sampleRate: 48000, layout: .stereo))
    #expect(sound[0].count == 1024 * (40 + stereo.1.count))
    #expect(reader.statistics.configurationChanges == 2 && reader.statistics.concealedFrames == 0)
    let usual = Self.steepest(sound[0][4096..<18000])
    for joint in [20, 40] {
      let range = joint * 1024 - 600..<joint * 1024 + 1500
      #expect(Self.steepest(sound[0][range]) < 1.5 * usual, "at \(joint)")
    }
  }

  /// Another rate: the time is exact to the converter's rounding.
  @Test("B029", arguments: [ContainerFormat.adts, .loas])
  func ratesChange(container: ContainerFormat) throws {
    let first = try Self.tone(.stereo)
    let second = try Self.tone(.stereo, rate: 24000)
    let parts = [(first.0, Array(first.1.prefix(20))), (second.0, Array(second.1.prefix(20))), first]
    let bytes = try container == .adts ? Self.adts(parts) : Self.loas(parts)
    let reader = try AACReader(MemorySource(bytes))
    let sound = try Self.read(reader)
    #expect(abs(sound[0].count - 1024 * (20 + 40 + first.1.count)) <= 2)
    #expect(reader.statistics.configurationChanges == 2)
    #expect(sound[0].allSatisfy { abs($0) < 0.5 })
  }

  /// A program config that changes inside of ADTS.
  @Test func programConfigsChange() throws {
    let seven = try Self.tone(.surround71, seconds: 0.4)
    let six = try Self.tone(.surround61, seconds: 0.4)
    let reader = try AACReader(MemorySource(try Self.adts([seven, six, seven])))
    let sound = try Self.read(reader)
    #expect(sound.count == 8 && sound[0].count == 1024 * (2 * seven.1.count + six.1.count))
    #expect(reader.statistics.configurationChanges == 2 && reader.statistics.concealedFrames == 0)
  }

  /// A checksum that does not fit: concealed, counted, told at its time.
  @Test func wrongChecksumsAreConcealed() throws {
    let (configuration, packets) = try Self.tone(.stereo)
    var bytes = try Self.adts([(configuration, packets)], checksums: true)
    let whole = try Self.read(AACReader(MemorySource(bytes)))
    let place = packets.prefix(20).reduce(0) { $0 + $1.data.count + 9 }
    bytes[place + 7] ^= 0x40  // The checksum itself: the packet stays whole.
    let seen = Guarded<[DecodingDamage]>([])
    var options = AACReader.Options()
    options.onDamage = { damage in seen.withLock { $0.append(damage) } }
    let reader = try AACReader(MemorySource(bytes), options: options)
    let sound = try Self.read(reader)
    #expect(sound[0].count == whole[0].count)
    #expect(sound[0].dropFirst(22 * 1024).elementsEqual(whole[0].dropFirst(22 * 1024)))
    #expect(sound[0][20 * 1024..<21 * 1024].contains { abs($0) > 0.1 })
    #expect(reader.statistics.checksumFailures == 1 && reader.statistics.concealedFrames == 1)
    #expect(reader.damages.map(\.kind) == [.checksum])
    #expect(reader.damages[0].packet == 20 && reader.damages[0].channels.indices == [0, 1])
    #expect(abs((reader.damages[0].time ?? 0) - 20 * 1024.0 / 48000) < 1e-6)
    #expect(seen.withLock { $0 } == reader.damages)
    options.strict = true
    #expect(throws: (any Error).self) { try Self.read(AACReader(MemorySource(bytes), options: options)) }
  }

  /// Destroyed headers: found again, counted, the time kept.
  @Test func lostSyncIsCounted() throws {
    let (configuration, packets) = try Self.tone(.stereo)
    var bytes = try Self.adts([(configuration, packets)])
    var place = packets.prefix(20).reduce(0) { $0 + $1.data.count + 7 }
    for _ in 0..<packets[20].data.count + 7 {
      bytes[place] = 0
      place += 1
    }
    let reader = try AACReader(MemorySource(bytes))
    #expect(try Self.read(reader)[0].count == packets.count * 1024)
    #expect(reader.statistics.resynchronisations == 1)
    #expect(reader.statistics.skippedBytes == Int64(packets[20].data.count + 7))
    #expect(reader.statistics.missingFrames == 1)
  }
}
