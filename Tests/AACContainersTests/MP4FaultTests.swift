import AAC
import PCM
import Testing

@testable import AACContainers

/// MP4 files of other writers, legal and otherwise. The numbers are those of the collected reports.
@Suite struct MP4FaultTests {
  static func maker(_ count: Int = 20, sizes: ClosedRange<Int> = 20...400) throws -> MP4Maker {
    let configuration = try TestStream.configuration()
    return MP4Maker(configuration, try TestStream.packets(count, configuration, sizes: sizes))
  }

  static func read(_ maker: MP4Maker) throws -> (reader: MP4Reader, packets: [Packet]) {
    let reader = try MP4Reader(MemorySource(maker.bytes))
    return (reader, try reader.all())
  }

  @Test("B139") func everyTableFormIsRead() throws {
    var maker = try Self.maker()
    let expected = maker.packets
    for order in [MP4Maker.Order.moovFirst, .moovLast] {
      for large in [false, true] {
        for chunk in [1, 3, 7, 20, 100] {
          maker.order = order
          maker.largeOffsets = large
          maker.largeMdat = large
          maker.samplesPerChunk = chunk
          let (reader, packets) = try Self.read(maker)
          #expect(packets.map(\.data) == expected, "\(order) \(large) \(chunk)")
          #expect(reader.warnings.count == 0)
        }
      }
    }
    maker.order = .moovFirst
    maker.openMdat = true
    #expect(try Self.read(maker).packets.map(\.data) == expected)
  }

  @Test func everySizeTableIsRead() throws {
    for (table, sizes) in [
      (MP4Maker.SizeTable.stz2(4), 14...14), (.stz2(8), 20...200), (.stz2(16), 20...900),
    ] {
      var maker = try Self.maker(21, sizes: sizes)
      if case .stz2(4) = table { maker.packets = maker.packets.map { Array($0.prefix(13)) } }
      maker.sizeTable = table
      #expect(try Self.read(maker).packets.map(\.data) == maker.packets, "\(table)")
    }
    var maker = try Self.maker(21, sizes: 100...100)
    maker.sizeTable = .constant(maker.packets[0].count)
    #expect(try Self.read(maker).packets.map(\.data) == maker.packets)
  }

  @Test(arguments: 1...4)
  func esdsLengthsOfEveryForm(lengthBytes: Int) throws {
    var maker = try Self.maker()
    maker.esds = MP4Maker.esds(maker.configuration.bytes, lengthBytes: lengthBytes)
    let (reader, packets) = try Self.read(maker)
    #expect(reader.info.configuration == maker.configuration)
    #expect(packets.map(\.data) == maker.packets)
  }

  @Test func esdsLengthOfFiveBytesIsRefused() throws {
    var maker = try Self.maker()
    maker.esds = MP4Maker.esds(maker.configuration.bytes, lengthBytes: 5)
    let error = containerError { _ = try Self.read(maker) }
    guard case .malformed = error?.reason else {
      Issue.record("got \(String(describing: error))")
      return
    }
  }

  @Test("B012") func b012_reservedBitOfEsdsMayBeZero() throws {
    var maker = try Self.maker()
    maker.esds = MP4Maker.esds(maker.configuration.bytes, lengthBytes: 4, reservedBit: 0)
    #expect(try Self.read(maker).packets.map(\.data) == maker.packets)
  }

  @Test func esdsWithEveryOptionalField() throws {
    var maker = try Self.maker()
    let flags: [UInt8] = [0xE0, 0, 1, 3, 0x61, 0x62, 0x63, 0, 2]
    maker.esds = MP4Maker.esds(maker.configuration.bytes, lengthBytes: 2, flags: flags)
    #expect(try Self.read(maker).packets.map(\.data) == maker.packets)
  }

  @Test func mpeg2ObjectTypes() throws {
    var maker = try Self.maker()
    maker.esds = MP4Maker.esds(maker.configuration.bytes, lengthBytes: 1, objectType: 0x67)
    let (reader, _) = try Self.read(maker)
    #expect(reader.info.isMPEG2)
    #expect(reader.info.configuration == maker.configuration)
    // Without a configuration the description has to do.
    maker.esds = MP4Maker.esds([], lengthBytes: 1, objectType: 0x67)
    let (second, _) = try Self.read(maker)
    #expect(second.info.configuration.objectType == .lowComplexity)
    #expect(second.info.configuration.elements.layout == .stereo)
    #expect(second.warnings.count == 1)
  }

  @Test(arguments: [0, 1, 2], [false, true])
  func quickTimeDescriptions(version: Int, inWave: Bool) throws {
    var maker = try Self.maker()
    maker.entryVersion = version
    maker.inWave = inWave
    let (reader, packets) = try Self.read(maker)
    #expect(reader.info.configuration == maker.configuration)
    #expect(packets.map(\.data) == maker.packets)
  }

  @Test func otherCodecsAreNamed() throws {
    for (type, name) in [
      ("enca", "encrypted"), ("alac", "Apple Lossless"), ("ac-3", "Dolby"), ("Opus", "Opus"),
      (".mp3", "MP3"), ("sowt", "uncompressed"), ("zzzz", "zzzz"),
    ] as [(FourCC, String)] {
      var maker = try Self.maker()
      maker.entryType = type
      let error = containerError { _ = try Self.read(maker) }
      #expect(error?.description.contains(name) == true, "\(type): \(String(describing: error))")
    }
    for (type, name) in [(0x6B, "MP3"), (0x69, "MP3"), (0xA5, "Dolby"), (0xDD, "another company")] {
      var maker = try Self.maker()
      maker.esds = MP4Maker.esds([], lengthBytes: 1, objectType: UInt8(type))
      let error = containerError { _ = try Self.read(maker) }
      #expect(error?.description.contains(name) == true, "\(type): \(String(describing: error))")
    }
    var maker = try Self.maker()
    maker.handler = "vide"
    #expect(containerError { _ = try Self.read(maker) }?.description.contains("without sound") == true)
  }

  @Test("B006") func b006_programConfigInConfiguration() throws {
    for layout in [
      ChannelLayout.mono, .stereo, ChannelLayout([.frontLeft, .frontRight, .lowFrequency]), .quad,
      .surround71,
    ] {
      var configuration = try TestStream.configuration()
      configuration.channelConfiguration = 0
      configuration.programConfig = ProgramConfig(layout: layout, samplingRateIndex: 4)
      let maker = MP4Maker(configuration, try TestStream.packets(3, configuration))
      let (reader, _) = try Self.read(maker)
      #expect(reader.info.configuration.elements.layout == layout)
    }
  }

  @Test("B008") func b008_configuration7IsEightChannels() throws {
    for (number, count) in [
      (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 8), (11, 7), (12, 8), (14, 8),
    ] {
      var configuration = try TestStream.configuration()
      configuration.channelConfiguration = number
      let maker = MP4Maker(configuration, try TestStream.packets(2, configuration))
      #expect(try Self.read(maker).reader.info.configuration.elements.layout.channelCount == count)
      guard number < 8 else { continue }
      let bytes = try adts(TestStream.packets(2, configuration), configuration)
      let reader = try ADTSReader(MemorySource(bytes))
      #expect(reader.info.configuration.elements.layout.channelCount == count)
    }
  }

  @Test("B104", arguments: ["stsz", "stz2", "stco", "co64", "stsc", "stts", "elst"])
  func b104_hugeCountsInATinyFile(table: String) throws {
    var maker = try Self.maker(3, sizes: 20...30)
    let type = FourCC(stringLiteral: table)
    let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    if table == "stz2" { maker.sizeTable = .stz2(16) }
    maker.largeOffsets = table == "co64"
    let prefix: [UInt8] =
      table == "stsz"
      ? [0, 0, 0, 0, 0, 0, 0, 0] : table == "stz2" ? [0, 0, 0, 0, 0, 0, 0, 16] : [0, 0, 0, 0]
    maker.replacedTables[type] = prefix + huge
    if table == "elst" { maker.edits = [(1, 0)] }
    var bytes = maker.bytes
    if table == "elst" {
      let place = try #require(bytes.firstRange(of: Array("elst".utf8))).lowerBound
      bytes.replaceSubrange(place + 8..<place + 12, with: huge)
    }
    let error = containerError { _ = try MP4Reader(MemorySource(bytes)).all() }
    guard case .malformed = error?.reason else {
      Issue.record("got \(String(describing: error))")
      return
    }
    #expect(error?.byteOffset != nil)
  }

  @Test("B104") func b104_constantSizeOfMoreThanTheFile() throws {
    var maker = try Self.maker(3)
    maker.replacedTables["stsz"] = [0, 0, 0, 0, 0, 0, 0, 9, 0xFF, 0xFF, 0xFF, 0xFF]
    let error = containerError { _ = try Self.read(maker) }
    guard case .malformed = error?.reason else {
      Issue.record("got \(String(describing: error))")
      return
    }
  }

  @Test func emptyRunsOfChunks() throws {
    var maker = try Self.maker(4, sizes: 30...30)
    // Chunk 1 holds nothing, chunks 2 and 3 two samples each.
    maker.replacedTables["stsc"] = [
      0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1,
    ]
    maker.samplesPerChunk = 2
    let error = containerError { _ = try Self.read(maker) }
    // Only two chunks are there: two samples are found, then the table is short.
    guard case .malformed(let text) = error?.reason else {
      Issue.record("got \(String(describing: error))")
      return
    }
    #expect(text.contains("2 of 4"))
    maker.replacedTables["stsc"] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]
    #expect(containerError { _ = try Self.read(maker) } != nil)
    maker.replacedTables["stsc"] = [0, 0, 0, 0, 0, 0, 0, 0]
    #expect(containerError { _ = try Self.read(maker) } != nil)
  }

  @Test func truncatedSoundGivesWholePacketsThenAnError() throws {
    let maker = try Self.maker(20)
    let bytes = maker.bytes
    let keep = bytes.count - maker.packets[19].count - maker.packets[18].count / 2
    let reader = try MP4Reader(MemorySource(Array(bytes.prefix(keep))))
    var packets: [[UInt8]] = []
    let error = containerError { while let packet = try reader.nextPacket() { packets.append(packet.data) } }
    #expect(packets == Array(maker.packets.prefix(18)))
    #expect(error?.reason == .truncated("the file, in the access unit 19 of 20,"))
    #expect(error?.byteOffset == Int64(keep))
    #expect(try reader.nextPacket() == nil)
  }

  @Test func missingTablesAreExplained() throws {
    var sound = ByteBuilder()
    sound.box("ftyp") { $0.fourCC("M4A ") }
    sound.box("mdat") { $0.zeros(100) }
    let error = containerError { _ = try MP4Reader(MemorySource(sound.bytes)) }
    #expect(error?.description.contains("never finished") == true)
  }

  @Test("B114, B132") func framedPacketsAreRefusedByWriters() throws {
    let configuration = try TestStream.configuration()
    let framed = try adts(TestStream.packets(1, configuration), configuration)
    let packet = Packet(data: framed, presentationTime: 0, duration: 1024)
    let writers: [any PacketWriter] = [
      try M4AWriter(MemorySink(), configuration: configuration),
      try FragmentedMP4Writer(MemorySink(), configuration: configuration),
      try ADTSWriter(MemorySink(), configuration: configuration),
      try ADIFWriter(MemorySink(), configuration: configuration),
      try RawWriter(MemorySink(), sidecar: MemorySink(), configuration: configuration),
    ]
    for writer in writers {
      let error = containerError { try writer.write(packet) }
      #expect(error?.description.contains("ADTS header") == true, "\(type(of: writer))")
    }
  }

  @Test("B114, B132") func framedSamplesAreReadWithAWarning() throws {
    var maker = try Self.maker(5)
    let plain = maker.packets
    let configuration = maker.configuration
    maker.packets = try plain.map {
      try adts([Packet(data: $0, presentationTime: 0, duration: 1024)], configuration)
    }
    let (reader, packets) = try Self.read(maker)
    #expect(packets.map(\.data) == plain)
    #expect(reader.warnings.items.map(\.kind) == [.irregular])
  }

  @Test func plainMetaIsRead() throws {
    var maker = try Self.maker()
    maker.tags = Tags([("title", "T"), ("track", "2")])
    maker.plainMeta = true
    #expect(try Self.read(maker).reader.info.tags == maker.tags)
  }

  @Test func damagedTagsDoNotKeepTheSoundAway() throws {
    var maker = try Self.maker()
    maker.tags = Tags([("title", "T")])
    maker.order = .moovLast
    var bytes = maker.bytes
    let place = try #require(
      bytes.firstRange(of: Array("data".utf8), after: maker.packets.flatMap { $0 }.count))
    bytes[place - 3] = 0xFF
    let reader = try MP4Reader(MemorySource(bytes))
    #expect(try reader.all().map(\.data) == maker.packets)
    #expect(reader.warnings.count == 1)
  }

  /// Only in a loose sense legal, but made by widespread tools.
  @Test func leadingID3IsPassedOver() throws {
    var maker = try Self.maker()
    let expected = maker.packets
    let tag: [UInt8] = Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, 5, 1, 2, 3, 4, 5]
    maker.leadingBoxes = tag
    let source = MemorySource(maker.bytes)
    #expect(try Probe.detect(source) == .m4a)
    #expect(try MP4Reader(source).all().map(\.data) == expected)
  }
}

extension [UInt8] {
  /// Place of `pattern` behind `start`.
  func firstRange(of pattern: [UInt8], after start: Int) -> Int? {
    guard count >= pattern.count else { return nil }
    return (start...count - pattern.count).first { self[$0..<$0 + pattern.count].elementsEqual(pattern) }
  }
}
