import AAC
import Foundation
import Testing

@testable import AACContainers

/// Edits in memory: whatever the file looks like, the sound comes out the same.
@Suite struct EditorTests {
  /// The file after an edit; the file itself where there is nothing to do.
  static func edited(
    _ bytes: [UInt8], _ change: (inout Tags, inout [Chapter]) throws -> Void
  ) throws -> [UInt8] {
    let editor = try MP4Editor(MemorySource(bytes))
    var (tags, chapters) = (editor.tags, editor.chapters)
    try change(&tags, &chapters)
    guard let plan = try editor.plan(tags: tags, chapters: chapters) else { return bytes }
    let sink = MemorySink()
    #expect(try plan.write(to: sink))
    #expect(Int64(sink.bytes.count) == plan.newLength)
    try plan.verify(MemorySource(sink.bytes))
    if let write = try plan.singleWrite() {
      try plan.verify()
      var patched = bytes
      patched.replaceSubrange(Int(write.offset)..<Int(write.offset) + write.bytes.count, with: write.bytes)
      #expect(patched == sink.bytes)
    }
    return sink.bytes
  }

  static func free(_ count: Int, _ type: FourCC = "free") -> [UInt8] {
    var bytes = ByteBuilder()
    bytes.box(type) { $0.zeros(count) }
    return bytes.bytes
  }

  /// Files of all shapes: tables at either end, 0 to 5 empty boxes around them, 64-bit boxes, QuickTime's `meta`.
  static func shapes() throws -> [(name: String, bytes: [UInt8], packets: [Packet])] {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(40, configuration, priming: 1024, padding: 77)
    var files: [(name: String, bytes: [UInt8], packets: [Packet])] = []
    for order in [MP4Maker.Order.moovFirst, .moovLast] {
      for count in 0...5 {
        var maker = MP4Maker(configuration, packets)
        maker.edits = [(UInt64(40 * 1024 - 1101), 1024)]
        maker.order = order
        maker.samplesPerChunk = 1 + count
        maker.boxesBehindMovie = (0..<count).flatMap { free($0 * 100, $0 % 2 == 0 ? "free" : "skip") }
        maker.tags = count == 3 ? Tags() : Tags([("title", "Old"), ("a:b", "c")])
        maker.plainMeta = count == 2
        maker.largeOffsets = count == 1
        maker.largeMdat = count == 4
        maker.largeMovie = count == 5
        maker.openMdat = count == 0 && order == .moovFirst
        maker.hasSecondTrack = count % 2 == 1
        files.append(("\(order) \(count)", maker.bytes, packets))
      }
    }
    var options = M4AWriter.Options(tags: Tags([("title", "Old")]))
    options.chapters = [Chapter(start: 0, title: "One"), Chapter(start: 0.5, title: "Two")]
    files.append(("ours", try m4a(packets, configuration, options: options), packets))
    files.append(
      (
        "no tags",
        try m4a(
          packets, configuration,
          options: {
            var o = options
            o.tags = Tags()
            o.chapters = []
            o.writesGaplessTag = false
            return o
          }()), packets
      ))
    return files
  }

  /// B133: offsets are kept right whatever is added, removed or made larger.
  @Test func b133_tagEditKeepsOffsets() throws {
    for (name, bytes, packets) in try Self.shapes() {
      var bytes = bytes
      let sizes = [3, 5000, 10, 9000, 0, 200_000, 1]
      for (round, size) in sizes.enumerated() {
        bytes = try Self.edited(bytes) { tags, chapters in
          tags["comment"] = size == 0 ? nil : String(repeating: "x", count: size)
          tags["title"] = "Round \(round)"
          if size == 200_000 { tags.artwork = [try Artwork(picture(.jpeg, 150_000))] }
          if size == 0 { tags.artwork = [] }
          if round % 3 == 1 { chapters = [Chapter(start: 0.1, title: "a"), Chapter(start: 0.3, title: "b")] }
          if round % 3 == 2 { chapters = [] }
        }
        let reader = try MP4Reader(MemorySource(bytes))
        #expect(try reader.all() == packets, "\(name), round \(round)")
        #expect(reader.info.tags["title"] == "Round \(round)")
        #expect(reader.info.tags["comment"]?.count ?? 0 == size)
        #expect(
          reader.info.chapters.count == (round % 3 == 1 ? 2 : round % 3 == 2 ? 0 : reader.info.chapters.count)
        )
        #expect(reader.info.tags.artwork.count == (size == 200_000 || round == 6 ? 1 : 0))
        #expect(reader.warnings.count == 0, "\(name) \(reader.warnings.items)")
        #expect(try BoxCheck.firstStrangeByte(in: MemorySource(bytes)) == nil, "\(name)")
      }
      // Nothing grows that was not asked for.
      let last = try Self.edited(bytes) { tags, _ in tags["comment"] = "y" }
      #expect(last.count == bytes.count, "\(name)")
    }
  }

  @Test func nothingToDoChangesNothing() throws {
    for (name, bytes, _) in try Self.shapes() {
      let editor = try MP4Editor(MemorySource(bytes))
      #expect(try editor.plan(tags: editor.tags, chapters: editor.chapters) == nil, "\(name)")
    }
  }

  /// All boxes that are not about tags and chapters, and items that are not understood, come out as they were.
  @Test func strangersSurvive() throws {
    let configuration = try TestStream.configuration()
    var maker = MP4Maker(configuration, try TestStream.packets(10, configuration))
    let item: [UInt8] = [0, 0, 0, 12, 0x7A, 0x7A, 0x7A, 0x7A, 9, 8, 7, 6]
    var gapless = ByteBuilder()
    MetadataItems.write(
      Tags(), gapless: GaplessInfo(priming: 0, padding: 0, validFrames: 10240), to: &gapless)
    maker.listItems = item
    let stranger: [UInt8] = [0, 0, 0, 12, 0x41, 0x42, 0x43, 0x44, 1, 2, 3, 4]
    maker.userDataBoxes = stranger + [0, 0, 0, 0]
    let bytes = try Self.edited(maker.bytes) { tags, _ in tags["title"] = "T" }
    #expect(bytes.firstRange(of: item) != nil)
    #expect(bytes.firstRange(of: stranger + [0, 0, 0, 0]) != nil)
    let cleared = try Self.edited(bytes) { tags, _ in tags = Tags() }
    #expect(cleared.firstRange(of: item) == nil)
    #expect(cleared.firstRange(of: stranger) != nil)
  }

  /// A key that comes in several boxes, and in two `meta` boxes, keeps all of its values.
  @Test func scatteredItemsAreGathered() throws {
    let configuration = try TestStream.configuration()
    var maker = MP4Maker(configuration, try TestStream.packets(10, configuration))
    func items(_ values: [(String, String)]) -> [UInt8] {
      values.flatMap { MetadataItems.listContent(Tags([$0])).bytes }
    }
    maker.listItems = items([("artist", "A"), ("title", "T"), ("artist", "B")])
    var second = ByteBuilder()
    MetadataItems.putMeta(items([("artist", "C"), ("album", "X")]), to: &second)
    maker.userDataBoxes = second.bytes
    let info = try MP4Reader(MemorySource(maker.bytes)).info
    #expect(info.tags.values(of: "artist") == ["A", "B", "C"])
    let bytes = try Self.edited(maker.bytes) { tags, _ in tags["title"] = "New" }
    let tags = try MP4Reader(MemorySource(bytes)).info.tags
    #expect(tags.values(of: "artist") == ["A", "B", "C"])
    #expect(tags["title"] == "New")
    #expect(tags["album"] == "X")
    // Tags beside `udta` are not read then, and would be lost.
    maker.movieBoxes = second.bytes
    #expect(containerError { _ = try MP4Editor(MemorySource(maker.bytes)) }?.advice == .remuxFirst)
    // Where there are no others they are edited in their place.
    maker.listItems = nil
    maker.userDataBoxes = []
    let alone = try Self.edited(maker.bytes) { tags, _ in
      #expect(tags["artist"] == "C")
      tags["artist"] = "D"
    }
    #expect(try MP4Reader(MemorySource(alone)).info.tags.values(of: "artist") == ["D"])
    #expect(alone.firstRange(of: Array("udta".utf8)) == nil)
  }

  /// What tells of priming and padding is no tag: it stays when all tags go.
  @Test func gaplessInfoStays() throws {
    let configuration = try TestStream.configuration()
    var maker = MP4Maker(configuration, try TestStream.packets(10, configuration))
    maker.gapless = GaplessInfo(priming: 1000, padding: 240, validFrames: 9000)
    maker.tags = Tags([("title", "T")])
    let bytes = try Self.edited(maker.bytes) { tags, _ in tags = Tags() }
    let info = try MP4Reader(MemorySource(bytes)).info
    #expect(info.tags.isEmpty)
    #expect(info.priming == 1000)
    #expect(info.padding == 240)
  }

  /// B136: offsets that no longer fit 32 bits get 64.
  @Test func b136_offsetsGrowTo64Bits() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(8, configuration)
    var maker = MP4Maker(configuration, packets)
    // Sound that begins 10 kB below 4 GiB, in a file with a hole.
    let hole = Int64(UInt32.max) - 10_000
    maker.gapBeforeData = hole
    let head = maker.bytes
    let data = packets.flatMap(\.data)
    let source = HoleSource(head: Array(head.dropLast(data.count)), gap: hole, tail: data)
    #expect(try MP4Reader(source).all().map(\.data) == packets.map(\.data))
    let editor = try MP4Editor(source)
    var tags = editor.tags
    tags["comment"] = String(repeating: "x", count: 30_000)
    let plan = try #require(try editor.plan(tags: tags, chapters: []))
    let tables = try plan.head.bytes(0..<plan.head.count, of: source)
    #expect(tables.firstRange(of: Array("co64".utf8)) != nil)
    #expect(tables.firstRange(of: Array("stco".utf8)) == nil)
    // The head of the new file, then what was behind that of the old one.
    let newHead =
      Array(head.prefix(Int(plan.start))) + tables
      + Array(head.dropLast(data.count).dropFirst(Int(plan.end)))
    try plan.verify(HoleSource(head: newHead, gap: hole, tail: data))
    // Small files keep what they have.
    let small = try Self.edited(try Self.shapes()[0].bytes) { tags, _ in tags["title"] = "T" }
    #expect(small.firstRange(of: Array("co64".utf8)) == nil)
  }

  /// Tables of more than 64 kB are not loaded; what becomes of the file is the same.
  @Test func longTablesStayInTheFile() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(20_000, configuration, sizes: 12...20)
    for order in [MP4Maker.Order.moovFirst, .moovLast] {
      for isLong in [false, true] {
        var maker = MP4Maker(configuration, packets)
        maker.order = order
        maker.largeMovie = isLong
        maker.times = (0..<10_000).map { _ in (2, 1024) }
        maker.tags = Tags([("title", "Old")])
        let source = MemorySource(maker.bytes)
        let editor = try MP4Editor(source)
        var tags = editor.tags
        tags["title"] = String(repeating: "New", count: 3000)
        let plan = try #require(try editor.plan(tags: tags, chapters: [Chapter(start: 0, title: "One")]))
        let kept = plan.head.parts.reduce(0) { if case .old(let range) = $1 { $0 + range.count } else { $0 } }
        #expect(kept == (12 + 80_000) + (8 + 80_000), "stsz and stts")
        // In parts of any size it is the same.
        let head = try plan.head.bytes(0..<plan.head.count, of: source)
        #expect(Int64(head.count) == plan.head.count)
        for place in stride(from: Int64(0), to: plan.head.count, by: 7_777) {
          let end = min(place + 7_777, plan.head.count)
          #expect(try plan.head.bytes(place..<end, of: source) == Array(head[Int(place)..<Int(end)]))
        }
        let sink = MemorySink()
        #expect(try plan.write(to: sink))
        try plan.verify(MemorySource(sink.bytes))
        let reader = try MP4Reader(MemorySource(sink.bytes))
        #expect(reader.info.tags == tags)
        #expect(try reader.all().map(\.data) == maker.packets)
        // Nothing moves where one letter changes.
        let second = try MP4Editor(MemorySource(sink.bytes))
        tags["title"] = "X" + (tags["title"] ?? "").dropFirst()
        let small = try #require(try second.plan(tags: tags, chapters: second.chapters))
        let write = try #require(try small.singleWrite())
        #expect(write.bytes == Array("X".utf8))
        try small.verify()
      }
    }
  }

  @Test func fragmentsAreMoved() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(60, configuration, priming: 1024)
    var options = FragmentedMP4Writer.Options(tags: Tags([("title", "Old")]))
    options.packetsPerFragment = 7
    let bytes = try Self.edited(fragmented(packets, configuration, options: options)) { tags, chapters in
      tags["comment"] = String(repeating: "x", count: 5000)
      chapters = [Chapter(start: 0, title: "One"), Chapter(start: 0.5, title: "Two")]
    }
    let reader = try MP4Reader(MemorySource(bytes))
    #expect(try reader.all() == packets)
    #expect(reader.info.chapters.map(\.title) == ["One", "Two"])
    #expect(reader.info.tags["title"] == "Old")
  }

  /// Fragments with offsets from the start of the file, and an index of them at the end.
  @Test(.enabled(if: run("ffmpeg", ["-version"]) != nil)) func fragmentsOfFFmpegAreMoved() throws {
    for flags in ["frag_keyframe+empty_moov", "frag_keyframe+empty_moov+default_base_moof", "cmaf", "dash"] {
      let path = temporaryPath("mp4")
      defer { removeFile(path) }
      _ = try #require(
        run(
          "ffmpeg",
          ["-v", "error", "-y", "-f", "lavfi", "-i", "sine=duration=1.5", "-c:a", "aac", "-movflags", flags]
            + ["-frag_duration", "200000", path]))
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      let packets = try MP4Reader(MemorySource(bytes)).all()
      let new = try Self.edited(bytes) { tags, _ in tags["comment"] = String(repeating: "x", count: 9000) }
      #expect(try MP4Reader(MemorySource(new)).all() == packets, "\(flags)")
      // The index at the end still points at the fragments.
      if let index = new.firstRange(of: Array("tfra".utf8)) {
        let version = new[index.upperBound]
        let width = version == 1 ? 8 : 4
        let first = Int(BoxSlice.number(new, index.upperBound + 16 + width, width))
        #expect(Array(new[first + 4..<first + 8]) == Array("moof".utf8), "\(flags)")
      }
    }
  }

  /// FFmpeg finds the same packets before and after, in files with several tracks too.
  @Test(.enabled(if: run("ffmpeg", ["-version"]) != nil)) func ffmpegFindsTheSamePackets() throws {
    let video = ["-f", "lavfi", "-i", "testsrc=size=64x64:rate=5:duration=1.5", "-c:v", "mpeg4"]
    for (suffix, options) in [
      ("m4a", []), ("m4a", ["-movflags", "+faststart"]), ("mov", []),
      ("mp4", video + ["-movflags", "+faststart"]),
      ("mov", video + ["-movflags", "+use_metadata_tags", "-metadata", "foo=bar"]),
    ] as [(String, [String])] {
      let path = temporaryPath(suffix)
      let newPath = temporaryPath(suffix)
      defer { for path in [path, newPath] { removeFile(path) } }
      let source = ["-v", "error", "-y", "-f", "lavfi", "-i", "sine=duration=1.5"]
      _ = try #require(run("ffmpeg", source + options + ["-c:a", "aac", path]))
      func digest(_ path: String) throws -> [String] {
        let text = try #require(
          run("ffmpeg", ["-v", "error", "-i", path, "-c", "copy", "-f", "framemd5", "-"]))
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
          .filter { !$0.hasPrefix("#") && !$0.contains(" text") }
      }
      let before = try digest(path)
      var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      for size in [10, 9000, 5] {
        bytes = try Self.edited(bytes) { tags, _ in
          tags["title"] = "T"
          tags["comment"] = String(repeating: "x", count: size)
        }
        try Data(bytes).write(to: URL(fileURLWithPath: newPath))
        #expect(try digest(newPath) == before, "\(suffix) \(options)")
        let tags = (try FFmpegTests.format(newPath)["format"] as? [String: Any])?["tags"] as? [String: String]
        if !options.contains("+use_metadata_tags") {
          #expect(tags?["title"] == "T", "\(suffix) \(options)")
        }
      }
    }
  }

  @Test func whatCannotBeEditedIsRefused() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(10, configuration)
    let refusal = containerError { _ = try MP4Editor(MemorySource(adts(packets, configuration))) }
    #expect(refusal?.description.contains("ADTS holds no tags") == true)
    #expect(refusal?.advice == .remuxFirst)
    let cut = try m4a(packets, configuration).dropLast(100)
    #expect(containerError { _ = try MP4Editor(MemorySource([UInt8](cut))) }?.advice == .repairFirst)
    #expect(containerError { _ = try MP4Editor(MemorySource([UInt8]("text, no sound".utf8))) } != nil)
    #expect(containerError { _ = try MP4Editor(OnceSource(m4a(packets, configuration))) } != nil)
    let editor = try MP4Editor(MemorySource(m4a(packets, configuration)))
    #expect(
      containerError { _ = try editor.plan(tags: Tags(), chapters: [Chapter(start: 99, title: "late")]) }
        != nil)
    // An index in front of the tables counts from its own end.
    let moved = Self.free(20, "sidx")
    var maker = MP4Maker(configuration, packets)
    maker.leadingBoxes = moved
    #expect(
      containerError {
        _ = try Self.edited(maker.bytes) { tags, _ in tags["comment"] = String(repeating: "x", count: 99_999)
        }
      }?.advice == .remuxFirst)
  }

  /// Whichever byte is wrong, an edit is refused, or what it wrote can be read again.
  @Test func everyByteDamaged() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(6, configuration, sizes: 10...12)
    let chapters = [Chapter(start: 0, title: "One"), Chapter(start: 0.05, title: "Two")]
    var tags = Tags([("title", "T"), ("track", "1/2"), ("x:y", "z")])
    tags.artwork = [try Artwork([0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3])]
    var options = M4AWriter.Options(tags: tags)
    options.chapters = chapters
    var parts = FragmentedMP4Writer.Options(tags: tags)
    parts.packetsPerFragment = 2
    parts.chapters = chapters
    let files = [
      try m4a(packets, configuration, options: options),
      try fragmented(packets, configuration, options: parts),
    ]
    let wanted = [
      Chapter(start: 0, title: "A"), Chapter(start: 0.03, title: "B"), Chapter(start: 0.06, title: "C"),
    ]
    for (number, file) in files.enumerated() {
      for place in file.indices {
        for value in [0, 0xFF] as [UInt8] {
          var bytes = file
          bytes[place] = value
          let note = "file \(number), byte \(place) is \(value)"
          do {
            var pictures: [Artwork] = []
            let new = try Self.edited(bytes) { tags, chapters in
              tags["comment"] = "x"
              chapters = wanted
              pictures = tags.artwork
            }
            let info = try MP4Editor(MemorySource(new))
            #expect(info.tags["comment"] == "x", "\(note)")
            #expect(info.tags.artwork == pictures, "\(note)")
            #expect(info.chapters.map(\.title) == ["A", "B", "C"], "\(note)")
          } catch let error as ContainerError {
            #expect(!error.description.isEmpty)
          }
        }
      }
    }
  }

  /// Damaged files are refused or come out with the same sound.
  @Test func randomDamage() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed)
    let files = try Self.shapes().map(\.bytes)
    for round in 0..<300 {
      let bytes = MutationTests.damage(files[random.below(files.count)], &random)
      let size = random.below(9000)
      do {
        let new = try Self.edited(bytes) { tags, chapters in
          tags["comment"] = String(repeating: "x", count: size)
          if round % 3 == 0 { chapters = [Chapter(start: 0, title: "a")] }
        }
        let info = try MP4Reader(MemorySource(new)).info
        #expect(info.tags["comment"]?.count == size, "seed \(seed), round \(round)")
      } catch let error as ContainerError {
        #expect(!error.description.isEmpty)
      }
    }
  }
}

/// A file with a large hole in the middle.
private final class HoleSource: ByteSource {
  let head: [UInt8]
  let gap: Int64
  let tail: [UInt8]
  let isSeekable = true
  var length: Int64? { Int64(head.count) + gap + Int64(tail.count) }

  init(head: [UInt8], gap: Int64, tail: [UInt8]) {
    self.head = head
    self.gap = gap
    self.tail = tail
  }

  func read(
    at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>, atLeast minimum: Int
  ) throws(ContainerError) -> Int {
    let end = min(offset + Int64(range.count), length ?? 0)
    guard offset < end else { return 0 }
    for place in offset..<end {
      let index = range.lowerBound + Int(place - offset)
      let behind = place - Int64(head.count) - gap
      buffer[index] = place < Int64(head.count) ? head[Int(place)] : behind >= 0 ? tail[Int(behind)] : 0
    }
    return Int(end - offset)
  }
}
