import AAC
import Foundation
import PCM
import Testing

@testable import AACContainers

@Suite struct TransportStreamTests {
  static func units(_ count: Int = 60, sizes: ClosedRange<Int> = 30...300) throws -> (
    packets: [[UInt8]], adts: [UInt8], loas: [UInt8]
  ) {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(count, configuration, sizes: sizes)
    return (packets.map(\.data), try adts(packets, configuration), try loas(packets, configuration))
  }

  static func read(_ bytes: [UInt8]) throws -> (reader: TransportStreamReader, packets: [[UInt8]]) {
    let reader = try TransportStreamReader(MemorySource(bytes))
    return (reader, try reader.all().map(\.data))
  }

  @Test(arguments: [188, 192, 204], [0x0F, 0x11]) func everyPacketSize(stride: Int, type: Int) throws {
    let (units, adts, loas) = try Self.units()
    for (size, stuffing, tellsLength) in [
      (700, 0, true), (1000, 176, false), (180, 0, true), (50, 183, true),
    ] {
      var maker = TransportStreamMaker([.init(pid: 0x200, type: 0x1B), .init(pid: 0x101, type: type)])
      maker.stride = stride
      maker.stuffing = stuffing
      maker.tellsLength = tellsLength
      maker.descriptorBytes = 400
      maker.fill(type == 0x0F ? adts : loas, size: size)
      #expect(try Probe.identify(MemorySource(maker.bytes)) == .container(.ts))
      let (reader, packets) = try Self.read(maker.bytes)
      #expect(packets == units)
      #expect(reader.warnings.items == [])
      #expect(reader.info.container == .ts)
      #expect(reader.innerContainer == (type == 0x0F ? .adts : .loas))
      #expect(reader.info.configuration == (try TestStream.configuration()))
      #expect(reader.info.packetCount == 60)
      #expect(try reader.survey()?.packetCount == 60)
      #expect(try openPacketReader(MemorySource(maker.bytes)).all().map(\.data) == units)
    }
  }

  @Test("B153") func b153_wrongStreamTypes() throws {
    let (units, adts, loas) = try Self.units()
    for (type, stream) in [(0x0F, loas), (0x11, adts)] {
      var maker = TransportStreamMaker([.init(pid: 0x101, type: type)])
      maker.fill(stream, size: 333)
      #expect(try Self.read(maker.bytes).packets == units)
    }
  }

  /// FFmpeg's Blu-ray mode calls AAC private data; so are subtitles.
  @Test func privateStreams() throws {
    let (units, adts, loas) = try Self.units()
    for stream in [adts, loas] {
      var maker = TransportStreamMaker([.init(pid: 0x200, type: 0x06), .init(pid: 0x101, type: 0x06)])
      maker.fill(stream, size: 333)
      let (reader, packets) = try Self.read(maker.bytes)
      #expect(packets == units)
      #expect(reader.warnings.items == [])
    }
  }

  @Test func startsAndEndsAnywhere() throws {
    let (units, adts, _) = try Self.units()
    var maker = TransportStreamMaker()
    maker.fill(adts, size: 600)
    for cut in [1, 100, 187, 188 * 20 + 77] {
      let (reader, packets) = try Self.read(Array(maker.bytes[cut...]))
      // The first PES packet may be lost, and what is in its frames.
      #expect(packets.count > 40)
      #expect(packets == Array(units.suffix(packets.count)))
      let kinds = Set(reader.warnings.items.map(\.kind))
      #expect(kinds.isSubset(of: [.junk]))
    }
    let (reader, packets) = try Self.read(Array(maker.bytes.dropLast(200)))
    #expect(packets == Array(units.prefix(packets.count)))
    #expect(reader.warnings.items.contains { $0.kind == .cutOff })
    // Something else in the middle.
    let middle = maker.bytes.count / 188 / 2 * 188
    let (broken, rest) = try Self.read(
      maker.bytes[..<middle] + LOASFaultTests.noise(1000) + maker.bytes[middle...])
    #expect(rest == units)
    #expect(broken.warnings.items.first?.kind == .junk)
    #expect(broken.warnings.items.first?.byteOffset == Int64(middle))
  }

  @Test func missingAndDoublePackets() throws {
    let (units, adts, _) = try Self.units(60, sizes: 300...400)
    var maker = TransportStreamMaker()
    maker.tables()
    let half = adts.count / 2
    maker.pes(Array(adts[..<half]))
    let last = Array(maker.bytes.suffix(188))
    let head = maker.bytes
    maker.pes(Array(adts[half...]))
    let tail = Array(maker.bytes[head.count...])
    // Sent twice.
    let (twice, packets) = try Self.read(head + last + tail)
    #expect(packets == units)
    #expect(twice.warnings.items == [])
    // Two are missing.
    let place = head.count - 188 * 30
    let (lossy, some) = try Self.read(head[..<place] + head[(place + 376)...] + tail)
    #expect(lossy.warnings.items.contains { $0.kind == .lost && $0.text.contains("2 or more transport") })
    #expect(lossy.warnings.items.first { $0.kind == .lost }?.byteOffset == Int64(place))
    #expect((57...62).contains(some.count))
    #expect(some.suffix(25) == units.suffix(25))
    // Marked as damaged.
    var marked = head
    marked[place + 1] |= 0x80
    let (damaged, others) = try Self.read(marked + tail)
    #expect(damaged.warnings.items.contains { $0.text.contains("marked as damaged") })
    #expect(others.suffix(25) == units.suffix(25))
    // A jump that is announced.
    var spliced = TransportStreamMaker()
    spliced.tables()
    spliced.put(pid: 0x101, [0, 0, 1, 0xC0, 0, 0, 0x80, 0, 0] + adts)
    spliced.skipCounts(5)
    spliced.put(pid: 0x101, [0, 0, 1, 0xC0, 0, 0, 0x80, 0, 0] + adts, discontinuous: true)
    let (announced, all) = try Self.read(spliced.bytes)
    #expect(all == units + units)
    #expect(announced.warnings.items == [])
  }

  @Test func whatIsNotReadIsNamed() throws {
    let (_, adts, _) = try Self.units()
    func error(_ change: (inout TransportStreamMaker) -> Void) -> String {
      var maker = TransportStreamMaker()
      change(&maker)
      return containerError { _ = try openPacketReader(MemorySource(maker.bytes)).all() }?.description ?? ""
    }
    #expect(
      error {
        $0.streams = [.init(pid: 0x101, type: 0xCF)]
        $0.fill(adts, size: 300)
      }.contains("SAMPLE-AES"))
    let other = error {
      $0.streams = [.init(pid: 0x101, type: 0x1B), .init(pid: 0x102, type: 0x81)]
      $0.fill(adts, size: 300)
    }
    #expect(other.contains("without AAC (H.264, AC-3)"))
    #expect(error { for _ in 0..<50 { $0.pes(adts) } }.contains("without a list of programs"))
    #expect(
      error {
        $0.breaksChecksum = true
        $0.fill(adts, size: 300)
      }.contains("without AAC"))
    let scrambled = error {
      $0.tables()
      for _ in 0..<4 { $0.put(pid: 0x101, [0, 0, 1, 0xC0, 0, 0, 0x80, 0, 0] + adts, control: 0x80) }
    }
    #expect(scrambled.contains("scrambled"))
    #expect(
      error {
        $0.tables()
        $0.pes(adts, scrambled: true)
      }.contains("scrambled"))
  }

  /// The time stamps jump: ahead, back, and over the end of their 33 bits.
  @Test func timeStampsAreCompared() throws {
    let configuration = try TestStream.configuration(rate: 48000)
    let packets = try TestStream.packets(60, configuration, sizes: 100...200)
    func warnings(_ time: (Int) -> Int64) throws -> [String] {
      var maker = TransportStreamMaker()
      maker.tables()
      for group in 0..<20 {
        let part = try adts(Array(packets[3 * group..<3 * group + 3]), configuration)
        maker.pes(part, timestamp: time(group) & 0x1_FFFF_FFFF)
      }
      let (reader, read) = try Self.read(maker.bytes)
      #expect(read == packets.map(\.data))
      #expect(reader.warnings.items.allSatisfy { $0.kind == .irregular })
      return reader.warnings.items.map(\.text)
    }
    #expect(try warnings { 1000 + Int64($0) * 5760 } == [])
    #expect(try warnings { 0x1_FFFF_0000 + Int64($0) * 5760 } == [])
    #expect(
      try warnings { Int64($0) * 5760 + ($0 >= 10 ? 9000 : 0) }
        == ["the time stamps jump 100 ms ahead: sound is missing"])
    #expect(
      try warnings { 900_000 + Int64($0) * 5760 - ($0 >= 10 ? 90000 : 0) }
        == ["the time stamps jump 1000 ms back"])
  }

  @Test func streamsMove() throws {
    let (units, adts, _) = try Self.units()
    var maker = TransportStreamMaker()
    maker.fill(adts, size: 500)
    maker.streams = [.init(pid: 0x155, type: 0x0F), .init(pid: 0x156, type: 0x0F)]
    maker.fill(adts, size: 500, pid: 0x155)
    let (reader, packets) = try Self.read(maker.bytes)
    #expect(packets == units + units)
    #expect(reader.warnings.items.map(\.kind) == [.irregular])
    #expect(reader.warnings.items.first?.text.contains("moves from PID 257 to PID 341") == true)
    var twin = TransportStreamMaker([.init(pid: 0x101, type: 0x0F), .init(pid: 0x102, type: 0x0F)])
    twin.fill(adts, size: 500)
    #expect(try Self.read(twin.bytes).reader.warnings.items.map(\.kind) == [.ignored])
  }

  @Test func configurationChangesInside() throws {
    let configuration = try TestStream.configuration()
    let mono = try TestStream.configuration(rate: 48000, layout: .mono)
    let packets = try TestStream.packets(30, configuration)
    let others = try TestStream.packets(30, mono)
    for stream in [
      try adts(packets, configuration) + adts(others, mono),
      try loas(packets, configuration) + loas(others, mono),
    ] {
      var maker = TransportStreamMaker()
      maker.fill(stream, size: 400)
      let (reader, read) = try Self.read(maker.bytes)
      #expect(read == packets.map(\.data) + others.map(\.data))
      #expect(reader.configurationChanges == 1)
      #expect(reader.info.configuration == mono)
    }
  }

  @Test func feedsAndPipes() throws {
    let (units, adts, loas) = try Self.units(40)
    for stream in [adts, loas] {
      var maker = TransportStreamMaker()
      maker.fill(stream, size: 400)
      let fed = try readInPieces(maker.bytes, seed: 9, most: 400) { try TransportStreamReader($0) }
      #expect(fed.map(\.data) == units)
      let pipe = try PipeEnds()
      let group = pipe.write(maker.bytes)
      let read = try openPacketReader(FileSource(descriptor: pipe.readEnd)).all()
      #expect(read.map(\.data) == units)
      group.wait()
      pipe.closeReadEnd()
    }
  }

  /// Much data in the stream that is no AAC: an error, not all of the memory.
  @Test func memoryIsBounded() throws {
    let (_, adts, _) = try Self.units(10)
    var maker = TransportStreamMaker()
    maker.tables()
    maker.pes(adts)
    let head = maker.bytes
    var filler = TransportStreamMaker()
    filler.setCount(head.count / 188 - 2)
    filler.tellsLength = false
    filler.pes([UInt8](repeating: 0, count: 184 * 16 - 11))
    let block = filler.bytes
    var bytes = head
    for _ in 0..<(9 << 20) / block.count { bytes += block }
    let reader = try TransportStreamReader(MemorySource(bytes))
    let error = containerError { _ = try reader.all() }
    #expect(error == nil || error?.description.contains("no AAC frame") == true)
    #expect(reader.warnings.count < 10_000)
  }

  @Test func damagedStreams() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed)
    let (_, adts, loas) = try Self.units(8, sizes: 30...60)
    var files: [[UInt8]] = []
    for (stream, stride) in [(adts, 188), (loas, 188), (adts, 192)] {
      var maker = TransportStreamMaker()
      maker.stride = stride
      maker.fill(stream, size: 100)
      files.append(maker.bytes)
    }
    for round in 0..<700 {
      for (index, file) in files.enumerated() {
        let bytes = MutationTests.damage(file, &random)
        let note = "seed \(seed), round \(round), file \(index)"
        MutationTests.drain(bytes, note: note) { try TransportStreamReader($0) }
        if round % 4 == 0 { MutationTests.drain(bytes, note: note) { try openPacketReader($0) } }
      }
    }
  }

  // MARK: Several streams

  /// One program with video, two streams of AAC, and AC-3.
  private static func multiplex() throws -> (bytes: [UInt8], streams: [[Packet]]) {
    let configuration = try TestStream.configuration()
    let streams = try [1, 2, 3].map {
      try TestStream.packets(30, configuration, seed: UInt64($0))
    }
    var maker = TransportStreamMaker([
      .init(pid: 0x110, type: 0x1B), .init(pid: 0x101, type: 0x0F), .init(pid: 0x102, type: 0x0F),
      .init(pid: 0x103, type: 0x81),
    ])
    maker.tables()
    for index in 0..<30 {
      if index == 15 { maker.tables() }
      for (number, pid) in [0x101, 0x102].enumerated() {
        maker.pes(try adts([streams[number][index]], configuration), pid: pid)
      }
    }
    return (maker.bytes, streams)
  }

  @Test func oneOfSeveralStreamsIsChosen() throws {
    let (bytes, streams) = try Self.multiplex()
    let usual = try TransportStreamReader(MemorySource(bytes))
    #expect(usual.info.track == 2)
    #expect(usual.info.tracks.map(\.id) == [0x110, 0x101, 0x102, 0x103])
    #expect(usual.info.tracks.map(\.codec) == ["H.264", "AAC", "AAC", "AC-3"])
    #expect(usual.info.tracks.map(\.kind) == [.video, .audio, .audio, .audio])
    #expect(usual.info.tracks.map(\.isReadable) == [false, true, true, false])
    #expect(try usual.all().map(\.data) == streams[0].map(\.data))
    for (number, stream) in [(2, 0), (3, 1)] {
      let reader = try openPacketReader(MemorySource(bytes), options: PacketReadingOptions(track: number))
      #expect(reader.info.track == number)
      #expect(try reader.survey()?.packetCount == 30)
      #expect(try reader.all().map(\.data) == streams[stream].map(\.data))
      #expect(reader.warnings.count == 0)
    }
    for number in [0, 1, 4, 5] {
      let error = containerError {
        _ = try openPacketReader(MemorySource(bytes), options: PacketReadingOptions(track: number))
      }
      guard case .noTrack(let text) = error?.reason else {
        Issue.record("\(number): got \(String(describing: error))")
        continue
      }
      #expect(text.contains("1 (H.264), 2 (AAC), 3 (AAC), 4 (AC-3)"), "\(text)")
    }
  }

  @Test func languagesInTheTables() throws {
    func map(_ descriptors: [UInt8]) -> [UInt8] {
      [2, 0xB0, 0, 0, 7, 0xC1, 0, 0, 0xE1, 1, 0xF0, 0, 0x0F, 0xE1, 1, 0xF0, UInt8(descriptors.count)]
        + descriptors
        + [0, 0, 0, 0]
    }
    let programs: [UInt8] = [0, 0xB0, 13, 0, 1, 0xC1, 0, 0, 0, 7, 0xE1, 0, 0, 0, 0, 0]
    for (descriptors, expected) in [
      ([0x0A, 4] + Array("deu".utf8) + [0], "deu"), ([0x52, 1, 9, 0x0A, 4] + Array("eng".utf8) + [0], "eng"),
      ([0x0A, 1, 0], nil), ([0x0A, 200, 0x64, 0x65], nil), ([0x0A, 4] + Array("und".utf8) + [0], nil),
      ([], nil),
      ([0x0A], nil),
    ] as [([UInt8], String?)] {
      var listing = StreamListing()
      listing.take(programs: programs)
      listing.take(map: map(descriptors))
      #expect(listing.tracks(read: nil).map(\.language) == [expected], "\(descriptors)")
    }
  }
}
