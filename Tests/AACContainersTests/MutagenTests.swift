import AAC
import Foundation
import Testing

@testable import AACContainers

/// What another library of tags makes of the files written here, and the other way round; left out where Python does
/// not have it.
@Suite(.enabled(if: run("python3", ["-c", "import mutagen"]) != nil)) struct MutagenTests {
  private static let reading = """
    import json, sys, mutagen.mp4
    f = mutagen.mp4.MP4(sys.argv[1])
    def plain(v):
      if isinstance(v, (list, tuple)): return [plain(x) for x in v]
      if isinstance(v, bytes): return v.decode("utf-8", "replace")
      return int(v) if isinstance(v, bool) else v
    tags = {k: [[len(x), int(x.imageformat)] for x in v] if k == "covr" else plain(v) for k, v in f.tags.items()}
    print(json.dumps({"tags": tags, "chapters": [[c.start, c.title] for c in f.chapters or []]}))
    """

  private static func read(_ path: String) throws -> (tags: [String: Any], chapters: [[Any]]) {
    let json = try JSONSerialization.jsonObject(
      with: Data(try #require(run("python3", ["-c", reading, path]))))
    let object = json as? [String: Any] ?? [:]
    return (object["tags"] as? [String: Any] ?? [:], object["chapters"] as? [[Any]] ?? [])
  }

  /// A value as that library gives it.
  private static func expected(_ atom: TagAtom, _ value: String) throws -> Any {
    let bytes = try #require(atom.data(of: value)).bytes
    switch atom.kind {
    case .text: return [value]
    case .pair: return [[Int(BoxSlice.number(bytes, 2, 2)), Int(BoxSlice.number(bytes, 4, 2))]]
    case .integer(let count): return [Int(BoxSlice.number(bytes, 0, count))]
    case .flag: return atom.type == "shwm" ? [Int(bytes[0])] : Int(bytes[0])
    case .choice: return [Int(bytes[0])]
    }
  }

  @Test func allTagsAndChaptersAreReadAlike() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed)
    let configuration = try TestStream.configuration()
    var options = M4AWriter.Options()
    for atom in TagAtom.all {
      var value = TagTests.value(for: atom.key, &random)
      if case .integer(2) = atom.kind { value = String(random.below(0x8000)) }
      if case .pair = atom.kind { value = "\(1 + random.below(999))/\(random.below(999))" }
      options.tags[atom.key] = value
    }
    options.tags.set("artist", to: ["One", "Two"])
    options.tags.set("My Key", to: ["mine", "yours"])
    options.tags["org.example:Other"] = "theirs"
    options.tags.artwork = [try Artwork(picture(.png, 300)), try Artwork(picture(.jpeg, 400))]
    options.chapters = [Chapter(start: 0, title: "Eins"), Chapter(start: 0.5, title: "Zwei ü")]
    let packets = try TestStream.packets(60, configuration, priming: 1024)
    let path = try FFmpegTests.write(m4a(packets, configuration, options: options), "m4a")
    defer { removeFile(path) }
    let (tags, chapters) = try Self.read(path)
    for atom in TagAtom.all where atom.key != "artist" {
      let value = try #require(options.tags[atom.key])
      let wanted = try Self.expected(atom, value)
      let found = tags[atom.type.description]
      #expect(
        "\(found.map { ($0 as? NSObject)?.description ?? "" } ?? "nothing")"
          == (wanted as? NSObject ?? NSString(string: "?")).description, "\(atom.key), seed \(seed)")
    }
    #expect(tags["©ART"] as? [String] == ["One", "Two"])
    #expect(tags["----:com.apple.iTunes:My Key"] as? [String] == ["mine", "yours"])
    #expect(tags["----:org.example:Other"] as? [String] == ["theirs"])
    #expect(tags["covr"] as? [[Int]] == [[300, 14], [400, 13]])
    // Older versions count the times by another clock.
    #expect(chapters.map { $0[1] as? String } == ["Eins", "Zwei ü"])
  }

  /// Its edits are read, and ours of its files leave everything that is its own.
  @Test func itsEditsAreRead() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(60, configuration, priming: 1024)
    let path = try FFmpegTests.write(
      m4a(packets, configuration, options: .init(tags: Tags([("title", "Old")]))), "m4a")
    defer { removeFile(path) }
    let script = """
      import sys, mutagen.mp4 as m
      f = m.MP4(sys.argv[1])
      f["\\xa9ART"] = ["A", "B"]
      f["trkn"] = [(3, 12)]
      f["cpil"] = True
      f["tmpo"] = [128]
      f["stik"] = [2]
      f["soar"] = ["Sorted"]
      f["----:com.apple.iTunes:BIN"] = [m.MP4FreeForm(b"\\xff\\xfe\\x00", m.AtomDataType.IMPLICIT)]
      f["----:com.apple.iTunes:LABEL"] = [b"Label"]
      f["covr"] = [m.MP4Cover(b"\\x89PNG\\r\\n\\x1a\\n" + b"x" * 5000, m.MP4Cover.FORMAT_PNG)]
      f.save()
      """
    #expect(run("python3", ["-c", script, path]) != nil)
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let info = try MP4Reader(MemorySource(bytes)).info
    #expect(info.tags.values(of: "artist") == ["A", "B"])
    for (key, value) in [
      ("title", "Old"), ("track", "3/12"), ("compilation", "1"), ("bpm", "128"), ("mediaKind", "audiobook"),
      ("sortArtist", "Sorted"), ("LABEL", "Label"),
    ] {
      #expect(info.tags[key] == value, "\(key)")
    }
    #expect(info.tags.foreignItems.map(\.key) == ["BIN"])
    #expect(info.tags.artwork.map(\.format) == [.png])
    let before = try Self.read(path).tags
    bytes = try EditorTests.edited(bytes) { tags, _ in tags["album"] = "New" }
    #expect(try MP4Reader(MemorySource(bytes)).all() == packets)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    var after = try Self.read(path).tags
    #expect(after.removeValue(forKey: "©alb") as? [String] == ["New"])
    #expect(after as NSDictionary == before as NSDictionary)
  }
}
