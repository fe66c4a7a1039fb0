import PCM
import Testing

@testable import AAC

/// Faults that other AAC software had in feeding, lengths and limits; the numbers are those of
/// `Documentation/Reports.md`.
@Suite struct ReportTests {
  static func settings(
    _ rate: EncoderSettings.Rate = .constant(128_000), layout: ChannelLayout = .stereo,
    sampleRate: Int = 44100
  ) -> EncoderSettings {
    var settings = EncoderSettings(sampleRate: sampleRate, layout: layout, rate: rate)
    settings.effort = .min
    return settings
  }

  static func stereo(frames: Int) -> PCMBuffer {
    PCMBuffer(
      [1, 2].map { Signal.music(rate: 44100, frames: frames, seed: $0) }, rate: 44100, layout: .stereo)
  }

  /// A sound that ends at full scale: nothing after it, and no spike where it was cut.
  @Test func b034_endAtFullScale() throws {
    let settings = Self.settings(.constant(192_000), layout: .mono)
    // Ends a quarter of a period after a zero.
    let tone = [Float](Signal.tone(441, rate: 44100, frames: 5526, amplitude: 0.9))
    #expect((tone.last ?? 0) > 0.89)
    let packets = try encode(PCMBuffer([tone], rate: 44100, layout: .mono), settings)
    let trimmed = try decode(packets, settings)[0]
    #expect(trimmed.count == 5526)
    let whole = try decode(
      packets.map { Packet(data: $0.data, presentationTime: 0, duration: 1024) }, settings)[0]
    let end = packets[0].priming + 5526
    #expect(whole.count == packets.count * 1024 && whole.count > end)
    // The filterbank spreads the edge a little; louder than the sound nothing may be.
    #expect(whole[end...].allSatisfy { abs($0) < 0.95 })
  }

  /// What has not been finished has its tail to come, and `finish()` gives all of it.
  @Test func b037_finishGivesTheTail() throws {
    for frames in [1, 1000, 1024, 3000, 4096] {
      let encoder = try AACEncoder(Self.settings())
      let before = try encoder.encode(Self.stereo(frames: frames))
      #expect(before.map(\.validFrames).reduce(0, +) < frames)
      let after = try encoder.finish()
      #expect((before + after).map(\.validFrames).reduce(0, +) == frames)
      #expect(before.allSatisfy { $0.padding == 0 } && after.dropLast().allSatisfy { $0.padding == 0 })
    }
  }

  /// Priming, sound and padding are whole frames; the delay is that of the settings, whatever the length.
  @Test func b039_b040_framesAddUp() throws {
    for (layout, rate) in [(ChannelLayout.mono, 16000), (.stereo, 48000), (.surround51, 44100)] {
      let settings = Self.settings(.quality(2), layout: layout, sampleRate: rate)
      for frames in [1, 512, 1024, 1025, 2047, 3000] {
        let silence = [[Float]](repeating: [Float](repeating: 0, count: frames), count: layout.channelCount)
        let packets = try encode(PCMBuffer(silence, rate: rate, layout: layout), settings)
        let priming = packets.map(\.priming).reduce(0, +)
        let padding = packets.map(\.padding).reduce(0, +)
        #expect(priming == 1024)
        #expect(priming + frames + padding == 1024 * packets.count)
        #expect(packets.first?.presentationTime == -1024)
      }
    }
  }

  /// A click is where it was, at the beginning and later.
  @Test(arguments: [0, 700, 4000]) func b040_clicksStayInPlace(place: Int) throws {
    let settings = Self.settings(.quality(5), layout: .mono)
    var sound = [Float](repeating: 0, count: 6000)
    sound[place] = 0.9
    let decoded = try decode(encode(PCMBuffer([sound], rate: 44100, layout: .mono), settings), settings)[0]
    let loudest = decoded.indices.max { abs(decoded[$0]) < abs(decoded[$1]) }
    #expect(loudest == place)
  }

  /// A tone of whole periods, played in a loop, goes on without a step.
  @Test func b042_loopsHaveNoSeam() throws {
    let settings = Self.settings(.quality(5), layout: .mono)
    let tone = Signal.tone(441, rate: 44100, frames: 11000)
    let decoded = try decode(encode(PCMBuffer([tone], rate: 44100, layout: .mono), settings), settings)[0]
    #expect(decoded.count == tone.count)
    let steepest = zip(tone.dropFirst(), tone).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
    let seam = abs((decoded.last ?? 0) - (decoded.first ?? 1))
    #expect(seam < 1.5 * steepest, "\(seam)")
  }

  /// The largest frame the standard allows, for noise at the best quality, at any number of channels.
  @Test(arguments: [ChannelLayout.mono, .surround51, .surround71]) func b064_framesHaveALimit(
    layout: ChannelLayout
  ) throws {
    let noise = layout.speakers.indices.map { Signal.noise(frames: 4000, amplitude: 1, seed: UInt64($0 + 1)) }
    let packets = try encode(
      PCMBuffer(noise, rate: 48000, layout: layout),
      Self.settings(.quality(5), layout: layout, sampleRate: 48000))
    for packet in packets {
      #expect(packet.data.count * 8 <= 6144 * layout.channelCount)
      #expect(packet.data.count + 9 <= 8191)
    }
  }

  /// Any rate of bits at any rate of samples: a stream, or an error that names what is possible.
  @Test func b066_anyRate() throws {
    for sampleRate in [8000, 44100, 96000] {
      for layout in [ChannelLayout.mono, .stereo, .surround51] {
        for bitRate in [Int.min, -1, 0, 1, 8000, 24000, 64000, 320_000, 600_000, 1_000_000, .max] {
          let range = AACEncoder.bitRates(sampleRate: sampleRate, channelCount: layout.channelCount)
          let settings = Self.settings(.constant(bitRate), layout: layout, sampleRate: sampleRate)
          if range.contains(bitRate) {
            #expect(throws: Never.self) { try AACEncoder(settings) }
          } else {
            let error = #expect(throws: AACError.self) { try AACEncoder(settings) }
            #expect(error?.description.contains("possible are \(range.lowerBound)") == true)
          }
        }
      }
    }
  }

  /// Pieces as microphones give them: times go on by the count of samples, and the stream is the same.
  @Test(arguments: [441, 470, 480, 512]) func b086_shortBuffers(frames: Int) throws {
    let sound = Self.stereo(frames: 6000)
    let packets = try encode(sound, Self.settings(), chunk: frames)
    #expect(packets == (try encode(sound, Self.settings(), chunk: 6000)))
    let times = packets.map(\.presentationTime)
    #expect(zip(times.dropFirst(), times).allSatisfy { $0 - $1 == 1024 })
  }

  /// Pieces of changing sizes, empty ones among them; the caller's buffer is written over right after each call.
  @Test func b117_b112_b119_changingBuffers() throws {
    var random = SeededGenerator.printingSeed()
    let sound = Self.stereo(frames: 12000)
    let encoder = try AACEncoder(Self.settings())
    var packets: [Packet] = []
    var start = 0
    var piece = PCMBuffer(format: sound.format)
    while start < sound.frameCount {
      let count = min(random.flag() ? random.int(0...1) : random.int(0...3000), sound.frameCount - start)
      piece = PCMBuffer(
        format: sound.format, channels: sound.channels.map { Array($0[start..<start + count]) })
      packets += try encoder.encode(piece)
      for channel in 0..<2 { for frame in 0..<count { piece.channels[channel][frame] = .nan } }
      start += count
    }
    packets += try encoder.finish()
    #expect(packets == (try encode(sound, Self.settings(), chunk: 12000)))
  }

  /// Groups of excluded channels without end, as far as a fill element reaches.
  @Test func b101_excludedChannelsWithoutEnd() throws {
    for groups in [8, 9, 200] {
      var bits = BitWriter()
      bits.put(false)  // pce_tag_present
      bits.put(true)  // excluded_chns_present
      for group in 0..<groups {
        bits.put(127, 7)
        bits.put(group < groups - 1)
      }
      bits.put(false)
      bits.put(false)
      bits.put(false)
      bits.put(9, 7)
      bits.put(0, 16)
      var reader = BitReader(bits.bytes)
      let info = try DynamicRangeInfo(parsing: &reader)
      #expect(info.excludedChannels == 1 << 56 - 1 && info.gains[0] == 9)
    }
    // Without an end there is an error.
    var endless = BitReader([0x7F] + [UInt8](repeating: 0xFF, count: 500))
    #expect(throws: AACError.self) { try DynamicRangeInfo(parsing: &endless) }
  }

  /// Empty sections, one after another: bounded by the data, and no band is written outside.
  @Test(arguments: [false, true]) func b102_emptySections(thenTooLong: Bool) throws {
    var info = ICSInfo()
    info.maxBand = 49
    var bits = BitWriter()
    for _ in 0..<200 {
      bits.put(1, 4)
      bits.put(0, 5)
    }
    bits.put(3, 4)
    bits.put(31, 5)
    bits.put(thenTooLong ? 19 : 18, 5)
    bits.alignToByte()
    var codebooks = [UInt8](repeating: 7, count: 128)
    var reader = BitReader(bits.bytes)
    if thenTooLong {
      #expect(throws: AACError.self) { try SectionData.parse(&reader, info: info, into: &codebooks) }
    } else {
      try SectionData.parse(&reader, info: info, into: &codebooks)
      #expect(codebooks.prefix(49).allSatisfy { $0 == 3 })
    }
    #expect(codebooks.dropFirst(49).allSatisfy { $0 == 7 })
  }

  /// Made, used and dropped, again and again: nothing stays.
  @Test func b111_nothingStays() throws {
    let sound = Self.stereo(frames: 1500)
    weak var encoder: AACEncoder?
    weak var decoder: AACDecoder?
    func round() throws {
      let made = try AACEncoder(Self.settings())
      let reading = try AACDecoder(made.configuration)
      (encoder, decoder) = (made, reading)
      for packet in try made.encode(sound) + made.finish() { _ = try reading.decode(packet.data) }
      #expect(encoder != nil && decoder != nil)
    }
    for _ in 0..<5 {
      try round()
      #expect(encoder == nil && decoder == nil)
    }
  }

  /// A header in front of an access unit, and several access units in one, are mistakes that are told.
  @Test func b114_b115_wrongFraming() throws {
    let packets = try encode(Self.stereo(frames: 8000), Self.settings())
    let decoder = try AACDecoder(AACEncoder(Self.settings()).configuration)
    let size = packets[1].data.count + 7
    let header: [UInt8] = [
      0xFF, 0xF1, 0x50, 0x80 | UInt8(size >> 11), UInt8(size >> 3 & 255), UInt8(size << 5 & 0xE0) | 0x1F,
      0xFC,
    ]
    #expect(throws: AACError.self) { try decoder.decode(header + packets[1].data) }
    // Of several together the first is heard; in a stream whose access units ended with their data the rest is told.
    let blob = packets.prefix(8).flatMap(\.data)
    var output = PCMBuffer(format: decoder.format)
    for packet in packets + packets {
      #expect(decoder.decodeOrConceal(packet.data, into: &output).cause == nil)
    }
    #expect(decoder.decodeOrConceal(blob, into: &output).cause != nil)
    #expect(output.frameCount == 1024 && output.channels[0].contains { abs($0) > 0.01 })
    #expect(throws: Never.self) { try decoder.decode(packets[1].data) }
  }
}
