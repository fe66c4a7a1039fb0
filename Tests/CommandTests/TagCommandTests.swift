import AACContainers
import AACKit
import Foundation
import Testing

@testable import AACCommand

@Suite struct TagCommandTests {
  static let png: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 7, count: 500)
  static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 8, count: 700)

  private func tags(_ path: String) throws -> [String: Any] {
    try aac("tag", "--json", path).json()["tags"] as? [String: Any] ?? [:]
  }

  private func packets(_ path: String) throws -> [[UInt8]] {
    let reader = try MP4Reader(FileSource(path: path))
    var packets: [[UInt8]] = []
    while let packet = try reader.nextPacket() { packets.append(packet.data) }
    return packets
  }

  @Test func setsShowsAndRemoves() throws {
    let folder = try Folder()
    let path = try folder.silence("x.m4a", frames: 50_000, tags: Tags([("title", "Old"), ("artist", "A")]))
    let before = try packets(path)
    let outcome = aac(
      "tag", path, "--tag", "title=Neu äöü", "--tag", "ARTIST=", "--tag", "genre=Jazz", "--tag", "genre=Pop",
      "--tag", "track=3/12", "--tag", "My Key=x=y", "--tag", "mediaKind=audiobook")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.data.isEmpty)
    let found = try tags(path)
    #expect(found["title"] as? String == "Neu äöü")
    #expect(found["artist"] == nil)
    #expect(found["genre"] as? [String] == ["Jazz", "Pop"])
    #expect(found["track"] as? String == "3/12")
    #expect(found["My Key"] as? String == "x=y")
    #expect(try packets(path) == before)
    let text = aac("tag", path).text
    #expect(text.contains("tag title") && text.contains("Neu äöü") && text.contains("audiobook"))
    #expect(aac("tag", path, "--remove", "Title", "--remove", "My Key").status == 0)
    #expect(try Set(tags(path).keys) == ["genre", "track", "mediaKind"])
    #expect(aac("tag", path, "--clear", "--tag", "album=B").status == 0)
    #expect(try tags(path) as? [String: String] == ["album": "B"])
    #expect(aac("tag", path, "--tag", "album=B").errors.contains("nothing to change"))
    #expect(try packets(path) == before)
    #expect(folder.names == ["x.m4a"])
  }

  @Test func covers() throws {
    let folder = try Folder()
    let path = try folder.silence("x.m4a", frames: 5000)
    try folder.write(Self.png, to: "c.png")
    try folder.write(Self.jpeg, to: "c.jpg")
    try folder.write([1, 2, 3], to: "c.txt")
    #expect(aac("tag", path, "--extract-cover", folder.file("none.png")).errors.contains("has no cover"))
    #expect(aac("tag", path, "--cover", folder.file("c.png"), "--cover", folder.file("c.jpg")).status == 0)
    #expect(aac("tag", path, "--extract-cover", folder.file("out.png")).status == 0)
    #expect(try folder.read("out.png") == Self.png)
    #expect(aac("tag", path, "--extract-cover", folder.file("out.png")).status == 1)
    #expect(aac("tag", "-q", path, "--extract-cover", "-").data == Self.png)
    let artwork = try aac("info", "--json", path).json()["artwork"] as? [[String: Any]]
    #expect(artwork?.map { $0["format"] as? String } == ["png", "jpeg"])
    // They go along to another file, and into new ones.
    #expect(aac("remux", path, folder.file("y.m4a")).status == 0)
    #expect(aac("tag", "-q", folder.file("y.m4a"), "--extract-cover", "-").data == Self.png)
    try folder.tone("t.wav", frames: 4000)
    #expect(
      aac("encode", "-q", folder.file("t.wav"), folder.file("z.m4a"), "--cover", folder.file("c.jpg")).status
        == 0)
    #expect(aac("tag", folder.file("z.m4a"), "--extract-cover", "-").data == Self.jpeg)
    let wrong = aac("tag", path, "--cover", folder.file("c.txt"))
    #expect(wrong.status == 1)
    #expect(wrong.errors.contains("JPEG") && wrong.errors.contains("c.txt"))
    #expect(aac("tag", path, "--remove", "cover").status == 0)
    #expect(aac("tag", path, "--extract-cover", "-").status == 1)
  }

  @Test func chapters() throws {
    let folder = try Folder()
    let path = try folder.silence("x.m4a", frames: 100_000)
    let before = try packets(path)
    try folder.write(
      Array("\u{FEFF}# a remark\n00:00:00.000 Anfang\r\n\n00:00:01.500\tZweites  Kapitel\n00:00:02 \n".utf8),
      to: "c.txt")
    #expect(aac("tag", path, "--chapters", folder.file("c.txt")).status == 0)
    func list(_ path: String) throws -> [[String: Any]] {
      try aac("info", "--json", path).json()["chapters"] as? [[String: Any]] ?? []
    }
    #expect(try list(path).map { $0["title"] as? String } == ["Anfang", "Zweites  Kapitel", ""])
    #expect(try abs((list(path)[1]["start"] as? Double ?? 0) - 1.5) < 0.0001)
    #expect(aac("info", path).text.contains("00:00:01.500 Zweites  Kapitel"))
    #expect(try packets(path) == before)
    for name in ["y.m4a", "z.m4a"] {
      #expect(
        aac(["remux", path, folder.file(name)] + (name == "z.m4a" ? ["--fragmented"] : [])).status == 0)
      #expect(try list(folder.file(name)).count == 3, "\(name)")
    }
    try folder.tone("t.wav", frames: 70_000)
    let late = aac(
      "encode", folder.file("t.wav"), folder.file("t.m4a"), "--chapters", folder.file("c.txt"))
    #expect(late.status == 0)
    #expect(late.errors.contains("1 chapters start behind the end"), "\(late.errors)")
    #expect(try list(folder.file("t.m4a")).count == 2)
    #expect(
      aac("tag", folder.file("t.m4a"), "--chapters", folder.file("c.txt")).errors.contains("behind the end"))
    #expect(aac("tag", path, "--remove", "chapters").status == 0)
    #expect(try list(path).isEmpty)
    #expect(try packets(path) == before)
  }

  @Test func wrongChapterLinesAreNumbered() throws {
    let folder = try Folder()
    let path = try folder.silence("x.m4a", frames: 100_000)
    let before = try folder.read("x.m4a")
    for (text, words) in [
      ("00:00:00 A\n1:2:3 B", "line 2: '1:2:3' is no time"), ("00:00:61.0 A", "line 1"),
      ("00:00:01 A\n\n00:00:01 B", "line 3: 00:00:01 is not behind"), ("Title", "line 1: 'Title'"),
      ("00:00:00.12345678901 A", "line 1"), ("-0:00:01 A", "line 1"),
    ] {
      try folder.write(Array(text.utf8), to: "c.txt")
      let outcome = aac("tag", path, "--chapters", folder.file("c.txt"))
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains(words) && outcome.errors.contains("c.txt"), "\(outcome.errors)")
    }
    #expect(try folder.read("x.m4a") == before)
  }

  /// What `--json` prints can be read back, also from a pipe and into another file.
  @Test func jsonGoesBack() throws {
    let folder = try Folder()
    let path = try folder.silence("x.m4a", frames: 100_000)
    let other = try folder.silence(
      "y.m4a", frames: 100_000, tags: Tags([("title", "Gone"), ("lyrics", "Gone")]))
    try folder.write(Array("00:00:00 A\n00:00:01.234 B \"quoted\" \\ ü\n".utf8), to: "c.txt")
    #expect(
      aac(
        "tag", path, "--chapters", folder.file("c.txt"), "--tag", "title=\"a\"\n\\ä🎵", "--tag", "artist=1",
        "--tag",
        "artist=2"
      ).status == 0)
    let printed = aac("tag", "--json", path).data
    #expect(aac(["tag", other, "--from-json", "-"], input: printed).status == 0)
    func strip(_ path: String) throws -> NSDictionary {
      var json = try aac("tag", "--json", path).json()
      json["file"] = nil
      return json as NSDictionary
    }
    #expect(try strip(other) == strip(path))
    try folder.write(printed, to: "x.json")
    #expect(aac("tag", other, "--from-json", folder.file("x.json")).errors.contains("nothing to change"))
    for text in [
      "{", "[]", "{}", "{\"tags\": 3}", "{\"tags\": {\"a\": 1}}", "{\"chapters\": [{}]}", "{\"tags\": {}} x",
    ] {
      let outcome = aac(["tag", other, "--from-json", "-"], input: Array(text.utf8))
      #expect(outcome.status == 1, "\(text)")
      #expect(outcome.errors.contains("JSON"), "\(outcome.errors)")
    }
  }

  @Test func wrongUse() throws {
    let folder = try Folder()
    let path = try folder.silence("x.m4a", frames: 5000)
    let before = try folder.read("x.m4a")
    for (line, words) in [
      (["tag"], "FILE is missing"), (["tag", "-"], "not on pipes"),
      (["tag", path, "--tag", "x"], "KEY=VALUE"),
      (["tag", path, "--tag", "track=A"], "3/12"), (["tag", path, "--tag", "bpm=fast"], "whole number"),
      (["tag", path, "--tag", "mediaKind=noise"], "audiobook"),
      (["tag", path, "--dry-run"], "something to change"),
      (["tag", path, path, "--extract-cover", "-"], "one FILE"),
    ] {
      let outcome = aac(line)
      #expect(outcome.status == 2, "\(line)")
      #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }
    #expect(try folder.read("x.m4a") == before)
  }

  @Test func dryRunWritesNothing() throws {
    let folder = try Folder()
    let path = try folder.silence("x.m4a", frames: 5000)
    let before = try folder.read("x.m4a")
    let outcome = aac("tag", path, "--tag", "title=New", "--dry-run")
    #expect(outcome.status == 0)
    #expect(outcome.text.contains("New"))
    #expect(outcome.errors.contains("would be written"))
    #expect(try folder.read("x.m4a") == before)
    #expect(folder.names == ["x.m4a"])
  }

  /// B124: files that cannot be edited are told of, and stay as they are; the others are edited all the same.
  @Test func b124_failuresLeaveTheFilesAlone() throws {
    let folder = try Folder()
    let good = try folder.silence("good.m4a", frames: 5000)
    let adts = try folder.silence("x.aac", frames: 5000)
    try folder.write(Array("no sound".utf8), to: "text.m4a")
    try folder.write(try folder.read("good.m4a").dropLast(20), to: "cut.m4a")
    let bad = [
      adts, folder.file("text.m4a"), folder.file("cut.m4a"), folder.file("missing.m4a"), folder.path,
    ]
    let before = try ["x.aac", "text.m4a", "cut.m4a"].map { try folder.read($0) }
    let outcome = aac(["tag", "--tag", "title=T"] + bad + [good])
    #expect(outcome.status == 1)
    for path in bad { #expect(outcome.errors.contains(path), "\(path)") }
    #expect(outcome.errors.contains("ADTS holds no tags"))
    #expect(outcome.errors.contains("remux"))
    #expect(outcome.errors.contains("repair"))
    #expect(try tags(good)["title"] as? String == "T")
    #expect(try ["x.aac", "text.m4a", "cut.m4a"].map { try folder.read($0) } == before)
    #expect(folder.names == ["cut.m4a", "good.m4a", "text.m4a", "x.aac"])
  }

  @Test func modeAndLinksAreKept() throws {
    let folder = try Folder()
    try folder.silence("real.m4a", frames: 5000)
    unsafe chmod(folder.file("real.m4a"), 0o646)
    // Only root may give files away.
    let owner: uid_t = getuid() == 0 ? 12345 : getuid()
    #expect(unsafe chown(folder.file("real.m4a"), owner, getgid()) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link.m4a"), withDestinationPath: folder.file("real.m4a"))
    let mask = umask(0o077)
    defer { umask(mask) }
    #expect(
      aac("tag", folder.file("link.m4a"), "--tag", "title=\(String(repeating: "x", count: 9999))").status == 0
    )
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("real.m4a"))
    #expect(attributes[.posixPermissions] as? Int == 0o646)
    #expect(attributes[.ownerAccountID] as? Int == Int(owner))
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link.m4a")).hasSuffix("real.m4a")
    )
    #expect(try (tags(folder.file("real.m4a"))["title"] as? String)?.count == 9999)
  }

  @Test func interruptsLeaveTheFile() throws {
    let folder = try Folder()
    let path = try folder.silence("x.m4a", frames: 5000)
    let before = try folder.read("x.m4a")
    let cancellation = Cancellation()
    cancellation.cancel()
    #expect(aac(["tag", path, "--tag", "title=T"], cancellation: cancellation).status == 130)
    #expect(throws: AACKitError.self) {
      try Transcoder.editNotes(of: path, cancellation: cancellation) { $0.tags["title"] = "T" }
    }
    #expect(try folder.read("x.m4a") == before)
    #expect(folder.names == ["x.m4a"])
  }

  /// Whoever else writes to the file at the same time wins.
  @Test func aFileThatChangesMeanwhileIsLeftAlone() throws {
    let folder = try Folder()
    let path = try folder.silence("x.m4a", frames: 5000, tags: Tags([("title", "Old")]))
    let other = try folder.read("x.m4a") + [0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65]
    for title in ["New", String(repeating: "x", count: 5000)] {
      #expect(throws: AACKitError.self) {
        try Transcoder.editNotes(of: path) { (notes) throws(AACKitError) in
          notes.tags["title"] = title
          try? folder.write(other, to: "x.m4a")
        }
      }
      #expect(try folder.read("x.m4a") == other)
    }
    #expect(folder.names == ["x.m4a"])
  }

  /// A small change of a file whose tags have room is one write.
  @Test func smallChangesAreMadeInPlace() throws {
    let folder = try Folder()
    let path = try folder.silence("x.m4a", frames: 5000, tags: Tags([("title", "Abcd")]))
    let inode = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    var kinds: Set<String> = []
    // The text may lie across two sectors, but not with every length of what is in front of it.
    for length in [1, 200, 300, 400] {
      #expect(aac("tag", path, "--tag", "artist=\(String(repeating: "x", count: length))").status == 0)
      let before = try packets(path)
      let inode = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
      let outcome = aac("tag", path, "--tag", "title=Ab\(length)")
      let same = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int == inode
      #expect(outcome.errors.contains("in place") == same)
      kinds.insert(same ? "in place" : "anew")
      #expect(try tags(path)["title"] as? String == "Ab\(length)")
      #expect(try packets(path) == before)
    }
    #expect(inode != nil)
    #expect(kinds.contains("in place"), "\(kinds)")
  }
}
