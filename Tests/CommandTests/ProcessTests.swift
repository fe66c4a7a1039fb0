import Foundation
import Testing

@testable import AACCommand

/// What only a process of its own can show: signals, full disks, closed pipes.
@Suite struct ProcessTests {
  /// The program that was built along with the tests.
  static func start(
    _ arguments: [String], input: Any? = nil, output: Any? = nil
  ) throws -> (process: Process, errors: Pipe) {
    let folder = URL(filePath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
    let program = folder.appending(path: "aac")
    try #require(FileManager.default.isExecutableFile(atPath: program.path), "\(program.path)")
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = input ?? FileHandle.nullDevice
    process.standardOutput = output ?? FileHandle.nullDevice
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    return (process, errors)
  }

  /// Waits for an end, but not for ever.
  static func end(_ process: Process) -> Int32 {
    for _ in 0..<1000 where process.isRunning { usleep(10000) }
    if process.isRunning {
      process.terminate()
      kill(process.processIdentifier, SIGKILL)
      return -1
    }
    return process.terminationStatus
  }

  /// Interrupted while it waits for a pipe: 130, the old file untouched, nothing left behind.
  @Test("B124", arguments: [SIGINT, SIGTERM, SIGHUP]) func interruptsWhileReading(number: Int32) throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 400_000)
    try folder.write([7], to: "old.wav")
    let input = Pipe()
    let (process, _) = try Self.start(["decode", "-y", "-", folder.file("old.wav")], input: input)
    let bytes = try folder.read("x.m4a")
    try input.fileHandleForWriting.write(contentsOf: Data(bytes.prefix(bytes.count / 2)))
    usleep(300_000)
    kill(process.processIdentifier, number)
    #expect(Self.end(process) == 130)
    #expect(try folder.read("old.wav") == [7])
    #expect(folder.names == ["old.wav", "x.m4a"])
  }

  @Test func interruptsWhileWriting() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 400_000)
    let output = Pipe()
    let (process, _) = try Self.start(["decode", folder.file("x.m4a"), "-"], output: output)
    usleep(300_000)
    kill(process.processIdentifier, SIGINT)
    #expect(Self.end(process) == 130)
  }

  @Test func closedPipeIsNoCrash() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 400_000)
    let output = Pipe()
    let (process, errors) = try Self.start(["decode", "-q", folder.file("x.m4a"), "-"], output: output)
    try output.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
    #expect(Self.end(process) == 1)
    #expect(process.terminationReason == .exit)
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(text.contains("the reader of the pipe has closed it"))
  }
}

/// Full disks: by the device that is always full, and by a small file system where that can be mounted.
@Suite struct FullDiskTests {
  @Test func fullDevice() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 100_000)
    for line in [
      ["decode", folder.file("x.m4a"), "/dev/full"],
      ["decode", "-f", "s16le", folder.file("x.m4a"), "/dev/full"],
      ["remux", folder.file("x.m4a"), "/dev/full"],
    ] {
      let outcome = aac(line)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("/dev/full"), "\(outcome.errors)")
      #expect(outcome.errors.contains("full") && outcome.errors.contains("space"), "\(outcome.errors)")
    }
  }

  static func command(_ words: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  @Test(.enabled(if: getuid() == 0, "mounting a small file system needs root")) func smallFileSystem() throws
  {
    let folder = try Folder()
    let mount = try Folder()
    guard Self.command("mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", mount.path) else {
      withKnownIssue("this machine mounts no file systems") { Issue.record("not mounted") }
      return
    }
    defer { _ = Self.command("umount", mount.path) }
    try folder.silence("x.m4a", frames: 100_000)
    try folder.silence("large.m4a", frames: 20_000_000)
    try mount.write([7], to: "old.wav")
    try mount.write([7], to: "old.m4a")
    for line in [
      ["decode", "-y", folder.file("x.m4a"), mount.file("old.wav")],
      ["decode", "-f", "f64le", folder.file("x.m4a"), mount.file("new.pcm")],
      ["remux", "-y", folder.file("large.m4a"), mount.file("old.m4a")],
    ] {
      let outcome = aac(line)
      #expect(outcome.status == 1, "\(line)")
      #expect(outcome.errors.contains("space"), "\(outcome.errors)")
      #expect(mount.names == ["old.m4a", "old.wav"])
    }
    #expect(try mount.read("old.wav") == [7])
    #expect(try mount.read("old.m4a") == [7])
  }
}
