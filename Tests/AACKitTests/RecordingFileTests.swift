import AAC
import AACContainers
import AACKit
import Foundation
import PCM
import Testing

@Suite struct RecordingFileTests {
  private static let tags = Tags([("title", "Take 1"), ("artist", "A")])

  private static func writer(
    _ file: RecordingFile, _ configuration: AudioSpecificConfig
  ) throws -> any PacketWriter {
    var output = PacketOutput(.m4a)
    output.tags = tags
    return try output.open(file, configuration: configuration)
  }

  /// At every moment what is there can be read, and in the end it is a plain file of the same packets.
  @Test func growsInPlace() throws {
    let (configuration, all) = try packets(seconds: 3.3)
    let folder = try Folder()
    let file = try RecordingFile(folder.file("take.m4a"), replacing: false)
    #expect(folder.names == ["take.m4a"])
    let writer = try Self.writer(file, configuration)
    var written = 0
    var seen = Set<Int>()
    for packet in all {
      try writer.write(packet)
      written += 1
      let bytes = try folder.bytes("take.m4a")
      let there = wholePackets(bytes)
      #expect(there.map(\.data) == all.prefix(there.count).map(\.data))
      #expect(there.count == (written / 43) * 43, "a fragment is there as soon as it is whole")
      #expect(bytes.isEmpty || Int64(bytes.count) == file.length)
      seen.insert(there.count)
      if written % 43 == 0 { try file.synchronize() }
    }
    #expect(seen.count >= 4)
    try writer.finish()
    #expect(try file.finish(makesPlain: true) == .plain(packetCount: Int64(all.count)))
    #expect(folder.names == ["take.m4a"])
    let reader = try MP4Reader(MemorySource(try folder.bytes("take.m4a")))
    #expect(reader.info.container == .m4a)
    #expect(reader.info.tags == Self.tags)
    #expect(reader.info.validFrames == Int64(3.3 * 44100))
    #expect(wholePackets(try folder.bytes("take.m4a")) == all)
    #expect(try file.finish(makesPlain: true) == .asWritten)
    #expect(throws: ContainerError.self) { try file.append([1]) }
  }

  @Test func staysInFragmentsWhereThatIsWanted() throws {
    let (configuration, all) = try packets(seconds: 1.5)
    let folder = try Folder()
    let file = try RecordingFile(folder.file("take.mp4"), replacing: false)
    let writer = try Self.writer(file, configuration)
    for packet in all { try writer.write(packet) }
    try writer.finish()
    #expect(try file.finish(makesPlain: false) == .asWritten)
    #expect(try MP4Reader(MemorySource(try folder.bytes("take.mp4"))).info.container == .fmp4)
    #expect(wholePackets(try folder.bytes("take.mp4")) == all)
  }

  /// Other containers are ended as they are.
  @Test func otherContainers() throws {
    let (configuration, all) = try packets(seconds: 0.5)
    let folder = try Folder()
    let file = try RecordingFile(folder.file("take.aac"), replacing: false)
    let writer = try PacketOutput(.adts).open(file, configuration: configuration)
    for packet in all { try writer.write(packet) }
    try writer.finish()
    #expect(try file.finish(makesPlain: false) == .asWritten)
    #expect(wholePackets(try folder.bytes("take.aac")).map(\.data) == all.map(\.data))
  }

  /// The old file is there until the first bytes of the new one are safe.
  @Test func replaces() throws {
    let folder = try Folder()
    try folder.write([7], to: "x")
    unsafe chmod(folder.file("x"), 0o640)
    do {
      let file = try RecordingFile(folder.file("x"), replacing: true)
      try file.append([1, 2])
      #expect(file.length == 2)
      #expect(folder.names.count == 2)
    }
    #expect(folder.names == ["x"])
    #expect(try folder.bytes("x") == [7])
    let file = try RecordingFile(folder.file("x"), replacing: true)
    try file.append([1, 2])
    #expect(try folder.bytes("x") == [7])
    try file.flush()
    #expect(folder.names == ["x"])
    #expect(try folder.bytes("x") == [1, 2])
    try file.append([3])
    #expect(try file.finish(makesPlain: false) == .asWritten)
    #expect(try folder.bytes("x") == [1, 2, 3])
    var status = stat()
    unsafe stat(folder.file("x"), &status)
    #expect(status.st_mode & 0o777 == 0o640)
  }

  /// A recording of which not one byte came leaves no file, and an old one alone.
  @Test func nothingLeavesNothing() throws {
    let folder = try Folder()
    do { _ = try RecordingFile(folder.file("new"), replacing: false) }
    #expect(folder.names == [])
    try folder.write([7], to: "x")
    let file = try RecordingFile(folder.file("x"), replacing: true)
    #expect(try file.finish(makesPlain: true) == .asWritten)
    #expect(folder.names == ["x"])
    #expect(try folder.bytes("x") == [7])
    // A container without a packet cannot become a plain file.
    let empty = try RecordingFile(folder.file("empty.m4a"), replacing: false)
    try Self.writer(empty, try packets(seconds: 0.1).configuration).finish()
    guard case .fragments(let error) = try empty.finish(makesPlain: true) else {
      Issue.record("an empty recording became a plain file")
      return
    }
    #expect(error.reason == .noSamples)
    #expect(folder.names == ["empty.m4a", "x"])
  }

  @Test func refusals() throws {
    let folder = try Folder()
    try folder.write([7], to: "x")
    unsafe symlink(folder.file("x"), folder.file("link"))
    unsafe symlink(folder.file("nowhere"), folder.file("dangling"))
    unsafe symlink(folder.file("loop"), folder.file("loop"))
    let cases: [(String, Bool, AACKitError.Reason?)] = [
      ("x", false, .exists), ("link", false, .exists), ("dangling", false, .exists),
      ("dangling", true, .exists), ("loop", true, .exists), (".", true, .isDirectory),
      ("missing/x", true, nil), ("x/y", false, nil),
    ]
    for (name, replacing, reason) in cases {
      let error = #expect(throws: AACKitError.self, "\(name)") {
        _ = try RecordingFile(folder.file(name), replacing: replacing)
      }
      #expect(error?.path == folder.file(name))
      if let reason {
        #expect(error?.reason == reason, "\(name)")
      } else if case .cannotWrite? = error?.reason {
      } else {
        Issue.record("\(name): \(String(describing: error))")
      }
      #expect(error?.description.contains(folder.file(name)) == true)
    }
    #expect(throws: AACKitError.self) { try RecordingFile("", replacing: false) }
    #expect(folder.names == ["dangling", "link", "loop", "x"])
    #expect(try folder.bytes("x") == [7])
  }

  /// What a link leads to is replaced, not the link.
  @Test func linksAreFollowed() throws {
    let folder = try Folder()
    try folder.write([7], to: "x")
    unsafe symlink("x", folder.file("link"))
    let file = try RecordingFile(folder.file("link"), replacing: true)
    try file.append([1])
    _ = try file.finish(makesPlain: false)
    #expect(try folder.bytes("x") == [1])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link")) == "x")
    #expect(folder.names == ["link", "x"])
  }

  @Test func fullDevice() throws {
    let file = try RecordingFile("/dev/full", replacing: false)
    try file.append([1])
    let error = #expect(throws: AACKitError.self) { try file.synchronize() }
    #expect(error?.path == "/dev/full")
    #expect(error?.description.contains("space") == true, "\(String(describing: error))")
    #expect(throws: ContainerError.self) { try file.append([1]) }
    #expect(try file.finish(makesPlain: true) == .asWritten)
  }

  @Test(.enabled(if: getuid() != 0, "root writes everywhere")) func unwritableFolder() throws {
    let folder = try Folder()
    unsafe chmod(folder.path, 0o500)
    defer { unsafe chmod(folder.path, 0o700) }
    let error = #expect(throws: AACKitError.self) {
      _ = try RecordingFile(folder.file("x"), replacing: false)
    }
    #expect(error?.path == folder.file("x"))
  }

  /// No room for the plain file: the fragments stay, and that is told.
  @Test(.enabled(if: getuid() == 0, "mounting a small file system needs root")) func noRoomForThePlainFile()
    throws
  {
    let (configuration, all) = try packets(seconds: 3)
    guard let disk = try SmallDisk(kilobytes: 36) else {
      withKnownIssue("this machine mounts no file systems") { Issue.record("not mounted") }
      return
    }
    let path = disk.folder.file("take.m4a")
    let file = try RecordingFile(path, replacing: false)
    let writer = try Self.writer(file, configuration)
    for packet in all { try writer.write(packet) }
    try writer.finish()
    let outcome = try file.finish(makesPlain: true)
    guard case .fragments(let error) = outcome else {
      Issue.record("got \(outcome)")
      return
    }
    #expect(error.path == path)
    #expect(error.description.contains("space"), "\(error)")
    #expect(disk.folder.names == ["take.m4a"])
    #expect(wholePackets(try disk.folder.bytes("take.m4a")) == all)
  }

  /// The disk gets full while recording: what found room can be played.
  @Test(.enabled(if: getuid() == 0, "mounting a small file system needs root")) func diskFullWhileRecording()
    throws
  {
    let (configuration, all) = try packets(seconds: 3)
    guard let disk = try SmallDisk(kilobytes: 16) else {
      withKnownIssue("this machine mounts no file systems") { Issue.record("not mounted") }
      return
    }
    let path = disk.folder.file("take.m4a")
    let file = try RecordingFile(path, replacing: false)
    let writer = try Self.writer(file, configuration)
    var written = 0
    let error = #expect(throws: ContainerError.self) {
      for packet in all {
        try writer.write(packet)
        written += 1
      }
    }
    #expect(error?.description.contains("space") == true)
    #expect(written > 43 && written < all.count)
    let outcome = try file.finish(makesPlain: true)
    guard case .fragments(let reason) = outcome else {
      Issue.record("got \(outcome)")
      return
    }
    #expect(reason.path == path)
    let there = wholePackets(try disk.folder.bytes("take.m4a"))
    #expect(there.count >= 43)
    #expect(there.map(\.data) == all.prefix(there.count).map(\.data))
    #expect(disk.folder.names == ["take.m4a"])
  }
}
