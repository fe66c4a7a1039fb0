import AAC
import PCM
import Testing

@testable import AACContainers

// MARK: Metadata

private struct UserData: Equatable {
  var tags: [Tags.Item] = []
  var artwork: [Artwork] = []
  var chapters: [Chapter] = []
  var gapless: GaplessInfo?
}

extension RoundTrip {
  private static func gapless(_ random: inout SplitMix) -> GaplessInfo {
    GaplessInfo(
      priming: Int(random.number(24)), padding: Int(random.number(24)), validFrames: Int64(random.number(48)))
  }

  private static func chapters(_ random: inout SplitMix) -> [Chapter] {
    Chapter.sorted(
      (0..<random.below(20)).map { _ in
        Chapter(start: Double(random.number(40)) / 1e7, title: TagTests.text(&random))
      })
  }

  static let metadata: [RoundTrip] = [
    RoundTrip(
      "iTunSMPB", any: { gapless(&$0) }, write: { Array($0.text.utf8) },
      read: { GaplessInfo(parsing: String(decoding: $0, as: UTF8.self)) }),
    RoundTrip(
      "chpl", any: { chapters(&$0) }, write: { value in built { ChapterList.write(value, to: &$0) } },
      read: { bytes in ChapterList.read(Array(bytes.dropFirst(8))) }),
    RoundTrip(
      "udta, meta, ilst",
      any: { random in
        var value = UserData()
        for key in Tags.Key.all + ["My Key", "org.example:Other"] where random.below(8) == 0 {
          value.tags.append(Tags.Item(key: key, value: TagTests.value(for: key, &random)))
        }
        for _ in 0..<random.below(3) {
          value.artwork.append(
            try Artwork(picture(random.below(2) == 0 ? .jpeg : .png, 20 + random.below(99))))
        }
        value.chapters = chapters(&random)
        if random.below(2) == 0 { value.gapless = gapless(&random) }
        return value
      },
      write: { value in
        var tags = Tags(value.tags.map { ($0.key, $0.value) })
        tags.artwork = value.artwork
        // An empty box in front: there may be nothing to write.
        return built {
          $0.box("moov") {
            MetadataItems.write(tags, gapless: value.gapless, chapters: value.chapters, to: &$0)
          }
        }
      },
      read: { bytes in
        let content = try movie(bytes).metadata
        return UserData(
          tags: content.tags.items, artwork: content.tags.artwork, chapters: content.chapters,
          gapless: content.gapless)
      }),
    RoundTrip(
      "time stamp in ID3 (PRIV)", any: { Int64($0.number(33)) }, write: { TransportTimestamp($0).tag },
      read: { TransportTimestamp(tag: $0)?.value }),
    RoundTrip(
      "text in JSON", any: { TagTests.text(&$0) }, write: { Array(JSONScanner.quoted($0).utf8) },
      read: { bytes in
        var scanner = JSONScanner(MemorySource(bytes))
        return try scanner.string()
      }),
    RoundTrip(
      "sidecar of raw access units",
      any: { random in
        // Rate, priming, padding, and the sizes.
        [1 + Int(random.number(24)), Int(random.number(10)), Int(random.number(10))]
          + (0..<1 + random.below(40)).map { _ in 1 + random.below(60) }
      },
      write: { value in
        let sidecar = MemorySink()
        let writer = try RawWriter(
          MemorySink(), sidecar: sidecar, configuration: TestStream.configuration(), timeRate: value[0])
        let sizes = value.dropFirst(3)
        for (index, size) in sizes.enumerated() {
          try writer.write(
            Packet(
              data: [UInt8](repeating: 1, count: size), presentationTime: 0, duration: 1024,
              priming: index == 0 ? value[1] : 0, padding: index == sizes.count - 1 ? value[2] : 0))
        }
        try writer.finish()
        return sidecar.bytes
      },
      read: { bytes in
        let sidecar = try RawSidecar(parsing: MemorySource(bytes))
        guard let offset = sidecar.sizesOffset, let count = sidecar.packetCount,
          sidecar.configurationBytes == (try TestStream.configuration().bytes)
        else { return nil }
        var scanner = JSONScanner(MemorySource(bytes), from: offset)
        var sizes: [Int] = []
        while sizes.count < Int(count) {
          sizes.append(Int(try scanner.integer(in: 1...100)))
          _ = try scanner.hasNext(before: "]")
        }
        return [sidecar.timeRate ?? 0, sidecar.priming, sidecar.padding] + sizes
      }),
  ]
}

// MARK: Streams

/// A configuration that begins at any bit.
private struct Placed: Equatable {
  var offset: Int
  var config: StreamMuxConfig
}

private struct Section: Equatable {
  var pid: Int
  var bytes: [UInt8]
}

extension RoundTrip {
  static let streams: [RoundTrip] = [
    RoundTrip(
      "ADTS header",
      any: { random in
        var header = ADTSHeader(
          samplingRateIndex: random.below(13), channelConfiguration: random.below(8),
          frameLength: 15 + random.below(8177))
        header.isMPEG2 = Bool.random(using: &random)
        header.hasChecksum = Bool.random(using: &random)
        header.profile = random.below(4)
        header.privateBit = Bool.random(using: &random)
        header.isOriginal = Bool.random(using: &random)
        header.home = Bool.random(using: &random)
        header.copyrightBit = Bool.random(using: &random)
        header.copyrightStart = Bool.random(using: &random)
        header.bufferFullness = random.below(0x800)
        header.blockCount = 1 + random.below(4)
        return header
      },
      write: { $0.bytes }, read: { try ADTSHeader(parsing: $0) }),
    RoundTrip(
      "ADIF header",
      any: { random in
        var header = ADIFHeader()
        if random.below(2) == 0 { header.copyrightID = random.bytes(9) }
        header.isOriginal = Bool.random(using: &random)
        header.home = Bool.random(using: &random)
        header.isVariableRate = Bool.random(using: &random)
        header.bitRate = random.below(1 << 23)
        if !header.isVariableRate { header.bufferFullness = random.below(1 << 20) }
        for _ in 0...random.below(4) {
          var program = try #require(ProgramConfig(layout: .surround51, samplingRateIndex: random.below(13)))
          program.comment = random.bytes(random.below(5))
          header.programs.append(program)
        }
        return header
      },
      write: { $0.bytes },
      read: { bytes in
        var length = 0
        let header = try ADIFHeader(parsing: bytes, byteCount: &length)
        return length == bytes.count ? header : nil
      }),
    RoundTrip(
      "LatmGetValue", any: { Int($0.number(32)) },
      write: { value in
        var bits = BitWriter()
        bits.put(latmValue: value)
        bits.alignToByte()
        return bits.bytes
      },
      read: { bytes in
        var bits = BitReader(bytes)
        return try bits.latmValue()
      }),
    RoundTrip(
      "StreamMuxConfig",
      any: { random in Placed(offset: random.below(8), config: try LOASTests.anyConfig(&random)) },
      write: { value in
        var bits = BitWriter()
        bits.put(value.offset, 8)
        bits.put(0, value.offset)
        value.config.write(to: &bits)
        bits.put(true)
        bits.alignToByte()
        return bits.bytes
      },
      read: { bytes in
        var bits = BitReader(bytes)
        let offset = try bits.uint(8)
        try bits.skip(offset)
        let config = try StreamMuxConfig(parsing: &bits)
        return try bits.flag() ? Placed(offset: offset, config: config) : nil
      }),
    RoundTrip(
      "section in transport packets",
      any: { random in
        let body = random.bytes(random.below(900))
        var section = [UInt8(random.below(255)), 0xB0 | UInt8((body.count + 4) >> 8)]
        section.append(UInt8(truncatingIfNeeded: body.count + 4))
        section += body
        section += built { $0.put(UInt64(SectionAssembler.checksum(section)), 4) }
        return Section(pid: random.below(0x2000), bytes: section)
      },
      write: { value in
        var packetizer = TransportPacketizer()
        var bytes: [UInt8] = []
        packetizer.put(section: value.bytes, pid: value.pid, to: &bytes)
        return bytes
      },
      read: { bytes in
        var assembler = SectionAssembler()
        var found: Section?
        for (packet, slice) in packets(bytes) {
          assembler.take(slice[packet.payload], startsUnit: packet.startsUnit) {
            found = Section(pid: packet.pid, bytes: $0)
          }
        }
        return found
      }),
    RoundTrip(
      "PAT, PMT",
      any: { _ in
        ProgramTable.Choice(pid: TransportTables.audioPID, program: TransportTables.program, type: 0x0F)
      },
      write: { _ in
        var packetizer = TransportPacketizer()
        var bytes: [UInt8] = []
        packetizer.put(section: TransportTables.association, pid: 0, to: &bytes)
        packetizer.put(section: TransportTables.map, pid: TransportTables.mapPID, to: &bytes)
        return bytes
      },
      read: { bytes in
        var table = ProgramTable()
        for (packet, slice) in packets(bytes) { table.take(packet, slice) }
        return table.choice
      }),
    RoundTrip(
      "PES header", any: { Int64($0.number(33)) },
      write: { value in
        let configuration = try TestStream.configuration()
        var options = TransportStreamWriter.Options()
        options.startTime = value
        let sink = MemorySink()
        let writer = try TransportStreamWriter(sink, configuration: configuration, options: options)
        for packet in try TestStream.packets(1, configuration) { try writer.write(packet) }
        try writer.finish()
        return sink.bytes
      },
      read: { bytes in
        var parser = PESParser()
        for (packet, slice) in packets(bytes) where packet.pid == TransportTables.audioPID {
          let part = parser.take(slice, packet.payload, startsUnit: packet.startsUnit)
          if let stamp = part.timestamp { return stamp }
        }
        return nil
      }),
  ]

  private static func packets(_ bytes: [UInt8]) -> [(packet: TransportPacket, bytes: [UInt8])] {
    stride(from: 0, to: bytes.count, by: TransportPacket.byteCount).compactMap { start in
      let slice = Array(bytes[start..<min(start + TransportPacket.byteCount, bytes.count)])
      return TransportPacket(slice).map { ($0, slice) }
    }
  }
}
