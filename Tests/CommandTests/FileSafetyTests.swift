import AudioFiles
import Foundation
import Testing

@testable import AACCommand

/// Nothing is overwritten, half-written or left behind.
@Suite struct FileSafetyTests {
  @Test("B124") func existingOutputsAreKept() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 3000)
    try folder.tone("x.wav", frames: 3000)
    try folder.write([1, 2, 3], to: "old.wav")
    try folder.write([1, 2, 3], to: "old.m4a")
    for line in [
      ["decode", folder.file("x.m4a"), folder.file("old.wav")],
      ["remux", folder.file("x.m4a"), folder.file("old.m4a")],
      ["encode", folder.file("x.wav"), folder.file("old.m4a")],
    ] {
      let outcome = aac(line)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("exists already"))
      #expect(outcome.errors.contains("-y"), "\(outcome.errors)")
    }
    #expect(try folder.read("old.wav") == [1, 2, 3])
    #expect(try folder.read("old.m4a") == [1, 2, 3])
    #expect(aac("decode", "-y", folder.file("x.m4a"), folder.file("old.wav")).status == 0)
    #expect(try folder.read("old.wav").count > 3)
    #expect(folder.names == ["old.m4a", "old.wav", "x.m4a", "x.wav"])
  }

  @Test("B124") func inputsAreNeverOutputs() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 3000)
    let before = try folder.read("x.m4a")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link.m4a"), withDestinationPath: folder.file("x.m4a"))
    try FileManager.default.linkItem(atPath: folder.file("x.m4a"), toPath: folder.file("hard.m4a"))
    for name in ["x.m4a", "link.m4a", "hard.m4a"] {
      let outcome = aac("remux", "-y", folder.file("x.m4a"), folder.file(name))
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("is the input itself"), "\(outcome.errors)")
    }
    #expect(try folder.read("x.m4a") == before)
  }

  /// A failure in the middle leaves neither a half file nor the old one changed.
  @Test func failuresLeaveTheOldFile() throws {
    let folder = try Folder()
    try folder.silence("x.aac", frames: 9000)
    var bytes = try folder.read("x.aac")
    for index in bytes.count / 2..<bytes.count { bytes[index] = 0x55 }
    try folder.write(bytes, to: "bad.aac")
    try folder.write([7], to: "old.wav")
    #expect(aac("decode", "-y", "--strict", folder.file("bad.aac"), folder.file("old.wav")).status == 1)
    #expect(aac("decode", "-y", folder.file("missing.aac"), folder.file("old.wav")).status == 1)
    #expect(try folder.read("old.wav") == [7])
    #expect(folder.names == ["bad.aac", "old.wav", "x.aac"])
  }

  @Test("B124") func interruptsLeaveTheOldFile() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 90000)
    try folder.write([7], to: "old.wav")
    let cancellation = Cancellation()
    cancellation.cancel()
    for line in [
      ["decode", "-y", folder.file("x.m4a"), folder.file("old.wav")],
      ["remux", "-y", folder.file("x.m4a"), folder.file("old.wav"), "-f", "adts"],
      ["info", folder.file("x.m4a")],
    ] {
      #expect(aac(line, cancellation: cancellation).status == 130)
    }
    #expect(try folder.read("old.wav") == [7])
    #expect(folder.names == ["old.wav", "x.m4a"])
  }

  @Test func outputsKeepTheirModeAndLinks() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 100)
    try folder.write([7], to: "real.wav")
    unsafe chmod(folder.file("real.wav"), 0o640)
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link.wav"), withDestinationPath: folder.file("real.wav"))
    #expect(aac("decode", "-y", folder.file("x.m4a"), folder.file("link.wav")).status == 0)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("real.wav"))
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(try folder.read("real.wav").count == 44 + 400)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link.wav")).hasSuffix("real.wav")
    )
  }

  @Test func devicesAreWrittenTo() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 100)
    #expect(aac("decode", folder.file("x.m4a"), "/dev/null").status == 0)
    #expect(FileManager.default.fileExists(atPath: "/dev/null"))
  }

  @Test func closedPipes() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 900_000)
    signal(SIGPIPE, SIG_IGN)
    let (stdout, stderr) = (Pipe(), Pipe())
    try stdout.fileHandleForReading.close()
    let console = Console(
      input: 0, output: stdout.fileHandleForWriting.fileDescriptor,
      errors: stderr.fileHandleForWriting.fileDescriptor)
    #expect(run(["decode", "-q", folder.file("x.m4a"), "-"], console) == 1)
    try stderr.fileHandleForWriting.close()
    let errors = String(decoding: stderr.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(errors.contains("the reader of the pipe has closed it"), "\(errors)")
  }
}
