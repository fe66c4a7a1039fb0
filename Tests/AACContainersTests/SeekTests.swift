import AAC
import Testing

@testable import AACContainers

/// Going to a place by the tables, without reading what is between.
@Suite struct SeekTests {
  /// A source that counts the bytes that are read, and knows which.
  final class CountingSource: ByteSource {
    private let bytes: [UInt8]
    let isSeekable: Bool
    var length: Int64? { Int64(bytes.count) }
    private(set) var count: Int64 = 0
    private(set) var reads: [Range<Int64>] = []

    init(_ bytes: [UInt8], seekable: Bool = true) {
      self.bytes = bytes
      isSeekable = seekable
    }

    func forget() {
      count = 0
      reads = []
    }

    func read(
      at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>, atLeast minimum: Int
    ) throws(ContainerError) -> Int {
      let got = Int(max(0, min(Int64(range.count), Int64(bytes.count) - offset)))
      guard got > 0 else { return 0 }
      let start = Int(offset)
      buffer.replaceSubrange(range.lowerBound..<range.lowerBound + got, with: bytes[start..<start + got])
      count += Int64(got)
      reads.append(offset..<offset + Int64(got))
      return got
    }
  }

  private struct Shape: CustomTestStringConvertible {
    var testDescription: String
    var bytes: [UInt8]
    var packets: [Packet]
  }

  /// Files of every shape with the packets that reading from the start gives.
  private static func shapes() throws -> [Shape] {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(400, configuration, sizes: 20...300, priming: 2112, padding: 700)
    var shapes: [(String, [UInt8])] = [
      ("our M4A", try m4a(packets, configuration)),
      ("our fragments", try fragmented(packets, configuration)),
    ]
    for chunk in [1, 7, 400, 1000] {
      for large in [false, true] {
        var maker = MP4Maker(configuration, packets)
        maker.samplesPerChunk = chunk
        maker.largeOffsets = large
        maker.order = large ? .moovLast : .moovFirst
        maker.sizeTable = large ? .stz2(16) : .stsz
        maker.edits = [(100_000, 2112)]
        maker.times = large ? [(100, 1024), (299, 1024), (1, 324)] : []
        shapes.append(
          ("chunks of \(chunk), \(large ? "co64, stz2, tables behind" : "stco, stsz")", maker.bytes))
      }
    }
    return try shapes.map { name, bytes in
      Shape(testDescription: name, bytes: bytes, packets: try MP4Reader(MemorySource(bytes)).all())
    }
  }

  @Test func everyPlaceIsReached() throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    var random = SplitMix(seed)
    for shape in try Self.shapes() {
      #expect(shape.packets.count == 400)
      let reader = try MP4Reader(MemorySource(shape.bytes))
      // Forward, back, in front of the start, behind the end, again and again.
      var targets = [0, 399, 400, -1, 5, 6, 5, 1_000_000] + (0..<40).map { _ in random.below(400) }
      targets += [399, 0]
      for target in targets {
        let time = shape.packets[0].presentationTime + Int64(target) * 1024 + Int64(random.below(1024))
        let reached = try #require(try reader.seek(to: time))
        let index = min(max(0, target), 400)
        #expect(reached == Int64(index), "\(shape.testDescription), \(target), seed \(seed)")
        for place in index..<min(index + 3, 400) {
          #expect(
            try reader.nextPacket() == shape.packets[place],
            "\(shape.testDescription), \(place), seed \(seed)")
        }
        if index >= 398 { #expect(try reader.nextPacket() == nil) }
      }
      // What was counted in parts is what a whole walk counts.
      let whole = try MP4Reader(MemorySource(shape.bytes))
      _ = try whole.all()
      _ = try reader.all()
      #expect(reader.info == whole.info, "\(shape.testDescription)")
      #expect(reader.warnings == whole.warnings)
    }
  }

  /// Before anything was read, too.
  @Test func rightBehindOpening() throws {
    for shape in try Self.shapes() {
      let reader = try MP4Reader(MemorySource(shape.bytes))
      #expect(try reader.seek(to: 300 * 1024 + 5 - 2112) == 300)
      #expect(try reader.nextPacket() == shape.packets[300])
    }
  }

  /// The bytes that are read do not grow with the way.
  @Test(arguments: [false, true]) func theMiddleIsNotRead(inFragments: Bool) throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(6000, configuration, sizes: 500...900)
    let bytes = try inFragments ? fragmented(packets, configuration) : m4a(packets, configuration)
    #expect(bytes.count > 4_000_000)
    let source = CountingSource(bytes)
    let reader = try MP4Reader(source)
    _ = try reader.nextPacket()
    source.forget()
    #expect(try reader.seek(to: 5500 * 1024) == 5500)
    // In fragments their headers, a few hundred bytes for 43 packets; else parts of the tables.
    let limit = inFragments ? Int64(bytes.count) / 10 : 20_000
    #expect(source.count < limit, "\(source.count) of \(bytes.count)")
    source.forget()
    let packet = try #require(try reader.nextPacket())
    #expect(packet.data == packets[5500].data)
    #expect(source.count <= 1 << 17, "\(source.count)")
  }

  /// An index in front of fragments leads there without their headers.
  @Test func anIndexShortensTheWay() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(6000, configuration, sizes: 50...90)
    let bytes = try indexed(packets, configuration)
    var counts: [Int64] = []
    for name in ["sidx", "free"] {
      var bytes = bytes
      let place = try #require(bytes.firstRange(of: Array("sidx".utf8)))
      bytes.replaceSubrange(place, with: Array(name.utf8))
      let source = CountingSource(bytes)
      let reader = try MP4Reader(source)
      source.forget()
      #expect(try reader.seek(to: 5500 * 1024) == 5500)
      counts.append(source.count)
      #expect(try reader.nextPacket()?.data == packets[5500].data)
      #expect(try reader.seek(to: 100 * 1024) == 100)
      #expect(try reader.nextPacket()?.data == packets[100].data)
    }
    #expect(counts[0] < 20_000 && counts[1] > 100_000, "\(counts)")
  }

  @Test func pipesAndStreamsAreWalked() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(50, configuration)
    let pipe = try MP4Reader(CountingSource(fragmented(packets, configuration), seekable: false))
    #expect(try pipe.seek(to: 20_000) == nil)
    let stream = try ADTSReader(MemorySource(adts(packets, configuration)))
    #expect(try stream.seek(to: 20_000) == nil)
    #expect(try stream.all().map(\.data) == packets.map(\.data))
    #expect(try pipe.all().map(\.data) == packets.map(\.data))
  }

  /// What the tables say wrongly is found where it is, and the reader stays where it was.
  @Test func damagedTables() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(40, configuration, sizes: 30...40)
    var maker = MP4Maker(configuration, packets)
    // Ten samples in each of the two chunks, forty by the sizes.
    maker.samplesPerChunk = 20
    maker.replacedTables["stsc"] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 10, 0, 0, 0, 1]
    let reader = try MP4Reader(MemorySource(maker.bytes))
    #expect(try reader.seek(to: 15 * 1024) == 15)
    #expect(try reader.nextPacket()?.data.count == packets[15].data.count)
    #expect(try reader.seek(to: 30 * 1024) == 30)
    #expect(containerError { _ = try reader.nextPacket() } != nil)
    #expect(try reader.nextPacket() == nil)
    #expect(try reader.seek(to: 0) == 0)
    #expect(try reader.nextPacket()?.data == packets[0].data)
    // A sample that is larger than any.
    var sizes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 40]
    for _ in 0..<40 { sizes += [0, 0x20, 0, 0] }
    maker.replacedTables = ["stsz": sizes]
    let second = try MP4Reader(MemorySource(maker.bytes))
    #expect(containerError { _ = try second.seek(to: 35 * 1024) } != nil)
  }

  /// Chunks without samples, runs that begin nowhere, tables that say one thing twice: the place is that of the walk.
  @Test func strangeRunsOfChunks() throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    var random = SplitMix(seed)
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(60, configuration, sizes: 30...90)
    for round in 0..<200 {
      var maker = MP4Maker(configuration, packets)
      maker.samplesPerChunk = 3
      var runs: [UInt8] = []
      let count = 1 + random.below(6)
      var first = random.below(3)
      for _ in 0..<count {
        runs += [0, 0, 0, UInt8(first), 0, 0, 0, UInt8(random.below(6)), 0, 0, 0, 1]
        first += random.below(8) - 1
        first = max(0, first)
      }
      maker.replacedTables["stsc"] = [0, 0, 0, 0, 0, 0, 0, UInt8(count)] + runs
      var places: [Int64] = []
      let window = ByteWindow(MemorySource(maker.bytes))
      let opened = try MP4Opening(window)
      var walk = try #require(opened.table)
      _ = containerError { while let sample = try walk.next() { places.append(sample.offset) } }
      for (index, place) in places.enumerated() {
        var table = try #require(opened.table)
        try table.seek(to: index)
        #expect(try table.next()?.offset == place, "round \(round), sample \(index), seed \(seed)")
      }
    }
  }

  // ISO/IEC 14496-12, 10.1
  @Test func rollGroupsAreHonoured() throws {
    var maker = try MP4FaultTests.maker()
    let usual = maker.configuration.preRoll
    #expect(try MP4Reader(MemorySource(maker.bytes)).info.preRoll == usual)
    for (version, entries, expected) in [
      (1, [-1], usual), (1, [-1, -29, 3], 29), (0, [-40], 40), (1, [5], usual), (1, [-3000], 64),
    ] as [(Int, [Int], Int)] {
      var box = ByteBuilder()
      box.fullBox("sgpd", version: version) {
        $0.fourCC("roll")
        if version == 1 { $0.uint32(2) }
        $0.uint32(Int64(entries.count))
        for entry in entries { $0.uint16(entry & 0xFFFF) }
      }
      maker.tableBoxes = box.bytes
      #expect(try MP4Reader(MemorySource(maker.bytes)).info.preRoll == expected, "\(entries)")
    }
  }
}
