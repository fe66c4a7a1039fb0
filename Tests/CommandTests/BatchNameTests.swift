import AACContainers
import AACKit
import Foundation
import Testing

@testable import AACCommand

/// Names that would lead elsewhere, and names that no file can have.
@Suite struct BatchNameTests {
  @Test(arguments: [
    ("{title}", "../../x", "_._.._x"), ("{title}", "..", "_"), ("{title}", ".hidden", "_hidden"),
    ("{title}", "/etc/passwd", "_etc_passwd"), ("{title}", "a\u{0}b\u{1B}[2J\r\nc", "a_b_[2J__c"),
    ("{title}", "what? \"this\": <a|b>*", "what_ _this__ _a_b__"), ("{title}", "  x. ", "x"),
    ("{title}", "", "unknown"), ("{title}", "...", "_"), ("{artist}/{title}", "x", "unknown/x"),
    ("{track} - {title}", "x", "unknown - x"),
  ]) func hostileTitles(template: String, title: String, name: String) throws {
    let made = try NameTemplate(template, option: "--name").name(stem: "stem", Tags([("title", title)]))
    #expect(made == name)
  }

  @Test func fields() throws {
    let tags = Tags([
      ("title", "Höhe"), ("artist", "A"), ("album", "B"), ("track", "3/12"), ("disc", "1/2"),
      ("date", "2026-05-01"),
    ])
    let template = try NameTemplate(
      "{albumArtist}/{year} {album}/{disc}-{track} {title} ({stem})", option: "--name")
    #expect(template.name(stem: "s", tags) == "A/2026 B/1-03 Höhe (s)")
    #expect(template.needsTags && template.hasFolders)
    #expect(try !NameTemplate("{stem} x", option: "--name").needsTags)
    #expect(try NameTemplate("{title}", option: "--name").name(stem: "s", Tags()) == "s")
  }

  @Test func longNamesEndAtWholeCharacters() throws {
    for title in [String(repeating: "x", count: 5000), String(repeating: "👩‍👩‍👧", count: 400)] {
      let name = try NameTemplate("{title}", option: "--name").name(stem: "s", Tags([("title", title)]))
      #expect((150...200).contains(name.utf8.count))
      #expect(title.hasPrefix(name))
    }
  }

  /// From tags to files, in the output folder and nowhere else.
  @Test func hostileTagsStayInTheFolder() throws {
    let folder = try Folder()
    try folder.make("in")
    let titles = [
      "../../escape", "/absolute", "tab\tand\u{7}bell", String(repeating: "é", count: 2000), "-y",
    ]
    for (index, title) in titles.enumerated() {
      let tags = Tags([("title", title), ("artist", ".."), ("track", "\(index + 1)")])
      try folder.silence("in/\(index).m4a", frames: 1000, tags: tags)
    }
    let outcome = aac(
      "decode", "--out-dir", folder.file("out"), "--name", "{artist}/{track} {title}", folder.file("in"))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(folder.names == ["in", "out"])
    #expect(folder.names(in: "out") == ["_"])
    let names = folder.names(in: "out/_")
    #expect(names.count == 5)
    #expect(names.contains("01 .._.._escape.wav"), "\(names)")
    #expect(names.contains("05 -y.wav"))
    #expect(names.allSatisfy { name in !name.unicodeScalars.contains { $0.value < 32 } })
  }

  /// Names that are no text cannot be opened, which is told; the others are done.
  @Test func namesThatAreNoUTF8() throws {
    let folder = try Folder()
    try folder.make("in")
    try folder.tone("in/good.wav", frames: 1000)
    let path =
      folder.file("in/").utf8CString.dropLast() + [0x62, CChar(bitPattern: 0xFF), 0x2E, 0x77, 0x61, 0x76, 0]
    let descriptor = unsafe open([CChar](path), O_WRONLY | O_CREAT, 0o600)
    try #require(descriptor >= 0)
    close(descriptor)
    let outcome = aac("encode", "--out-dir", folder.file("out"), folder.file("in"))
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("the name is no UTF-8: rename the file"), "\(outcome.errors)")
    #expect(outcome.errors.contains("1 of 2 files done, 1 failed"))
    #expect(folder.names(in: "out") == ["good.m4a"])
  }

  /// Messages do not let a name command the terminal.
  @Test func controlCharactersAreNotPrinted() throws {
    let folder = try Folder()
    try folder.make("in")
    try folder.write([1, 2, 3], to: "in/\u{1B}[2J\n.wav")
    let outcome = aac("encode", "--out-dir", folder.file("out"), folder.file("in"))
    #expect(outcome.status == 1)
    #expect(!outcome.errors.contains("\u{1B}"))
    #expect(outcome.errors.split(separator: "\n").count == 2)
    let json = aac("encode", "--progress", "json", "--out-dir", folder.file("out"), folder.file("in"))
    #expect(try (lines(json).first?["input"] as? String)?.hasSuffix("\u{1B}[2J\n.wav") == true)
  }

  /// A name as long as names may be.
  @Test func longestFileNames() throws {
    let folder = try Folder()
    try folder.make("in")
    let stem = String(repeating: "é", count: 125)
    try folder.tone("in/\(stem).wav", frames: 1000)
    let outcome = aac("encode", "--out-dir", folder.file("out"), folder.file("in"))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(folder.names(in: "out") == ["\(stem).m4a"])
  }
}
