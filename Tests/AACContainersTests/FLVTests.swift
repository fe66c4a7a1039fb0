import AAC
import PCM
import Testing

@testable import AACContainers

@Suite struct FLVTests {
  /// A script, the configuration, then video and sound in turn.
  private static func stream(
    _ packets: [[UInt8]], _ configuration: AudioSpecificConfig, gap: Int = 0
  ) -> FLVMaker {
    var maker = FLVMaker()
    maker.tag(18, [2, 0, 10] + Array("onMetaData".utf8))
    maker.tag(9, [0x17, 0, 0, 0, 0])
    maker.configuration(configuration.bytes)
    for (index, packet) in packets.enumerated() {
      let time = index * 1024 * 1000 / 44100 + (index >= packets.count / 2 ? gap : 0)
      if index % 3 == 0 {
        maker.tag(9, [UInt8](repeating: UInt8(index & 0xFF), count: 1000 * index), time: time)
      }
      maker.unit(packet, time: time)
    }
    maker.unit([])
    return maker
  }

  private static func packets(_ count: Int = 20, seed: UInt64 = 1) throws -> [[UInt8]] {
    try TestStream.packets(count, TestStream.configuration(), seed: seed).map(\.data)
  }

  @Test func soundIsRead() throws {
    let configuration = try TestStream.configuration()
    let packets = try Self.packets()
    let bytes = Self.stream(packets, configuration).bytes
    #expect(try Probe.detect(MemorySource(bytes)) == .flv)
    for seekable in [true, false] {
      let pipe = FeedSource()
      pipe.feed(bytes)
      pipe.finish()
      let reader = try openPacketReader(seekable ? MemorySource(bytes) : pipe)
      #expect(reader.info.container == .flv)
      #expect(reader.info.configuration == configuration)
      let read = try reader.all()
      #expect(read.map(\.data) == packets)
      #expect(read.map(\.presentationTime) == (0..<20).map { Int64($0 * 1024) })
      #expect(reader.warnings.count == 0)
      #expect(reader.info.packetCount == 20)
      #expect(try reader.survey()?.packetCount == (seekable ? 20 : nil))
    }
  }

  @Test func feedingByteByByte() throws {
    let configuration = try TestStream.configuration()
    let packets = try Self.packets(6)
    let bytes = Self.stream(packets, configuration).bytes
    let source = FeedSource()
    var reader: FLVReader?
    var read: [[UInt8]] = []
    for byte in bytes {
      source.feed([byte])
      do {
        let present = try reader ?? FLVReader(source)
        reader = present
        while let packet = try present.nextPacket() { read.append(packet.data) }
      } catch let error as ContainerError {
        #expect(error.reason == .needsMoreData)
      }
    }
    source.finish()
    while let packet = try reader?.nextPacket() { read.append(packet.data) }
    #expect(read == packets)
    #expect(reader?.warnings.count == 0)
  }

  @Test func b148_configurationsChange() throws {
    let first = try TestStream.configuration()
    let second = try TestStream.configuration(rate: 32000, layout: .mono)
    let packets = try Self.packets(4)
    var maker = FLVMaker(headerLength: 13)
    maker.configuration([])  // of writers that do not know it yet
    maker.configuration(first.bytes)
    for packet in packets { maker.unit(packet) }
    maker.configuration(first.bytes)  // repeated by live servers
    maker.configuration([])
    maker.configuration(second.bytes)
    for packet in packets { maker.unit(packet) }
    let reader = try FLVReader(MemorySource(maker.bytes))
    #expect(try reader.all().count == 8)
    #expect(reader.configurationChanges == 1)
    #expect(reader.info.configuration == second)
    #expect(reader.info.timeRate == 32000)
  }

  @Test func gapsAreTold() throws {
    let bytes = Self.stream(try Self.packets(), try TestStream.configuration(), gap: 500).bytes
    let reader = try FLVReader(MemorySource(bytes))
    #expect(try reader.all().count == 20)
    #expect(reader.warnings.items.map(\.kind) == [.irregular])
    #expect(reader.warnings.items.first?.text.contains("500 ms ahead") == true)
  }

  @Test func damageCostsLittle() throws {
    let packets = try Self.packets()
    let maker = Self.stream(packets, try TestStream.configuration())
    var bytes = maker.bytes
    // Video, the last packet but one, the last one, the empty unit: the second gets a type that there is not.
    let places = Array(maker.places.suffix(4))
    bytes[places[1]] = 0xE9
    let reader = try FLVReader(MemorySource(bytes))
    #expect(try reader.all().map(\.data) == packets.prefix(18) + [packets[19]])
    #expect(reader.warnings.items.map(\.kind) == [.junk])
    #expect(reader.warnings.items.first?.byteOffset == Int64(places[1]))

    let cut = try FLVReader(MemorySource(Array(maker.bytes.prefix(places[0] + 15))))
    #expect(try cut.all().map(\.data) == Array(packets.prefix(18)))
    #expect(cut.warnings.items.map(\.kind) == [.cutOff])
    #expect(cut.info.packetCount == 18)
  }

  @Test func otherSoundIsNamed() throws {
    for (body, name) in [([0x2F, 1, 2], "MP3"), ([0xB2, 1], "Speex"), ([], "no sound")] as [([UInt8], String)]
    {
      var maker = FLVMaker()
      maker.tag(9, [0x17, 0])
      if !body.isEmpty { maker.tag(8, body) }
      let error = containerError { _ = try openPacketReader(MemorySource(maker.bytes)) }
      guard case .notAAC(let text) = error?.reason else {
        Issue.record("got \(String(describing: error))")
        continue
      }
      #expect(text.contains(name))
    }
    var encrypted = FLVMaker()
    encrypted.tag(8 | 0x20, [0xAF, 0, 0x12, 0x10])
    let error = containerError { _ = try FLVReader(MemorySource(encrypted.bytes)) }
    #expect(error?.reason == .unsupported("encrypted sound"))
  }

  @Test func mutationsAreSafe() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed)
    let good = Self.stream(try Self.packets(8), try TestStream.configuration()).bytes
    for _ in 0..<400 {
      var bytes = good
      for _ in 0...random.below(8) {
        bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
      }
      if random.below(4) == 0 { bytes.removeLast(random.below(bytes.count)) }
      var count = 0
      _ = containerError {
        let reader = try FLVReader(MemorySource(bytes))
        while try reader.nextPacket() != nil { count += 1 }
      }
      #expect(count <= 10, "seed \(seed)")
    }
  }

  /// Found by fuzzing: a tag that says 16 MB made a small file take as much memory.
  @Test func longTagsAreNotLoaded() throws {
    var bytes = Self.stream(try Self.packets(3), try TestStream.configuration()).bytes
    bytes += [9, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 40)
    let source = LargestRead(bytes)
    let reader = try FLVReader(source)
    var count = 0
    while try reader.nextPacket() != nil { count += 1 }
    #expect(count == 3)
    #expect(source.largest <= 1 << 16)
  }
}
