import AAC
import PCM
import Testing

@testable import AACContainers

/// What MP4 files of all kinds of writers look like.
@Suite struct RealFileTests {
  /// Tables behind the sound, so that they can change their size.
  private static func maker() throws -> MP4Maker {
    var maker = try MP4FaultTests.maker()
    maker.order = .moovLast
    maker.edits = [(UInt64(20 * 1024 - 2112), 2112)]
    maker.tags = Tags([("title", "T")])
    maker.leadingBoxes = [0, 0, 0, 8] + Array("wide".utf8)
    return maker
  }

  private static func expect(
    _ bytes: [UInt8], _ maker: MP4Maker, _ comment: Comment, location: SourceLocation = #_sourceLocation
  ) throws {
    let reader = try MP4Reader(MemorySource(bytes))
    #expect(reader.info.priming == 2112, comment, sourceLocation: location)
    #expect(reader.info.tags == maker.tags, comment, sourceLocation: location)
    #expect(try reader.all().map(\.data) == maker.packets, comment, sourceLocation: location)
    #expect(reader.warnings.count == 0, comment, sourceLocation: location)
  }

  // MARK: Order and size of boxes

  @Test func everyOrderOfBoxes() throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    var random = SplitMix(seed)
    let maker = try Self.maker()
    for round in 0..<100 {
      var boxes = try BoxTree.list(maker.bytes)
      for index in boxes.indices { boxes[index].shuffle(&random) }
      try Self.expect(boxes.flatMap(\.bytes), maker, "round \(round), seed \(seed)")
    }
  }

  /// Boxes of the outer level in every place, with others between that say nothing.
  @Test func everyOrderOfOuterBoxes() throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    var random = SplitMix(seed)
    let maker = try Self.maker()
    let fillers: [BoxTree] = ["free", "skip", "wide", "uuid", "pdin", "zzzz"].map {
      BoxTree(type: $0, content: [UInt8](repeating: 7, count: 24))
    }
    for round in 0..<60 {
      var boxes = try BoxTree.list(maker.bytes) + fillers
      boxes.shuffle(using: &random)
      // Something that tells MP4 has to come first.
      let first = try #require(boxes.firstIndex { ["ftyp", "moov", "mdat"].contains($0.type) })
      boxes.swapAt(0, first)
      let old = try BoxTree.list(maker.bytes).prefix { $0.type != "mdat" }.reduce(0) { $0 + $1.bytes.count }
      let new = boxes.prefix { $0.type != "mdat" }.reduce(0) { $0 + $1.bytes.count }
      for index in boxes.indices {
        boxes[index].change("stco") { Self.move(&$0.content, by: new - old) }
      }
      try Self.expect(boxes.flatMap(\.bytes), maker, "round \(round), \(boxes.map(\.type)), seed \(seed)")
    }
  }

  private static func move(_ table: inout [UInt8], by delta: Int) {
    for place in stride(from: 8, to: table.count, by: 4) {
      let value = Int(BoxSlice.number(table, place, 4)) + delta
      for index in 0..<4 { table[place + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index)) }
    }
  }

  @Test func everyBoxWithALongSize() throws {
    let maker = try Self.maker()
    let types = Set(try BoxTree.list(maker.bytes).flatMap(\.types))
    #expect(types.count > 15)
    for type in types {
      var boxes = try BoxTree.list(maker.bytes)
      for index in boxes.indices { boxes[index].set(.long, for: type) }
      // The headers in front of the sound are longer now.
      let moved = ["wide", "ftyp", "mdat"].contains(type) ? 8 : 0
      for index in boxes.indices { boxes[index].change("stco") { Self.move(&$0.content, by: moved) } }
      try Self.expect(boxes.flatMap(\.bytes), maker, "\(type)")
    }
  }

  @Test func theLastBoxMayReachToTheEnd() throws {
    let maker = try Self.maker()
    var boxes = try BoxTree.list(maker.bytes)
    #expect(boxes.last?.type == "moov")
    boxes[boxes.count - 1].form = .toTheEnd
    // The last one in each box that holds boxes, too.
    boxes[boxes.count - 1].children?[1].form = .toTheEnd
    let inner = boxes[boxes.count - 1].children?.count ?? 0
    if inner > 2 { boxes[boxes.count - 1].children?.swapAt(1, inner - 1) }
    try Self.expect(boxes.flatMap(\.bytes), maker, "moov and its last box")
  }

  @Test func fragmentsWithLongSizes() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(60, configuration)
    let bytes = try fragmented(packets, configuration)
    for type in ["ftyp", "moov", "mdat"] as [FourCC] {
      var boxes = try BoxTree.list(bytes)
      for index in boxes.indices where boxes[index].type == type { boxes[index].form = .long }
      let written = boxes.map { box in
        guard type == "mdat", box.type == "moof" else { return box.bytes }
        // Data offsets count from the start of the fragment.
        var moof = box.bytes
        let place = (moof.firstRange(of: Array("trun".utf8), after: 0) ?? 0) + 12
        moof[place + 2...place + 3] = {
          let value = Int(BoxSlice.number(moof, place, 4)) + 8
          return [UInt8(value >> 8), UInt8(value & 0xFF)]
        }()
        return moof
      }
      #expect(
        try MP4Reader(MemorySource(written.flatMap { $0 })).all().map(\.data) == packets.map(\.data),
        "\(type)")
    }
  }

  // MARK: Signalling

  /// The three ways to announce spectral band replication (ISO/IEC 14496-3, 1.6.5).
  @Test func replicationInEveryForm() throws {
    var configuration = try TestStream.configuration(rate: 22050)
    configuration.sbrPresent = true
    configuration.psPresent = false
    configuration.extensionSamplingRate = try SamplingRate(44100)
    for signalling in [AudioSpecificConfig.Signalling.hierarchical, .backwardCompatible] {
      configuration.signalling = signalling
      var maker = MP4Maker(configuration, try TestStream.packets(4, configuration))
      maker.times = [(4, 2048)]
      let (reader, packets) = try MP4FaultTests.read(maker)
      #expect(reader.info.configuration.signalling == signalling)
      #expect(reader.info.timeRate == 44100)
      #expect(packets.map(\.duration) == [2048, 2048, 2048, 2048])
    }
    // Nothing in the configuration: the time scale may tell, else the packets do.
    let plain = try TestStream.configuration(rate: 22050)
    for (scale, delta, rate) in [(22050, 1024, 22050), (44100, 2048, 44100)] as [(UInt32, UInt32, Int)] {
      var maker = MP4Maker(plain, try TestStream.packets(4, plain))
      maker.mediaScale = scale
      maker.times = [(4, delta)]
      let (reader, packets) = try MP4FaultTests.read(maker)
      #expect(reader.info.configuration.sbrPresent == nil)
      #expect(reader.info.timeRate == rate)
      #expect(packets.map(\.duration) == [Int](repeating: Int(delta), count: 4))
    }
  }

  // MARK: Encryption

  @Test(arguments: [
    ("enca", "cenc", "Common Encryption, cenc"), ("enca", "cbcs", "Common Encryption, cbcs"),
    ("enca", "cens", "Common Encryption, cens"), ("enca", "piff", "PlayReady, piff"),
    ("drms", "itun", "Apple FairPlay, itun"), ("drms", "", "Apple FairPlay"), ("enca", "", "encrypted audio"),
    ("enca", "xyzw", "scheme xyzw"),
  ])
  func encryptedTracksAreNamed(entry: String, scheme: String, words: String) throws {
    for version in 0...2 {
      var maker = try MP4FaultTests.maker()
      maker.entryType = FourCC(stringLiteral: entry)
      maker.entryVersion = version
      var boxes = ByteBuilder()
      boxes.fullBox("esds") { $0.append(MP4Maker.esds(maker.configuration.bytes, lengthBytes: 1)) }
      if !scheme.isEmpty {
        boxes.box("sinf") {
          $0.box("frma") { $0.fourCC("mp4a") }
          $0.fullBox("schm") {
            $0.fourCC(FourCC(stringLiteral: scheme))
            $0.uint32(0x1_0000)
          }
        }
      }
      maker.entryBoxes = boxes.bytes
      let error = containerError { _ = try MP4FaultTests.read(maker) }
      guard case .unsupported(let name) = error?.reason else {
        Issue.record("got \(String(describing: error))")
        return
      }
      #expect(name.contains("encrypted audio") && name.contains(words), "\(name)")
    }
  }

  /// The first track is encrypted: another one is read, and the listing says why.
  @Test func anotherTrackThanTheEncryptedOne() throws {
    var maker = try MP4FaultTests.maker()
    let other = maker
    maker.entryType = "enca"
    maker.others = [other]
    let reader = try MP4Reader(MemorySource(maker.bytes))
    #expect(reader.info.track == 2)
    #expect(reader.info.tracks[0].codec == "encrypted audio")
  }
}
