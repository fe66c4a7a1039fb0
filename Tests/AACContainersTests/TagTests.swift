import AAC
import Foundation
import Testing

@testable import AACContainers

/// Pictures that look like some.
func picture(_ format: Artwork.Format, _ count: Int = 200) -> [UInt8] {
  let mark: [UInt8] =
    switch format {
    case .jpeg: [0xFF, 0xD8, 0xFF, 0xE0]
    case .png: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    case .gif: [0x47, 0x49, 0x46, 0x38]
    case .bmp: [0x42, 0x4D]
    case .other: [1, 2, 3]
    }
  return mark + (0..<max(0, count - mark.count)).map { UInt8(truncatingIfNeeded: $0 * 7) }
}

@Suite struct TagTests {
  /// A value that fits each key's place.
  static func value(for key: String, _ random: inout SplitMix) -> String {
    guard let atom = TagAtom.byKey[key] else { return text(&random) }
    switch atom.kind {
    case .text: return text(&random)
    case .pair:
      return random.below(2) == 0
        ? "\(1 + random.below(65535))" : "\(random.below(99))/\(1 + random.below(99))"
    case .integer(let count): return String(random.next() % (1 << UInt64(8 * count - 1)))
    case .flag: return "\(random.below(2))"
    case .choice(let names): return names[random.below(names.count)].name
    }
  }

  static func text(_ random: inout SplitMix) -> String {
    let letters = Array("aZ09 äß日本🎵\n\"\\=:;%\u{301}")
    return String((0..<random.below(40)).map { _ in letters[random.below(letters.count)] })
  }

  /// Any tags come back as they were, and are written to the same bytes again.
  @Test func allTagsComeBack() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed)
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(3, configuration)
    for round in 0..<60 {
      var tags = Tags()
      for key in Tags.Key.all where round == 0 || random.below(3) == 0 {
        tags[key] = Self.value(for: key, &random)
        if random.below(4) == 0 { tags.append(Self.value(for: key, &random) + "1", to: key) }
      }
      for index in 0..<random.below(6) { tags["My Key \(index)"] = Self.text(&random) }
      if random.below(2) == 0 { tags.set("org.example:Other", to: ["theirs", "and more"]) }
      for _ in 0..<random.below(3) {
        tags.artwork.append(
          try Artwork(picture(random.below(2) == 0 ? .jpeg : .png, 20 + random.below(5000))))
      }
      // Values of one key are told apart by what they are.
      for key in tags.keys {
        var seen: Set<String> = []
        tags.set(key, to: tags.values(of: key).filter { seen.insert($0).inserted })
      }
      let bytes = try m4a(packets, configuration, options: .init(tags: tags))
      let reader = try MP4Reader(MemorySource(bytes))
      #expect(Set(reader.info.tags.keys) == Set(tags.keys), "seed \(seed), round \(round)")
      for key in tags.keys {
        // Where only some values fit the key's place the others come behind.
        #expect(
          Set(reader.info.tags.values(of: key)) == Set(tags.values(of: key)),
          "\(key), seed \(seed), round \(round)")
      }
      #expect(reader.info.tags.artwork == tags.artwork)
      #expect(reader.warnings.count == 0)
      let again = try m4a(packets, configuration, options: .init(tags: reader.info.tags))
      #expect(again == bytes || Tags.Key.all.contains { tags.values(of: $0).count > 1 }, "seed \(seed)")
      #expect(try MP4Reader(MemorySource(again)).info.tags == reader.info.tags)
    }
  }

  @Test func severalValues() throws {
    var tags = Tags()
    tags.append("A", to: "artist")
    tags.append("B", to: "artist")
    tags["title"] = "T"
    #expect(tags["artist"] == "A")
    #expect(tags.values(of: "artist") == ["A", "B"])
    #expect(tags.items.map(\.value) == ["A", "B", "T"])
    #expect(tags.count == 3)
    var changes = Tags([("title", ""), ("album", "X")])
    changes.artwork = [try Artwork(picture(.png))]
    tags.merge(changes)
    #expect(tags.keys == ["artist", "album"])
    #expect(tags.artwork.count == 1)
    tags["artist"] = "C"
    #expect(tags.values(of: "artist") == ["C"])
  }

  /// What does not fit a number's place is kept in free form instead of being dropped.
  @Test func oddValuesAreKept() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(3, configuration)
    let odd = [
      ("bpm", "120.5"), ("track", "A1"), ("compilation", "maybe"), ("season", "99999999999"), ("disc", "0"),
    ]
    let bytes = try m4a(packets, configuration, options: .init(tags: Tags(odd)))
    let tags = try MP4Reader(MemorySource(bytes)).info.tags
    for (key, value) in odd {
      #expect(tags[key] == value)
      #expect(Tags.problem(of: value, for: key) != nil)
    }
    #expect(Tags.problem(of: "3/12", for: "track") == nil)
    #expect(Tags.problem(of: "audiobook", for: "mediaKind") == nil)
    #expect(Tags.problem(of: "anything", for: "My Key") == nil)
  }

  @Test func coversAreChecked() throws {
    for format in [Artwork.Format.jpeg, .png] { #expect(try Artwork(picture(format)).format == format) }
    for format in [Artwork.Format.gif, .bmp, .other] {
      #expect(containerError { _ = try Artwork(picture(format)) }?.advice == .convertThePicture)
    }
    #expect(containerError { _ = try Artwork([]) } != nil)
    #expect(try Artwork(picture(.png, Artwork.sizeLimit)).data.count == Artwork.sizeLimit)
    #expect(
      containerError { _ = try Artwork(picture(.png, Artwork.sizeLimit + 1)) }?.advice == .useASmallerPicture)
  }

  /// Items in shapes that are not ours survive byte for byte, those that are understood too, until they are changed.
  @Test func strangeItemsSurvive() throws {
    func box(_ type: FourCC, _ content: [UInt8]) -> [UInt8] {
      var bytes = ByteBuilder()
      bytes.box(type) { $0.append(content) }
      return bytes.bytes
    }
    func data(_ type: UInt8, _ content: [UInt8], locale: UInt8 = 0) -> [UInt8] {
      box("data", [0, 0, 0, type, 0, 0, 0, locale] + content)
    }
    func freeForm(_ mean: String, _ name: String, _ values: [UInt8]) -> [UInt8] {
      box(
        "----",
        box("mean", [0, 0, 0, 0] + Array(mean.utf8)) + box("name", [0, 0, 0, 0] + Array(name.utf8)) + values)
    }
    let items: [[UInt8]] = [
      box("©nam", data(1, Array("T".utf8), locale: 7)),  // a locale
      box("©ART", data(2, [0, 0x41])),  // UTF-16
      box("gnre", data(0, [0, 9])),
      box("cpil", data(21, [0, 1])),  // two bytes for a flag
      box("trkn", data(0, [0, 0, 0, 3, 0, 12])),  // without the last two
      box("purl", data(0, Array("http://x".utf8))),
      box("©day", data(1, Array("2026".utf8)) + box("name", [1, 2, 3])),
      box("covr", data(27, picture(.bmp)) + box("name", [0]) + data(13, picture(.png))),
      box("zzzz", [1, 2, 3, 4]),
      box("©alb", [0, 0, 1]),  // no box in it
      box("tmpo", data(21, [])),
      freeForm("com.apple.iTunes", "BINARY", data(0, [0xFF, 0xFE, 0x80])),
      freeForm("com.apple.iTunes", "title", data(1, [0x42])),
      freeForm("", "bare", data(1, [0x42])),
      freeForm("com.apple.iTunes", "Encoding Params", data(0, [0, 1, 2, 0xC0])),
      freeForm("a:b", "c", data(1, [0x43])),
    ]
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(3, configuration)
    var maker = MP4Maker(configuration, packets)
    maker.listItems = items.flatMap { $0 }
    let info = try MP4Reader(MemorySource(maker.bytes)).info
    #expect(info.tags["title"] == "T")
    #expect(info.tags["artist"] == "A")
    #expect(info.tags["genre"] == "Jazz")
    #expect(info.tags["track"] == "3/12")
    #expect(info.tags["podcastURL"] == "http://x")
    #expect(info.tags["com.apple.iTunes:title"] == "B")
    #expect(info.tags["bare"] == "B")
    #expect(info.tags.artwork.map(\.format) == [.bmp, .png])
    #expect(
      info.tags.foreignItems.map(\.key) == ["date", "zzzz", "album", "bpm", "BINARY", "Encoding Params"]
        || info.tags["date"] == "2026")
    let again = try m4a(packets, configuration, options: .init(tags: info.tags))
    for item in items { #expect(again.firstRange(of: item) != nil, "\(item)") }
    // A change replaces what was there under the key.
    var tags = info.tags
    tags["title"] = "New"
    tags["bpm"] = "90"
    let changed = try MP4Reader(MemorySource(m4a(packets, configuration, options: .init(tags: tags)))).info
      .tags
    #expect(changed["title"] == "New")
    #expect(changed["bpm"] == "90")
    #expect(!changed.foreignItems.contains { $0.key == "bpm" })
    #expect(changed.values(of: "com.apple.iTunes:title") == ["B"])
  }

  @Test func tooManyItemsAreToldOf() throws {
    let configuration = try TestStream.configuration()
    var maker = MP4Maker(configuration, try TestStream.packets(3, configuration))
    let item: [UInt8] = [0, 0, 0, 8, 0x7A, 0x7A, 0x7A, 0x7A]
    maker.listItems = [[UInt8]](repeating: item, count: 5000).flatMap { $0 }
    let reader = try MP4Reader(MemorySource(maker.bytes))
    #expect(reader.info.tags.foreignItems.count == 4096)
    #expect(reader.warnings.items.contains { $0.text.contains("too many") })
  }
}
