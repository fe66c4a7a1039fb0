import AAC
import PCM
import Testing

@testable import AACContainers

/// Damaged and unusual LOAS.
@Suite struct LOASFaultTests {
  struct Stream {
    var configuration: AudioSpecificConfig
    var packets: [[UInt8]]
    var bytes: [UInt8]
    /// Place of each frame.
    var places: [Int]
  }

  static func stream(_ count: Int = 100, sizes: ClosedRange<Int> = 60...200) throws -> Stream {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(count, configuration, sizes: sizes)
    let bytes = try loas(packets, configuration)
    var places: [Int] = []
    var place = 0
    while place < bytes.count {
      places.append(place)
      place += 3 + (Int(bytes[place + 1] & 0x1F) << 8 | Int(bytes[place + 2]))
    }
    return Stream(
      configuration: configuration, packets: packets.map(\.data), bytes: bytes, places: places)
  }

  static func read(_ bytes: [UInt8]) throws -> (reader: LOASReader, packets: [[UInt8]]) {
    let reader = try LOASReader(MemorySource(bytes))
    return (reader, try reader.all().map(\.data))
  }

  static func noise(_ count: Int, seed: UInt64 = 4) -> [UInt8] {
    var random = SplitMix(seed)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  @Test func junkAndTagsArePassedOver() throws {
    let stream = try Self.stream()
    let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 5, 1, 2, 3, 4, 5]
    let (tagged, packets) = try Self.read(tag + stream.bytes)
    #expect(packets == stream.packets)
    #expect(tagged.warnings.count == 0)
    let inner = stream.places[50]
    let (reader, some) = try Self.read(
      Self.noise(5000) + stream.bytes[..<inner] + tag + stream.bytes[inner...])
    #expect(some == stream.packets)
    #expect(reader.warnings.items.map(\.kind) == [.junk])
    #expect(try Probe.identify(MemorySource(Self.noise(5000) + stream.bytes)) == .container(.loas))
    // A long hole is a break.
    let (broken, rest) = try Self.read(stream.bytes[..<inner] + Self.noise(3000) + stream.bytes[inner...])
    #expect(rest == stream.packets)
    #expect(broken.warnings.items.map(\.kind) == [.junk])
  }

  /// Two frames are overwritten: as many empty packets keep the time.
  @Test func overwrittenFramesAreCounted() throws {
    let stream = try Self.stream(sizes: 100...110)
    var bytes = stream.bytes
    for place in stream.places[30]..<stream.places[32] { bytes[place] = 0 }
    let (reader, packets) = try Self.read(bytes)
    var expected = stream.packets
    expected[30] = []
    expected[31] = []
    #expect(packets == expected)
    #expect(reader.warnings.items.map(\.kind) == [.lost])
    #expect(reader.warnings.items.first?.byteOffset == Int64(stream.places[30]))
  }

  @Test func wrongLengthsAreGotOver() throws {
    let stream = try Self.stream()
    for (index, change) in [(10, 1), (20, 8), (30, 0x40)] {
      var bytes = stream.bytes
      bytes[stream.places[index] + 2] ^= UInt8(change)
      let (reader, packets) = try Self.read(bytes)
      #expect(packets.count >= 99)
      #expect(Array(packets.prefix(index)) == Array(stream.packets.prefix(index)))
      #expect(packets.suffix(50) == stream.packets.suffix(50))
      #expect(reader.warnings.count > 0)
    }
  }

  /// The length inside of an element is wrong: too long is a lost packet, too short is remarked.
  @Test func wrongPayloadLengths() throws {
    let stream = try Self.stream(sizes: 100...110)
    var bytes = stream.bytes
    // useSameStreamMux, then eight bits of length.
    bytes[stream.places[40] + 3] |= 0x40
    let (reader, packets) = try Self.read(bytes)
    var expected = stream.packets
    expected[40] = []
    #expect(packets == expected)
    #expect(reader.warnings.items.map(\.kind) == [.lost])
    bytes = stream.bytes
    bytes[stream.places[40] + 3] &= 0x87
    let (other, shorter) = try Self.read(bytes)
    #expect(shorter.count == 100)
    #expect(shorter[41...] == stream.packets[41...])
    #expect(other.warnings.items.map(\.kind) == [.irregular])
  }

  /// A flipped first bit looks like a configuration.
  @Test func falseConfigurationsDoNotCount() throws {
    let stream = try Self.stream()
    for index in [5, 25, 45, 77] {
      var bytes = stream.bytes
      bytes[stream.places[index] + 3] &= 0x7F
      let (reader, packets) = try Self.read(bytes)
      var expected = stream.packets
      expected[index] = []
      #expect(packets == expected)
      #expect(reader.configurationChanges == 0)
      #expect(reader.info.configuration == stream.configuration)
    }
  }

  /// One wrong bit in a configuration that is told again.
  @Test func wrongBitsInConfigurations() throws {
    let stream = try Self.stream(60)
    var changed = 0
    for bit in 0..<44 {
      var bytes = stream.bytes
      // Frames 0, 21 and 42 have it; the flag in front stays.
      bytes[stream.places[21] + 3 + (bit + 1) / 8] ^= 0x80 >> UInt8((bit + 1) % 8)
      let (reader, packets) = try Self.read(bytes)
      #expect((59...60).contains(packets.count), "bit \(bit)")
      #expect(packets.suffix(38) == stream.packets.suffix(38), "bit \(bit)")
      #expect(reader.info.configuration == stream.configuration, "bit \(bit)")
      if reader.configurationChanges > 0 { changed += 1 }
    }
    // The sampling rate, the frame length and the delay of a core coder cannot be told from right ones in units of silence.
    #expect(changed <= 8, "\(changed)")
  }

  /// A configuration in a frame that it does not fill is none.
  @Test func configurationsFillTheirFrames() throws {
    let stream = try Self.stream(40)
    let mono = try TestStream.configuration(rate: 48000, layout: .mono)
    var other = try loas(try TestStream.packets(1, mono, sizes: 60...60), mono)
    for extra in [0, 7] {
      other += [UInt8](repeating: 0x33, count: extra)
      other[2] &+= UInt8(extra)
      let bytes = stream.bytes[..<stream.places[10]] + other + stream.bytes[stream.places[10]...]
      let (reader, packets) = try Self.read(Array(bytes))
      #expect(packets.count == 41)
      #expect(packets[10].isEmpty == (extra > 0))
      // The stream's own configuration comes again later only.
      #expect(reader.configurationChanges == (extra > 0 ? 0 : 2))
    }
  }

  /// A configuration of which the last bits are not there yet.
  @Test func configurationsComeInParts() throws {
    for configuration in try LOASTests.configurations() {
      let config = StreamMuxConfig(configuration)
      var writer = BitWriter()
      config.write(to: &writer)
      let count = writer.bitCount
      writer.alignToByte()
      for length in 0..<writer.bytes.count {
        for offset in 0..<8 where 8 * length - offset < count {
          var shifted = BitWriter()
          shifted.put(0, offset)
          shifted.put(bits: 8 * length - offset, of: writer.bytes)
          shifted.alignToByte()
          guard 8 * length > offset else { continue }
          var bits = BitReader(shifted.bytes)
          try bits.skip(offset)
          do {
            _ = try StreamMuxConfig(parsing: &bits)
            Issue.record("\(length) bytes and \(offset) bits suffice")
          } catch {
            guard case .truncated = error.reason else {
              Issue.record("\(error)")
              continue
            }
          }
        }
      }
    }
  }

  @Test func cutOffEnds() throws {
    let stream = try Self.stream(20)
    for missing in [1, 30, stream.bytes.count - stream.places[19] - 4] {
      let (reader, packets) = try Self.read(Array(stream.bytes.dropLast(missing)))
      #expect(packets == Array(stream.packets.prefix(19)))
      #expect(reader.warnings.items.map(\.kind) == [.cutOff])
    }
    var options = LOASWriter.Options()
    options.hasSync = false
    let packets = try TestStream.packets(20, stream.configuration)
    let bytes = try loas(packets, stream.configuration, options: options)
    let reader = try LATMReader(MemorySource(Array(bytes.dropLast(3))))
    #expect(try reader.all().map(\.data) == packets.prefix(19).map(\.data))
    #expect(reader.warnings.items.map(\.kind) == [.cutOff])
  }

  @Test func oneFrameAlone() throws {
    let stream = try Self.stream(1)
    #expect(try Self.read(stream.bytes).packets == stream.packets)
    #expect(try Probe.identify(MemorySource(stream.bytes)) == .container(.loas))
  }

  /// Frames around elements that are written bit by bit.
  private static func framed(_ element: (inout BitWriter) -> Void) -> [UInt8] {
    var bits = BitWriter()
    element(&bits)
    bits.alignToByte()
    let count = bits.bytes.count
    let frame = [0x56, 0xE0 | UInt8(count >> 8), UInt8(count & 0xFF)] + bits.bytes
    return Array(repeatElement(frame, count: 6).joined())
  }

  @Test func whatIsNotReadIsNamed() throws {
    let cases: [([UInt8], String)] = [
      (
        Self.framed {
          $0.put(0b011, 3)
          $0.put(bits: 400, of: [])
        }, "audioMuxVersionA 1"
      ),
      (
        Self.framed {
          $0.put(0b00_1, 3)
          $0.put(0, 6 + 4 + 3)
          $0.put(bits: 16, of: [0x12, 0x10])
          $0.put(4, 3)
          $0.put(0, 30)
        }, "speech"
      ),
      (
        Self.framed {
          $0.put(0b00_1, 3)
          $0.put(0, 6 + 4 + 3)
          $0.put(bits: 16, of: [0x42, 0x10])
          $0.put(bits: 64, of: [])
        }, "CELP"
      ),
    ]
    for (bytes, name) in cases {
      #expect(try Probe.identify(MemorySource(bytes)) == .container(.loas))
      let error = containerError { _ = try openPacketReader(MemorySource(bytes)) }
      #expect(error?.description.contains(name) == true, "\(String(describing: error))")
    }
    let untold = Self.framed {
      $0.put(1, 1)
      $0.put(0, 31)
    }
    let error = containerError { _ = try LOASReader(MemorySource(untold)) }
    #expect(error?.description.contains("no LOAS frame tells the configuration") == true)
  }

  /// In the middle of a stream, what is not read is one error, and then what can be read goes on.
  @Test func unreadPartsInTheMiddle() throws {
    let stream = try Self.stream(30)
    let speech = Self.framed {
      $0.put(0b00_1, 3)
      $0.put(0, 6 + 4 + 3)
      $0.put(bits: 16, of: [0x42, 0x10])
      $0.put(bits: 64, of: [])
    }
    let reader = try LOASReader(MemorySource(stream.bytes + speech + stream.bytes))
    var packets: [[UInt8]] = []
    var errors: [ContainerError] = []
    while errors.count < 10 {
      do {
        guard let packet = try reader.nextPacket() else { break }
        packets.append(packet.data)
      } catch {
        errors.append(error)
      }
    }
    #expect(errors.count == 1)
    #expect(errors.first?.advice == .readOn)
    #expect(packets.filter { !$0.isEmpty } == stream.packets + stream.packets)
  }

  @Test func noiseIsRefused() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed)
    for _ in 0..<300 {
      let bytes = Self.noise(random.below(4000), seed: random.next())
      if (try? LOASReader(MemorySource(bytes))) != nil { Issue.record("seed \(seed)") }
      #expect(try Probe.identify(MemorySource(bytes)) != .container(.loas), "seed \(seed)")
    }
  }

  @Test func damagedStreams() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed)
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(12, configuration, sizes: 10...40)
    var several = LOASWriter.Options()
    several.unitsPerElement = 3
    several.version = 1
    several.configInterval = 1
    var bare = LOASWriter.Options()
    bare.hasSync = false
    bare.configInterval = 3
    var chunks = MultiplexMaker(try LOASTests.anyConfig(&random, timeFraming: false))
    let files = [
      try loas(packets, configuration), try loas(packets, configuration, options: several),
      try loas(packets, try LOASTests.configurations()[4]),
      try loas(packets, configuration, options: bare), chunks.element(tellsConfig: true, &random),
    ]
    for round in 0..<400 {
      for (index, file) in files.enumerated() {
        let bytes = MutationTests.damage(file, &random)
        let note = "seed \(seed), round \(round), file \(index)"
        MutationTests.drain(bytes, note: note) { try LOASReader($0) }
        MutationTests.drain(bytes, note: note) { try LATMReader($0) }
        MutationTests.drain(bytes, note: note) { try openPacketReader($0) }
      }
    }
  }
}
