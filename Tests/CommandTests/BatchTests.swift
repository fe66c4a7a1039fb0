import AACContainers
import AACKit
import AudioFiles
import Foundation
import PCM
import Testing

@testable import AACCommand

extension Folder {
  func make(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
  }

  func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: file(folder))) ?? []).sorted()
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }
}

/// The lines of an outcome as JSON.
func lines(_ outcome: Outcome) throws -> [[String: Any]] {
  try outcome.errors.split(separator: "\n").map { line in
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }
}

@Suite struct BatchTests {
  @Test func foldersKeepTheirStructure() throws {
    let folder = try Folder()
    for name in ["in/a", "in/b/c", "in/.hidden"] { try folder.make(name) }
    for name in ["in/x.wav", "in/a/x.flac", "in/b/c/y.aiff", "in/.hidden/z.wav", "in/.w.wav"] {
      try folder.tone(name, frames: 2000)
    }
    try folder.write([1], to: "in/notes.txt")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("in/b/loop"), withDestinationPath: folder.file("in"))
    let outcome = aac("encode", "--out-dir", folder.file("out/deep"), folder.file("in"))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.hasPrefix("3 of 3 files done"), "\(outcome.errors)")
    #expect(folder.names(in: "out/deep") == ["a", "b", "x.m4a"])
    for name in ["x", "a/x", "b/c/y"] {
      #expect(try AudioFile.decode(folder.file("out/deep/\(name).m4a")).frameCount == 2000)
    }
    // And back again.
    let decoded = aac("decode", "-q", "-f", "flac", folder.file("out"), folder.file("back") + "/")
    #expect(decoded.status == 0, "\(decoded.errors)")
    #expect(decoded.errors.isEmpty)
    #expect(try AudioFileReader(path: folder.file("back/deep/b/c/y.flac")).frameCount == 2000)
    #expect(folder.names(in: "back/deep") == ["a", "b", "x.flac"])
  }

  @Test func containersOfManyFiles() throws {
    let folder = try Folder()
    try folder.make("in/a")
    try folder.silence("in/x.m4a", frames: 9 * 1024)
    try folder.silence("in/a/y.aac", frames: 9 * 1024)
    let outcome = aac(
      "remux", "-f", "loas", "--progress", "json", "--out-dir", folder.file("out"), folder.file("in"))
    #expect(outcome.status == 0, "\(outcome.errors)")
    let objects = try lines(outcome)
    #expect(objects.count == 3)
    let first = objects.first { ($0["input"] as? String)?.hasSuffix("x.m4a") == true }
    #expect(abs((first?["seconds"] as? Double ?? 0) - 9 * 1024 / 44100) < 1e-9)
    #expect(try AudioFile.decode(folder.file("out/a/y.loas")).frameCount == 10 * 1024)
    #expect(try AudioFile.decode(folder.file("out/x.loas")).frameCount == 10 * 1024)
    let line = ["remux", "--resume", "-f", "loas", "--out-dir", folder.file("out"), folder.file("in")]
    #expect(aac(line).errors.hasPrefix("0 of 2 files done, 2 skipped"))
  }

  @Test func patterns() throws {
    let folder = try Folder()
    for name in ["d/e1", "d/e2"] { try folder.make(name) }
    for name in ["a1.wav", "a2.wav", "b1.wav", "d/e1/x.wav", "d/e2/x.wav", "d/e2/[x].wav"] {
      try folder.tone(name, frames: 100)
    }
    func encode(_ pattern: String, _ out: String) -> Outcome {
      aac("encode", "--out-dir", folder.file(out), folder.file(pattern))
    }
    #expect(encode("a[12].w?v", "o1").status == 0)
    #expect(folder.names(in: "o1") == ["a1.m4a", "a2.m4a"])
    #expect(encode("[!a]*.wav", "o2").status == 0)
    #expect(folder.names(in: "o2") == ["b1.m4a"])
    #expect(encode("d/*/x.wav", "o3").status == 0)
    #expect(folder.names(in: "o3") == ["e1", "e2"])
    // A file that is really called so.
    #expect(encode("d/e2/[x].wav", "o4").status == 0)
    #expect(folder.names(in: "o4") == ["[x].m4a"])
    let none = encode("*.flac", "o5")
    #expect(none.status == 1)
    #expect(none.errors.contains("no file fits this pattern"), "\(none.errors)")
    #expect(!folder.exists("o5"))
  }

  @Test(arguments: [
    ("*", "abc", true), ("*", ".abc", false), (".*", ".abc", true), ("a*c", "abbc", true),
    ("a*c", "abcd", false),
    ("*a*a*a*b", String(repeating: "a", count: 5000), false), ("?", "é", true), ("[a-c]x", "bx", true),
    ("[!a-c]x", "bx", false), ("[]]", "]", true), ("[a", "[a", true), ("\\*", "*", true), ("\\*", "a", false),
    ("", "", true), ("**", "", true),
  ]) func globs(pattern: String, name: String, isFitting: Bool) {
    #expect(GlobPattern(pattern).matches(name) == isFitting)
  }

  /// One that fails does not keep the others from being done, and is named in the end.
  @Test func b125_partialFailures() throws {
    let folder = try Folder()
    try folder.make("in")
    for name in ["a", "c"] { try folder.tone("in/\(name).wav", frames: 4410) }
    try folder.write([UInt8]("no sound at all".utf8), to: "in/b.wav")
    try folder.tone("in/d.wav", frames: 4410, layout: .discrete(9))
    let outcome = aac("encode", "-j", "2", "--out-dir", folder.file("out"), folder.file("in"))
    #expect(outcome.status == 1)
    #expect(!outcome.errors.contains("\r"))
    let told = outcome.errors.split(separator: "\n").map(String.init)
    #expect(told.count == 3, "\(told)")
    #expect(told.contains { $0.contains("b.wav") && $0.contains("no audio file") })
    #expect(told.contains { $0.contains("d.wav") && $0.contains("9 channels") })
    #expect(told.last?.hasPrefix("2 of 4 files done, 2 failed") == true, "\(told)")
    #expect(folder.names(in: "out") == ["a.m4a", "c.m4a"])

    let json = aac(
      "encode", "-y", "--progress", "json", "-j", "2", "--out-dir", folder.file("out"), folder.file("in"))
    #expect(json.status == 1)
    let objects = try lines(json)
    #expect(objects.count == 5)
    for object in objects.dropLast() {
      let input = try #require(object["input"] as? String)
      let isGood = input.hasSuffix("a.wav") || input.hasSuffix("c.wav")
      #expect(object["status"] as? String == (isGood ? "done" : "failed"))
      #expect((object["error"] as? String == nil) == isGood)
      if isGood { #expect(object["seconds"] as? Double == 0.1) }
      #expect((object["output"] as? String)?.hasPrefix(folder.file("out/")) == true)
    }
    let totals = try #require(objects.last)
    #expect(totals["files"] as? Int == 4 && totals["done"] as? Int == 2 && totals["failed"] as? Int == 2)
  }

  @Test func collisionsAreRefusedBeforeAnythingIsDone() throws {
    let folder = try Folder()
    try folder.make("in/b")
    for name in ["in/x.wav", "in/x.flac", "in/b/y.wav", "x.wav"] { try folder.tone(name, frames: 1000) }
    for line in [
      [folder.file("in")], [folder.file("in/x.wav"), folder.file("x.wav")],
      ["--name", "{album}", folder.file("in/x.wav"), folder.file("in/b/y.wav")],
    ] {
      let outcome = aac(["encode", "--out-dir", folder.file("out")] + line)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("two inputs would become '\(folder.file("out/"))"), "\(outcome.errors)")
      #expect(!folder.exists("out"))
    }
    // The same file named twice is one input.
    let twice = aac(
      "encode", "--out-dir", folder.file("out"), folder.file("x.wav"), folder.file("x.wav"))
    #expect(twice.status == 0, "\(twice.errors)")
  }

  /// Neither the input itself nor the input of another file is ever an output.
  @Test func b124_outputIsInput() throws {
    let folder = try Folder()
    try folder.make("in")
    try folder.silence("in/x.m4a", frames: 3000)
    try folder.tone("y.wav", frames: 3000)
    try folder.tone("x.wav", frames: 3000)
    let before = try folder.read("in/x.m4a")
    let itself = aac("encode", "-y", "--out-dir", folder.file("in"), folder.file("in/x.m4a"))
    #expect(itself.status == 1)
    #expect(itself.errors.contains("is the input itself"), "\(itself.errors)")
    let other = aac(
      "encode", "-y", "--out-dir", folder.file("in"), "--name", "x", folder.file("y.wav"))
    #expect(other.status == 0, "not an input of this run: -y replaces it")
    try folder.write(before, to: "in/x.m4a")
    let both = aac(
      "encode", "-y", "-f", "m4a", "--out-dir", folder.file("in"), folder.file("x.wav"),
      folder.file("in/../in/x.m4a"))
    #expect(both.status == 2, "\(both.errors)")
    #expect(try folder.read("in/x.m4a") == before)
    #expect(folder.names(in: "in") == ["x.m4a"])
  }

  @Test func b124_existingOutputsAreKept() throws {
    let folder = try Folder()
    try folder.make("out")
    for name in ["x", "y"] { try folder.tone("\(name).wav", frames: 3000) }
    try folder.write([7], to: "out/x.m4a")
    let line = ["--out-dir", folder.file("out"), folder.file("x.wav"), folder.file("y.wav")]
    let outcome = aac(["encode"] + line)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("exists already") && outcome.errors.contains("-y"), "\(outcome.errors)")
    #expect(try folder.read("out/x.m4a") == [7])
    #expect(folder.names(in: "out") == ["x.m4a", "y.m4a"])
    // What is no whole file is not skipped, and still not replaced without being asked.
    #expect(aac(["encode", "--resume"] + line).errors.contains("1 skipped"))
    #expect(try folder.read("out/x.m4a") == [7])
    let replaced = aac(["encode", "--resume", "-y"] + line)
    #expect(replaced.status == 0)
    #expect(replaced.errors.hasPrefix("1 of 2 files done, 1 skipped"), "\(replaced.errors)")
    #expect(try AudioFile.decode(folder.file("out/x.m4a")).frameCount == 3000)
  }

  @Test func resumeDoesWhatHasChanged() throws {
    let folder = try Folder()
    for name in ["x", "y"] { try folder.tone("\(name).wav", frames: 3000) }
    let line = ["encode", "-y", "--resume", "--out-dir", folder.file("out"), folder.file("*.wav")]
    #expect(aac(line).errors.hasPrefix("2 of 2 files done"))
    #expect(aac(line).errors.hasPrefix("0 of 2 files done, 2 skipped"))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: 60)], ofItemAtPath: folder.file("y.wav"))
    #expect(aac(line).errors.hasPrefix("1 of 2 files done, 1 skipped"))
  }

  @Test func interruptsKeepWhatIsFinished() throws {
    let folder = try Folder()
    try folder.make("in")
    for index in 0..<30 { try folder.tone("in/\(index).wav", frames: 20000) }
    let cancellation = Cancellation()
    Thread.detachNewThread { [path = folder.file("out")] in
      for _ in 0..<10000 {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        if names.contains(where: { $0.hasSuffix(".m4a") }) { break }
        usleep(1000)
      }
      cancellation.cancel()
    }
    let outcome = aac(
      ["encode", "-j", "2", "--out-dir", folder.file("out"), folder.file("in")], cancellation: cancellation)
    #expect(outcome.status == 130)
    let names = folder.names(in: "out")
    #expect((1..<30).contains(names.count), "\(names)")
    #expect(names.allSatisfy { $0.hasSuffix(".m4a") && !$0.hasPrefix(".") })
    for name in names { #expect(try AudioFile.decode(folder.file("out/\(name)")).frameCount == 20000) }
    #expect(outcome.errors.contains("\(names.count) of 30 files done"), "\(outcome.errors)")
    #expect(outcome.errors.contains("\(30 - names.count) left"), "\(outcome.errors)")
  }

  @Test func wrongUse() throws {
    let folder = try Folder()
    try folder.tone("x.wav", frames: 100)
    for (line, words) in [
      (["--name", "{nope}"], "there is no field {nope}; there are {stem} {title}"),
      (["--name", "../x"], "stays within the output folder"), (["--name", "/x"], "folders need a name"),
      (["--name", "{title"], "a brace is not closed"), (["-j", "0"], "whole number from 1 to 256"),
    ] {
      let outcome = aac(["encode", "--out-dir", folder.file("out"), folder.file("x.wav")] + line)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }
    let single = aac("encode", "--resume", folder.file("x.wav"), folder.file("x.m4a"))
    #expect(single.status == 2 && single.errors.contains("--out-dir"), "\(single.errors)")
    let pipe = aac("encode", "--out-dir", folder.file("out"), "-")
    #expect(pipe.status == 2 && pipe.errors.contains("standard input"), "\(pipe.errors)")
    #expect(folder.names == ["x.wav"])
  }
}
