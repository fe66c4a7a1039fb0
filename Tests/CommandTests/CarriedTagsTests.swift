import AACContainers
import AACKit
import AudioFiles
import Foundation
import PCM
import Testing

@testable import AACCommand

/// What the input says of itself is not lost.
@Suite struct CarriedTagsTests {
  private func tags(_ path: String) throws -> [String: String] {
    let json = try aac("info", "--json", path).json()
    return json["tags"] as? [String: String] ?? [:]
  }

  private func chunk(_ name: String, _ body: [UInt8], isBig: Bool = false) -> [UInt8] {
    let size = (0..<4).map { UInt8(body.count >> (8 * (isBig ? 3 - $0 : $0)) & 0xFF) }
    return [UInt8](name.utf8) + size + body + (body.count % 2 == 1 ? [0] : [])
  }

  /// Adds chunks to a WAV or AIFF file.
  private func append(_ chunks: [UInt8], to name: String, in folder: Folder, isBig: Bool) throws {
    var bytes = try folder.read(name) + chunks
    let size = bytes.count - 8
    for index in 0..<4 { bytes[4 + index] = UInt8(size >> (8 * (isBig ? 3 - index : index)) & 0xFF) }
    try folder.write(bytes, to: name)
  }

  @Test func fromWAV() throws {
    let folder = try Folder()
    try folder.tone("x.wav", frames: 3000)
    let latin: [UInt8] = [0x48, 0xF6, 0x68, 0x65, 0]
    let list =
      [UInt8]("INFO".utf8) + chunk("INAM", latin) + chunk("IART", [UInt8]("A\0".utf8))
      + chunk("IPRD", [UInt8]("Album\0".utf8)) + chunk("ICRD", [UInt8]("2026\0".utf8))
      + chunk("ISFT", [UInt8]("somebody's encoder\0".utf8))
    try append(chunk("LIST", list), to: "x.wav", in: folder, isBig: false)
    #expect(
      aac("encode", "--tag", "genre=Jazz", "--tag", "artist=", folder.file("x.wav"), folder.file("x.m4a"))
        .status == 0)
    let found = try tags(folder.file("x.m4a"))
    #expect(found["title"] == "Höhe" && found["album"] == "Album" && found["date"] == "2026")
    #expect(found["genre"] == "Jazz")
    #expect(found["artist"] == nil, "removed")
    #expect(found["encoder"] != "somebody's encoder")
  }

  /// A cover goes along from file to file, unless another one is given.
  @Test func covers() throws {
    let folder = try Folder()
    try folder.tone("x.wav", frames: 3000)
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
    let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 7]
    let body = [0] + Array("image/png".utf8) + [0, 3, 0] + png
    let frame = Array("APIC".utf8) + [0, 0, 0, UInt8(body.count), 0, 0] + body
    let tag = Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    try append(chunk("id3 ", tag), to: "x.wav", in: folder, isBig: false)
    try folder.write(jpeg, to: "other.jpg")
    func covers(_ name: String) throws -> [[UInt8]] {
      try AACReader(path: folder.file(name)).info.tags.artwork.map(\.data)
    }
    #expect(aac("encode", folder.file("x.wav"), folder.file("x.m4a")).status == 0)
    #expect(try covers("x.m4a") == [png])
    #expect(aac("encode", folder.file("x.m4a"), folder.file("y.m4a")).status == 0)
    #expect(try covers("y.m4a") == [png])
    let other = aac(
      "encode", "--cover", folder.file("other.jpg"), folder.file("x.wav"), folder.file("z.m4a"))
    #expect(other.status == 0, "\(other.errors)")
    #expect(try covers("z.m4a") == [jpeg])
    // Through resampling and a batch, too.
    let batch = aac("encode", "--rate", "32000", "--out-dir", folder.file("out"), folder.file("x.wav"))
    #expect(batch.status == 0, "\(batch.errors)")
    #expect(try covers("out/x.m4a") == [png])
  }

  @Test func fromAIFF() throws {
    let folder = try Folder()
    try folder.tone("x.aiff", frames: 3000)
    let chunks =
      chunk("NAME", [UInt8]("Title".utf8), isBig: true) + chunk("AUTH", [UInt8]("Me".utf8), isBig: true)
    try append(chunks, to: "x.aiff", in: folder, isBig: true)
    #expect(aac("encode", folder.file("x.aiff"), folder.file("x.m4a")).status == 0)
    let found = try tags(folder.file("x.m4a"))
    #expect(found["title"] == "Title" && found["artist"] == "Me")
  }

  @Test(.enabled(if: Tool.run("flac", ["--version"]) != nil)) func fromFLAC() throws {
    let folder = try Folder()
    try folder.tone("x.wav", frames: 3000)
    _ = try #require(
      Tool.run(
        "flac",
        [
          "-s", "-T", "TITLE=Höhe", "-T", "ARTIST=A", "-T", "TRACKNUMBER=3", "-o", folder.file("x.flac"),
          folder.file("x.wav"),
        ]
      ))
    // By the name that the tags make, too.
    let outcome = aac(
      "encode", "--out-dir", folder.file("out"), "--name", "{artist}/{track} {title}", folder.file("x.flac"))
    #expect(outcome.status == 0, "\(outcome.errors)")
    let found = try tags(folder.file("out/A/03 Höhe.m4a"))
    #expect(found["title"] == "Höhe" && found["artist"] == "A" && found["track"] == "3")
  }

  @Test func fromM4A() throws {
    let folder = try Folder()
    let old = Tags([("title", "T"), ("mood", "calm"), ("encoder", "another")])
    try folder.silence("x.m4a", frames: 3000, tags: old)
    #expect(aac("encode", folder.file("x.m4a"), folder.file("y.m4a")).status == 0)
    let found = try tags(folder.file("y.m4a"))
    #expect(found["title"] == "T" && found["mood"] == "calm")
    #expect(found["encoder"] != "another")
    // Containers without tags say nothing of them where none were asked for.
    let adts = aac("encode", folder.file("x.m4a"), folder.file("y.aac"))
    #expect(adts.status == 0)
    #expect(!adts.errors.contains("tag"), "\(adts.errors)")
  }
}
