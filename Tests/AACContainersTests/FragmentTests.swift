import AAC
import Dispatch
import PCM
import Testing

@testable import AACContainers

@Suite struct FragmentTests {
  @Test(arguments: [0, 1, 42, 43, 44, 200], [(0, 0), (1024, 0), (2112, 100), (100, 1024), (0, 1500)])
  func packetsComeBack(count: Int, delay: (priming: Int, padding: Int)) throws {
    guard count == 0 || count > 4 || delay == (0, 0) else { return }
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(
      count, configuration, sizes: 20...100, priming: delay.priming, padding: delay.padding)
    let reader = try MP4Reader(MemorySource(fragmented(packets, configuration)))
    #expect(reader.info.container == .fmp4)
    if count > 0 { #expect(reader.info.priming == delay.priming) }
    let survey = try #require(try reader.survey())
    #expect(try reader.all() == packets)
    #expect(reader.info.packetCount == Int64(count))
    #expect(survey.packetCount == Int64(count))
    if count > 0 {
      let valid = Int64(count * 1024 - delay.priming - delay.padding)
      #expect(survey.validFrames == valid)
      #expect(reader.info.validFrames == valid)
      #expect(survey.padding == delay.padding)
    }
    #expect(reader.warnings.count == 0)
  }

  /// What is piped through is read the same, whatever the size of the pieces.
  @Test("B018, B123") func piecesOfAnySize() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(120, configuration, sizes: 20...300, priming: 1024, padding: 33)
    let bytes = try fragmented(packets, configuration)
    for (seed, most) in [(1, 100), (2, 2000), (3, 20_000)] as [(UInt64, Int)] {
      #expect(try readInPieces(bytes, seed: seed, most: most) { try MP4Reader($0) } == packets)
    }
  }

  @Test("B139") func m4aFromAPipe() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(120, configuration, sizes: 20...300, priming: 1024, padding: 33)
    #expect(
      try readInPieces(m4a(packets, configuration), seed: 4, most: 3000) { try MP4Reader($0) } == packets)
    // Tables at the end: what came before is kept, as far as it fits.
    var maker = MP4Maker(configuration, packets)
    maker.order = .moovLast
    #expect(
      try readInPieces(maker.bytes, seed: 5, most: 3000) { try MP4Reader($0) }.map(\.data)
        == packets.map(\.data))
  }

  @Test("B139") func tablesAtTheEndOfALongPipe() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(300, configuration, sizes: 500...600)
    var maker = MP4Maker(configuration, packets)
    maker.order = .moovLast
    let pipe = try PipeEnds()
    let bytes = maker.bytes
    let writing = pipe.write(bytes)
    let error = containerError {
      _ = try MP4Reader(FileSource(descriptor: pipe.readEnd, lookAheadLimit: 1 << 16))
    }
    pipe.closeReadEnd()
    writing.wait()
    guard case .needsSeeking(let text) = error?.reason else {
      Issue.record("got \(String(describing: error))")
      return
    }
    #expect(text.contains("moov"))
    #expect(error?.advice == .useAFile)
  }

  @Test func tagsComeBack() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(3, configuration)
    let tags = Tags([("title", "T"), ("encoder", "E")])
    let bytes = try fragmented(packets, configuration, options: .init(tags: tags))
    #expect(try MP4Reader(MemorySource(bytes)).info.tags == tags)
  }

  /// A recording that was cut short plays up to where it ends.
  @Test func cutAnywhere() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(60, configuration, sizes: 20...60)
    let bytes = try fragmented(packets, configuration, options: .init())
    let first = try #require(bytes.firstRange(of: Array("mdat".utf8), after: 0))
    for length in stride(from: first, to: bytes.count, by: 97) {
      let reader = try MP4Reader(MemorySource(Array(bytes.prefix(length))))
      var read: [[UInt8]] = []
      _ = containerError { while let packet = try reader.nextPacket() { read.append(packet.data) } }
      #expect(read == packets.prefix(read.count).map(\.data))
    }
  }

  /// No header of a fragment lies across two pages, whatever the sizes are.
  @Test func headersInPages() throws {
    let configuration = try TestStream.configuration()
    for seed in 0..<20 {
      let sizes = 20 + 7 * seed...60 + 31 * seed
      let packets = try TestStream.packets(200, configuration, sizes: sizes, priming: 1024, padding: 33)
      var options = FragmentedMP4Writer.Options()
      options.packetsPerFragment = 5 + seed
      options.keepsHeadersInPages = true
      let bytes = try fragmented(packets, configuration, options: options)
      #expect(try MP4Reader(MemorySource(bytes)).all() == packets)
      var place = 0
      var count = 0
      while place < bytes.count {
        let size = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        if bytes[place + 4..<place + 8].elementsEqual("moof".utf8) {
          count += 1
          #expect(place / 4096 == (place + size + 7) / 4096)
        }
        place += size
      }
      #expect(count == (200 + 4 + seed) / (5 + seed))
    }
  }

  /// Fragments in the other styles: base offsets, defaults for all, several runs, another track between.
  @Test("B140") func otherStyles() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(12, configuration, sizes: 50...50)
    let size = packets[0].data.count
    var maker = MP4Maker(configuration, [])
    maker.mvexForFragments = true
    for style in 0..<4 {
      var bytes = ByteBuilder()
      let whole = maker.bytes
      // The part up to `mdat`, which is empty.
      bytes.append(Array(whole.dropLast(8)))
      let moofStart = bytes.count
      func moof(_ builder: inout ByteBuilder, dataStart: Int) {
        builder.box("moof") {
          $0.fullBox("mfhd") { $0.uint32(1) }
          if style == 3 {
            $0.box("traf") {
              $0.fullBox("tfhd", flags: 0x10) {
                $0.uint32(9)
                $0.uint32(5)
              }
              $0.fullBox("trun", flags: 1) {
                $0.uint32(3)
                $0.uint32(Int64(dataStart - moofStart))
              }
            }
          }
          $0.box("traf") {
            let base = style == 0
            $0.fullBox("tfhd", flags: (base ? 1 : 0) | 0x10 | (style == 1 ? 0x2_0000 : 0)) {
              $0.uint32(1)
              if base { $0.uint64(Int64(dataStart)) }
              $0.uint32(Int64(size))
            }
            if style == 2 {
              // Two runs; the second goes on where the first ends. Entries have flags and offsets too.
              $0.fullBox("trun", flags: 1 | 0x400 | 0x800) {
                $0.uint32(5)
                $0.uint32(Int64(dataStart - moofStart))
                $0.zeros(40)
              }
              $0.fullBox("trun", flags: 4 | 0x200) {
                $0.uint32(7)
                $0.uint32(0)
                for _ in 0..<7 { $0.uint32(Int64(size)) }
              }
            } else {
              $0.fullBox("trun", flags: style == 1 ? 1 : 0) {
                $0.uint32(12)
                if style == 1 { $0.uint32(Int64(dataStart - moofStart)) }
              }
            }
          }
        }
      }
      var probe = ByteBuilder()
      moof(&probe, dataStart: 0)
      let dataStart = moofStart + probe.count + 8
      moof(&bytes, dataStart: dataStart)
      bytes.box("mdat") {
        if style == 3 { $0.zeros(15) }
        for packet in packets { $0.append(packet.data) }
      }
      let reader = try MP4Reader(MemorySource(bytes.bytes))
      #expect(try reader.all().map(\.data) == packets.map(\.data), "style \(style)")
    }
  }

  /// Found by fuzzing: 2.4 kB that claimed 62,161 samples of no bytes.
  @Test func emptyRunsDoNotMakeHours() throws {
    let error = containerError { _ = try MP4Reader(MemorySource(try runs(1, of: 17, size: 0))).all() }
    guard case .malformed = error?.reason else {
      Issue.record("got \(String(describing: error))")
      return
    }
    #expect(try MP4Reader(MemorySource(try runs(1, of: 16, size: 0))).all().count == 16)
  }

  @Test func samplesOnTopOfEachOtherHaveAnEnd() throws {
    // 3000 runs over the same 2000 bytes in a file of less than 100 kB.
    let bytes = try runs(3000, of: 20, size: 100)
    #expect(bytes.count < 100_000)
    var count = 0
    let reader = try MP4Reader(MemorySource(bytes))
    let error = containerError {
      var packet = Packet(data: [], presentationTime: 0, duration: 0)
      while try reader.nextPacket(into: &packet) { count += 1 }
    }
    #expect(count > 2000 && count < 6000)
    guard case .malformed = error?.reason else {
      Issue.record("got \(String(describing: error))")
      return
    }
  }

  /// A fragment of runs that all begin with the data.
  private func runs(_ runCount: Int, of count: Int64, size: Int64) throws -> [UInt8] {
    var maker = MP4Maker(try TestStream.configuration(), [])
    maker.mvexForFragments = true
    var bytes = ByteBuilder()
    bytes.append(Array(maker.bytes.dropLast(8)))
    let moofSize = 16 + 8 + 8 + 20 + 20 * Int64(runCount)
    bytes.box("moof") {
      $0.fullBox("mfhd") { $0.uint32(1) }
      $0.box("traf") {
        $0.fullBox("tfhd", flags: 0x2_0010) {
          $0.uint32(1)
          $0.uint32(size)
        }
        for _ in 0..<runCount {
          $0.fullBox("trun", flags: 1) {
            $0.uint32(count)
            $0.uint32(moofSize + 8)
          }
        }
      }
    }
    bytes.box("mdat") { $0.zeros(Int(count * size)) }
    return bytes.bytes
  }

  @Test("B104") func b104_hugeRunInATinyFile() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(3, configuration)
    var bytes = try fragmented(packets, configuration)
    let place = try #require(bytes.firstRange(of: Array("trun".utf8), after: 0))
    bytes.replaceSubrange(place + 8..<place + 12, with: [0xFF, 0xFF, 0xFF, 0xFF])
    let error = containerError { _ = try MP4Reader(MemorySource(bytes)).all() }
    guard case .malformed = error?.reason else {
      Issue.record("got \(String(describing: error))")
      return
    }
  }
}
