import AAC
import AACContainers
import AACKit
import Foundation
import PCM
import Testing

@testable import AACCommand

@Suite struct RepairCommandTests {
  /// A recording of silence in fragments: `name` in the folder.
  private func recording(_ folder: Folder, _ name: String, cut: Int = 0) throws -> Int {
    try folder.silence("plain.m4a", frames: 100_000, tags: Tags([("title", "T")]))
    #expect(aac("remux", "--fragmented", folder.file("plain.m4a"), folder.file("whole.mp4")).status == 0)
    try folder.write([UInt8](try folder.read("whole.mp4").dropLast(cut)), to: name)
    try FileManager.default.removeItem(atPath: folder.file("whole.mp4"))
    return (1024 + 100_000 + 1023) / 1024
  }

  @Test func unfinishedRecording() throws {
    let folder = try Folder()
    let count = try recording(folder, "take.m4a")
    let outcome = aac("repair", folder.file("take.m4a"))
    #expect(outcome.status == 0)
    #expect(outcome.data.isEmpty)
    #expect(outcome.errors.contains("not finished"), "\(outcome.errors)")
    #expect(outcome.errors.contains("\(count) frames kept, 0 lost"), "\(outcome.errors)")
    #expect(folder.names == ["plain.m4a", "take.m4a"])
    let info = try aac("info", "--json", folder.file("take.m4a")).json()
    #expect(info["container"] as? String == "m4a")
    #expect(info["samples"] as? Int == 100_000)
    #expect((info["tags"] as? [String: String])?["title"] == "T")
    // Once more: nothing to do.
    let bytes = try folder.read("take.m4a")
    let again = aac("repair", folder.file("take.m4a"))
    #expect(again.status == 0)
    #expect(again.errors.contains("nothing is wrong"), "\(again.errors)")
    #expect(try folder.read("take.m4a") == bytes)
    #expect(aac("repair", "-q", folder.file("take.m4a"), folder.file("new.m4a")).errors.isEmpty)
    #expect(folder.names == ["plain.m4a", "take.m4a"])
  }

  @Test func cutRecordingInPlaceAndElsewhere() throws {
    let folder = try Folder()
    let count = try recording(folder, "take.m4a", cut: 3)
    let bytes = try folder.read("take.m4a")
    var outcome = aac("repair", folder.file("take.m4a"), folder.file("new.m4a"))
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("\(count - 1) frames kept, 1 lost"), "\(outcome.errors)")
    #expect(outcome.errors.contains("at byte"), "\(outcome.errors)")
    #expect(try folder.read("take.m4a") == bytes)
    #expect(folder.names == ["new.m4a", "plain.m4a", "take.m4a"])

    outcome = aac("repair", folder.file("take.m4a"))
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("take.damaged.m4a: the original"), "\(outcome.errors)")
    #expect(try folder.read("take.damaged.m4a") == bytes)
    #expect(try folder.read("take.m4a") == folder.read("new.m4a"))

    // The kept original is not replaced without leave.
    try folder.write(bytes, to: "take.m4a")
    try folder.write([7], to: "take.damaged.m4a")
    outcome = aac("repair", folder.file("take.m4a"))
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("take.damaged.m4a") && outcome.errors.contains("-y"), "\(outcome.errors)")
    #expect(try folder.read("take.damaged.m4a") == [7] && folder.read("take.m4a") == bytes)
    #expect(aac("repair", "-y", folder.file("take.m4a")).status == 0)
    #expect(try folder.read("take.damaged.m4a") == bytes)

    // Nor is an output, and the input never.
    try folder.write([7], to: "new.m4a")
    try folder.write(bytes, to: "take.m4a")
    #expect(aac("repair", folder.file("take.m4a"), folder.file("new.m4a")).status == 1)
    #expect(try folder.read("new.m4a") == [7])
    outcome = aac("repair", "-y", folder.file("take.m4a"), folder.file("take.m4a"))
    #expect(outcome.status == 1 && outcome.errors.contains("is the input itself"), "\(outcome.errors)")
    #expect(try folder.read("take.m4a") == bytes)
  }

  @Test func asJSON() throws {
    let folder = try Folder()
    let count = try recording(folder, "take.m4a", cut: 3)
    let outcome = aac("repair", "-q", "--progress", "json", folder.file("take.m4a"), folder.file("new.m4a"))
    #expect(outcome.status == 0)
    let line = try #require(outcome.errors.split(separator: "\n").last)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(object["outcome"] as? String == "repaired")
    #expect(object["done"] as? Bool == true)
    #expect(object["kept"] as? Int == count - 1 && object["lost"] as? Int == 1)
    #expect(object["unknownLoss"] as? Bool == false)
    #expect(abs((object["duration"] as? Double ?? 0) - Double((count - 2) * 1024) / 44100) < 1e-3)
    #expect((object["faults"] as? [String])?.count == 2)
    #expect(object["firstByte"] as? Int != nil)
    #expect(object["container"] as? String == "m4a")
  }

  /// The sound alone, as a recorder leaves it that was killed.
  @Test func lostTables() throws {
    let folder = try Folder()
    try folder.tone("x.wav", frames: 60_000, layout: .mono, rate: 48000)
    #expect(aac("encode", "-q", folder.file("x.wav"), folder.file("like.m4a")).status == 0)
    let whole = try folder.read("like.m4a")
    let name = [UInt8]("mdat".utf8)
    let start = try #require((0..<whole.count - 4).last { whole[$0..<$0 + 4].elementsEqual(name) })
    try folder.write([0, 0, 0, 0] + whole[start...], to: "lost.m4a")
    let frames = try aac("info", "--json", folder.file("like.m4a")).json()["frames"] as? Int ?? 0
    #expect(frames > 50)

    var outcome = aac("repair", folder.file("lost.m4a"), folder.file("guessed.m4a"))
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("tables (moov) are missing"), "\(outcome.errors)")
    #expect(outcome.errors.contains("mono") && outcome.errors.contains("48000"), "\(outcome.errors)")
    #expect(outcome.errors.contains("\(frames) frames kept, 0 lost"), "\(outcome.errors)")
    for options in [["--rate", "48000", "--channels", "1"], ["--like", folder.file("like.m4a")]] {
      outcome = aac(["repair", "-y"] + options + [folder.file("lost.m4a"), folder.file("told.m4a")])
      #expect(outcome.status == 0)
      let info = try aac("info", "--json", folder.file("told.m4a")).json()
      #expect(info["frames"] as? Int == frames)
      #expect(info["sampleRate"] as? Int == 48000 && info["channels"] as? Int == 1)
    }
    // With the other file's priming it is the same sound from the first sample on.
    #expect(aac("decode", "-q", folder.file("told.m4a"), folder.file("told.wav")).status == 0)
    #expect(aac("decode", "-q", folder.file("like.m4a"), folder.file("like.wav")).status == 0)
    let told = try folder.read("told.wav")
    let like = try folder.read("like.wav")
    #expect(told[44..<like.count] == like[44...])
  }

  @Test func nothingToSave() throws {
    let folder = try Folder()
    try folder.write([], to: "empty.m4a")
    try folder.tone("x.wav", frames: 100)
    let cases = [
      ("empty.m4a", "the file is empty"), ("x.wav", "WAV"), ("missing.m4a", "missing.m4a"),
      (".", "directory"),
    ]
    for (name, word) in cases {
      let outcome = aac("repair", folder.file(name))
      #expect(outcome.status == 1, "\(name)")
      #expect(outcome.errors.contains(word), "\(outcome.errors)")
    }
    #expect(folder.names == ["empty.m4a", "x.wav"])
  }

  @Test func usage() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 3000)
    let path = folder.file("x.m4a")
    for (line, word) in [
      ([], "IN is missing"), (["-"], "pipes"), ([path, "-"], "pipes"), ([path, "b.m4a", "c"], "too many"),
      (["--rate", "x", path], "--rate"), (["--channels", "0", path], "--channels"),
      (["--like", path, "--rate", "8000", path], "--like"), (["-f", "m4a", path], "needs OUT"),
      ([path, folder.file("b.raw")], "raw"), ([path, folder.file("b.xyz")], "does not tell"),
    ] as [([String], String)] {
      let outcome = aac(["repair"] + line)
      #expect(outcome.status == 2, "\(line)")
      #expect(outcome.errors.contains(word), "\(outcome.errors)")
    }
  }
}
