import AACContainers
import Foundation
import Testing

@testable import AACCommand

/// What happens to a file when the program that edits it dies, or the disk is full.
@Suite struct TagProcessTests {
  /// A file of so many bytes and more, most of them a cover.
  private static func large(_ folder: Folder, _ size: Int) throws -> String {
    var tags = Tags([("title", "old1")])
    tags.artwork = [try Artwork([0xFF, 0xD8, 0xFF] + [UInt8](repeating: 1, count: size))]
    return try folder.silence("x.m4a", frames: 300_000, tags: tags)
  }

  /// Killed at 200 moments of an edit that writes the file anew, and of one that is made in place: there is the old
  /// file bit by bit, or the new one; what is left over has a name that tells what it is.
  @Test(arguments: [true, false]) func killedAtAnyMoment(inPlace: Bool) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = Seeded(seed)
    let folder = try Folder()
    let path = try Self.large(folder, 2_000_000)
    let change =
      inPlace
      ? ["--tag", "title=new1"]
      : ["--tag", "title=new1", "--tag", "comment=\(String(repeating: "x", count: 9000))"]
    let old = try folder.read("x.m4a")
    let started = ContinuousClock.now
    let trial = try ProcessTests.start(["tag", path] + change)
    #expect(ProcessTests.end(trial.process) == 0)
    let words = String(decoding: trial.errors.fileHandleForReading.availableData, as: UTF8.self)
    #expect(words.contains("in place") == inPlace, "\(words)")
    let length = started.duration(to: .now) / .microseconds(1)
    let new = try folder.read("x.m4a")
    #expect(new != old)
    var outcomes: [String: Int] = [:]
    for round in 0..<100 {
      try folder.write(old, to: "x.m4a")
      let (process, _) = try ProcessTests.start(["tag", path] + change)
      usleep(UInt32(random.next() % UInt64(max(1, length * 1.1))))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      let now = try folder.read("x.m4a")
      #expect(now == old || now == new, "seed \(seed), round \(round)")
      outcomes[now == old ? "old" : "new", default: 0] += 1
      for name in folder.names where name != "x.m4a" {
        #expect(name.hasPrefix(".x.m4a.") && name.hasSuffix(".part"), "\(name)")
        outcomes["left over", default: 0] += 1
        try FileManager.default.removeItem(atPath: folder.file(name))
      }
    }
    #expect(outcomes["old", default: 0] > 0, "\(outcomes)")
    print("killed while editing, in place \(inPlace): \(outcomes), \(Int(length)) µs undisturbed")
  }

  @Test(.enabled(if: getuid() == 0, "mounting a small file system needs root")) func fullDisk() throws {
    let mount = try Folder()
    guard FullDiskTests.command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", mount.path) else {
      withKnownIssue("this machine mounts no file systems") { Issue.record("not mounted") }
      return
    }
    defer { _ = FullDiskTests.command("umount", mount.path) }
    // Most of the disk: there is no room for a second one.
    let path = try Self.large(mount, 600_000)
    let before = try mount.read("x.m4a")
    #expect(before.count > 600_000)
    let outcome = aac("tag", path, "--tag", "comment=\(String(repeating: "x", count: 9000))")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("space"), "\(outcome.errors)")
    #expect(try mount.read("x.m4a") == before)
    #expect(mount.names == ["x.m4a"])
  }
}

/// A small generator whose seed the tests print.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
