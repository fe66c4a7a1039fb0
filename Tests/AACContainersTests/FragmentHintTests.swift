import AAC
import Testing

@testable import AACContainers

/// What an index says is taken as a hint.
@Suite struct FragmentHintTests {
  private static let perFragment = 5

  private static func file(_ count: Int = 63, priming: Int = 1024) throws -> (
    bytes: [UInt8], packets: [Packet]
  ) {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(count, configuration, sizes: 20...60, priming: priming, padding: 9)
    var options = FragmentedMP4Writer.Options()
    options.packetsPerFragment = perFragment
    options.expectedFrames = Int64(count) * 1024
    return (try indexed(packets, configuration, options: options), packets)
  }

  /// The file without `sidx` and `mehd`.
  private static func blind(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for name in ["sidx", "mehd"] {
      if let range = bytes.firstRange(of: Array(name.utf8)) {
        bytes.replaceSubrange(range, with: Array("free".utf8))
      }
    }
    return bytes
  }

  /// With a list of the fragments behind them, `mfra`.
  static func listed(_ bytes: [UInt8], version: Int, track: Int64 = 1, priming: Int = 1024, every: Int = 1)
    throws -> [UInt8]
  {
    var list = ByteBuilder()
    list.append(blind(bytes))
    let moofs = try FragmentLayout(bytes).starts(of: "moof")
    let start = list.count
    let entries = moofs.enumerated().filter { $0.offset % every == 0 }
    list.box("mfra") {
      $0.fullBox("tfra", version: version) {
        $0.uint32(track)
        $0.uint32(0b01_10_00)
        $0.uint32(Int64(entries.count))
        for (index, moof) in entries {
          let time = max(0, index * perFragment * 1024 - priming)
          $0.put(UInt64(time), version == 1 ? 8 : 4)
          $0.put(UInt64(moof), version == 1 ? 8 : 4)
          $0.put(1, 2)
          $0.put(1, 3)
          $0.put(1, 1)
        }
      }
      $0.fullBox("mfro") { $0.uint32(0) }
    }
    var whole = list.bytes
    var size = ByteBuilder()
    size.uint32(Int64(whole.count - start))
    whole.replaceSubrange((whole.count - 4)..., with: size.bytes)
    return whole
  }

  /// Every sample of a file, from wherever `jump` leads for it, is the one that a walk from the start gives.
  ///
  /// - Returns: how many were reached by a jump, and the most samples that were left to walk.
  static func checkJumps(_ bytes: [UInt8]) throws -> (reached: Int, furthest: Int64) {
    let window = ByteWindow(MemorySource(bytes))
    let opened = try MP4Opening(window)
    let start = SampleWalk(table: nil, fragments: opened.fragments, mostBytes: nil)
    var samples: [Sample] = []
    var walk = start
    while let sample = try walk.next(in: window) { samples.append(sample) }
    var (reached, furthest) = (0, Int64(0))
    for index in samples.indices {
      var target = start
      guard let place = try target.jump(to: Int64(index), in: window) else { continue }
      reached += 1
      furthest = max(furthest, Int64(index) - place)
      #expect(place <= Int64(index))
      for expected in samples[Int(place)...].prefix(12) { #expect(try target.next(in: window) == expected) }
    }
    return (reached, furthest)
  }

  @Test(arguments: [0, 1024, 2112]) func jumpsLeadToFragments(priming: Int) throws {
    let (bytes, packets) = try Self.file(priming: priming)
    // An edit list shifts the times of an index: where that is more than a part, the jump is to the one before.
    let near = Int64(Self.perFragment - 1 + (priming + 1023) / 1024)
    for file in [
      bytes, try Self.listed(bytes, version: 0, priming: priming),
      try Self.listed(bytes, version: 1, priming: priming),
    ] {
      let (reached, furthest) = try Self.checkJumps(file)
      #expect(reached == packets.count)
      #expect(furthest <= near)
    }
    let (reached, furthest) = try Self.checkJumps(Self.listed(bytes, version: 1, priming: priming, every: 4))
    #expect(reached == packets.count)
    #expect(furthest <= near + Int64(3 * Self.perFragment))
    // Without a hint, or one for another track, nothing changes.
    #expect(try Self.checkJumps(Self.blind(bytes)).reached == 0)
    #expect(try Self.checkJumps(Self.listed(bytes, version: 0, track: 2)).reached == 0)
  }

  @Test func lengthIsKnownAtOnce() throws {
    let (bytes, packets) = try Self.file()
    let valid = Int64(packets.count * 1024 - 1024 - 9)
    var headerOnly = bytes
    headerOnly.replaceSubrange(
      try #require(bytes.firstRange(of: Array("sidx".utf8))), with: Array("free".utf8))
    for file in [bytes, headerOnly, try Self.listed(bytes, version: 0), try Self.listed(bytes, version: 1)] {
      let reader = try MP4Reader(MemorySource(file))
      #expect(reader.info.expectedFrames == valid)
      #expect(reader.info.validFrames == nil)
      #expect(try reader.all() == packets)
    }
    #expect(try MP4Reader(MemorySource(Self.blind(bytes))).info.expectedFrames == nil)
    // Only the header can be asked in a pipe.
    let pipe = FeedSource()
    pipe.feed(bytes)
    pipe.finish()
    #expect(try MP4Reader(pipe).info.expectedFrames == valid)
    // A file that was cut off has less than its index tells.
    var cut = bytes
    let name = try #require(bytes.firstRange(of: Array("mehd".utf8)))
    cut.replaceSubrange(name, with: Array("free".utf8))
    #expect(try MP4Reader(MemorySource(Array(cut.dropLast(10)))).info.expectedFrames == nil)
  }

  private static func references(_ bytes: inout [UInt8], _ change: (inout SegmentIndex) -> Void) throws {
    let box = try #require(try FragmentLayout(bytes).boxes.first { $0.type == "sidx" })
    var index = try FragmentLayout(bytes).index(in: bytes)
    change(&index)
    var builder = ByteBuilder()
    index.write(to: &builder)
    #expect(builder.count <= box.end - box.start)
    var new = builder.bytes
    let rest = box.end - box.start - new.count
    if rest > 0 { new += [UInt8](repeating: 0, count: rest) }
    // The size stays, so that what follows does too.
    new.replaceSubrange(0..<4, with: bytes[box.start..<box.start + 4])
    bytes.replaceSubrange(box.start..<box.end, with: new)
  }

  /// Indexes that lie: no sound is lost, and no jump leads to a wrong sample.
  @Test func liesDoNoHarm() throws {
    let (bytes, packets) = try Self.file()
    let lies: [(name: String, lie: (inout SegmentIndex) -> Void)] = [
      ("no sizes", { index in for i in index.references.indices { index.references[i].size = 0 } }),
      ("no times", { index in for i in index.references.indices { index.references[i].duration = 0 } }),
      ("all larger", { index in for i in index.references.indices { index.references[i].size = .max >> 1 } }),
      ("all longer", { index in for i in index.references.indices { index.references[i].duration = .max } }),
      ("to itself", { index in for i in index.references.indices { index.references[i].isIndex = true } }),
      (
        "loop",
        { index in
          index.references[0].isIndex = true
          index.references[0].size = 0
          index.firstOffset = 0
        }
      ),
      ("far", { $0.firstOffset = .max }), ("far too", { $0.firstOffset = 1 << 61 }),
      ("far yet", { $0.firstOffset = 1 << 40 }), ("late", { $0.earliestTime = .max }),
      ("no scale", { $0.timescale = 0 }), ("slow", { $0.timescale = 1 }), ("fast", { $0.timescale = .max }),
      ("another track", { $0.trackID = 5 }), ("empty", { $0.references = [] }),
      ("shifted", { $0.firstOffset = 3 }),
    ]
    for (name, lie) in lies {
      var file = bytes
      try Self.references(&file, lie)
      #expect(try MP4Reader(MemorySource(file)).all() == packets, "\(name)")
      _ = try Self.checkJumps(file)
    }
  }

  /// A claim of more than the box holds.
  @Test func countsAreChecked() throws {
    var (bytes, packets) = try Self.file()
    let name = try #require(bytes.firstRange(of: Array("sidx".utf8)))
    bytes.replaceSubrange(name.upperBound + 30..<name.upperBound + 32, with: [0xFF, 0xFF])
    let box = try #require(BoxSlice.list(bytes, bytes.indices)?.boxes.first { $0.type == "sidx" })
    let error = containerError {
      _ = try SegmentIndex(
        Box(type: "sidx", start: Int64(box.start), content: Int64(box.content), end: Int64(box.end)),
        in: ByteWindow(MemorySource(bytes)))
    }
    guard case .malformed(let text) = error?.reason else {
      Issue.record("got \(String(describing: error))")
      return
    }
    #expect(text.contains("65535"))
    #expect(try MP4Reader(MemorySource(bytes)).all() == packets)
    #expect(try Self.checkJumps(bytes).reached == 0)
  }

  /// An index of indexes, as players of long films get them.
  @Test func indexOfIndexes() throws {
    let (bytes, packets) = try Self.file()
    let layout = try FragmentLayout(bytes)
    let box = try #require(layout.boxes.first { $0.type == "sidx" })
    let flat = try layout.index(in: bytes)
    // One index on top, then one for each half in front of its fragments.
    let half = flat.references.count / 2
    let parts = [Array(flat.references[..<half]), Array(flat.references[half...])]
    var middle = box.end
    for reference in parts[0] { middle += Int(reference.size) }
    var halves: [[UInt8]] = []
    var time: UInt64 = 0
    for part in parts {
      var builder = ByteBuilder()
      var index = flat
      index.references = part
      index.earliestTime = time
      index.write(to: &builder)
      halves.append(builder.bytes)
      time += part.reduce(0) { $0 + UInt64($1.duration) }
    }
    let media = [Array(bytes[box.end..<middle]), Array(bytes[middle...])]
    var top = flat
    top.references = zip(parts, zip(halves, media)).map { part, bytes in
      SegmentIndex.Reference(
        size: UInt32(bytes.0.count + bytes.1.count), duration: part.reduce(0) { $0 + $1.duration },
        isIndex: true)
    }
    var file = ByteBuilder()
    file.append(Array(bytes[..<box.start]))
    top.write(to: &file)
    for index in 0..<2 {
      file.append(halves[index])
      file.append(media[index])
    }
    let reader = try MP4Reader(MemorySource(file.bytes))
    #expect(reader.info.expectedFrames == Int64(packets.count * 1024 - 1024 - 9))
    #expect(try reader.all() == packets)
    let (reached, furthest) = try Self.checkJumps(file.bytes)
    #expect(reached == packets.count)
    #expect(furthest <= 5)
  }

  /// Every byte of the index and the list changed, in several ways.
  @Test func everyByteDamaged() throws {
    let (bytes, packets) = try Self.file(13)
    for file in [bytes, try Self.listed(bytes, version: 1)] {
      let layout = try FragmentLayout(file)
      let box = try #require(layout.boxes.first { $0.type == "sidx" || $0.type == "mfra" })
      for place in box.start + 8..<box.end {
        for change in [0x01, 0x80, 0xFF] as [UInt8] {
          var damaged = file
          damaged[place] ^= change
          #expect(try MP4Reader(MemorySource(damaged)).all() == packets)
          _ = try Self.checkJumps(damaged)
        }
      }
    }
  }
}
