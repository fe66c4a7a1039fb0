import AAC
import AACContainers
import AACKit
import Foundation
import PCM
import Testing

@Suite struct RepairTests {
  // MARK: In place

  /// Nothing is lost: the fragments are replaced, and no copy is kept.
  @Test func wholeFragmentsAreReplaced() throws {
    let (configuration, all) = try packets(seconds: 0.6)
    let folder = try Folder()
    try folder.write(fragments(all, configuration, tags: Tags([("title", "T")])), to: "take.m4a")
    let summary = try Transcoder.repair(folder.file("take.m4a"))
    #expect(summary.outcome == .repaired)
    #expect(summary.keptCount == Int64(all.count) && summary.lostCount == 0 && !summary.hasUnknownLoss)
    #expect(summary.originalPath == nil)
    #expect(folder.names == ["take.m4a"])
    let reader = try MP4Reader(MemorySource(try folder.bytes("take.m4a")))
    #expect(reader.info.container == .m4a && reader.info.tags["title"] == "T")
    #expect(wholePackets(try folder.bytes("take.m4a")) == all)
    // And then there is nothing to do.
    let bytes = try folder.bytes("take.m4a")
    #expect(try Transcoder.repair(folder.file("take.m4a")).outcome == .undamaged)
    #expect(try Transcoder.repair(folder.file("take.m4a"), to: folder.file("new.m4a")).outcome == .undamaged)
    #expect(try folder.bytes("take.m4a") == bytes)
    #expect(folder.names == ["take.m4a"])
  }

  /// Something is lost: the original is kept, and a kept one is never replaced unless that is allowed.
  @Test func originalsAreKept() throws {
    let (configuration, all) = try packets(seconds: 0.6)
    let folder = try Folder()
    let cut = [UInt8](try fragments(all, configuration).dropLast(3))
    try folder.write(cut, to: "take.m4a")
    let summary = try Transcoder.repair(folder.file("take.m4a"))
    #expect(summary.originalPath == folder.file("take.damaged.m4a"))
    #expect(summary.lostCount == 1)
    #expect(folder.names == ["take.damaged.m4a", "take.m4a"])
    #expect(try folder.bytes("take.damaged.m4a") == cut)
    #expect(wholePackets(try folder.bytes("take.m4a")).count == all.count - 1)

    let shorter = [UInt8](cut.dropLast(100))
    try folder.write(shorter, to: "take.m4a")
    let error = #expect(throws: AACKitError.self) { try Transcoder.repair(folder.file("take.m4a")) }
    #expect(error?.reason == .exists && error?.path == folder.file("take.damaged.m4a"))
    #expect(try folder.bytes("take.m4a") == shorter)
    #expect(try folder.bytes("take.damaged.m4a") == cut)
    var options = RepairOptions()
    options.replacing = true
    try Transcoder.repair(folder.file("take.m4a"), to: nil, options)
    #expect(try folder.bytes("take.damaged.m4a") == shorter)
    #expect(folder.names == ["take.damaged.m4a", "take.m4a"])
  }

  /// Fragments behind something strange cannot be found: then the original is kept.
  @Test func strangeBytesKeepTheOriginal() throws {
    let (configuration, all) = try packets(seconds: 0.6)
    let folder = try Folder()
    var bytes = try fragments(all, configuration)
    let place = try #require(bytes.lastRange(of: [UInt8]("moof".utf8)))
    bytes[place] = 0
    try folder.write(bytes, to: "take.m4a")
    let summary = try Transcoder.repair(folder.file("take.m4a"))
    #expect(summary.hasUnknownLoss && summary.firstOffset == Int64(place - 4))
    #expect(try folder.bytes("take.damaged.m4a") == bytes)
    try folder.write(try fragments(all, configuration) + [UInt8](repeating: 0, count: 5000), to: "zeros.m4a")
    #expect(try Transcoder.repair(folder.file("zeros.m4a")).originalPath != nil)
  }

  /// The link stays, and what it leads to is repaired.
  @Test func links() throws {
    let (configuration, all) = try packets(seconds: 0.3)
    let folder = try Folder()
    try folder.write(fragments(all, configuration), to: "take.m4a")
    unsafe symlink(folder.file("take.m4a"), folder.file("link"))
    #expect(try Transcoder.repair(folder.file("link")).outcome == .repaired)
    #expect(folder.names == ["link", "take.m4a"])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link")).isEmpty == false)
    #expect(try MP4Reader(MemorySource(try folder.bytes("take.m4a"))).info.container == .m4a)
  }

  @Test func outputs() throws {
    let (configuration, all) = try packets(seconds: 0.3)
    let folder = try Folder()
    let bytes = [UInt8](try fragments(all, configuration).dropLast(1))
    try folder.write(bytes, to: "in.mp4")
    try folder.write([7], to: "old.m4a")
    var error = #expect(throws: AACKitError.self) {
      try Transcoder.repair(folder.file("in.mp4"), to: folder.file("old.m4a"))
    }
    #expect(error?.reason == .exists)
    var options = RepairOptions()
    options.replacing = true
    error = #expect(throws: AACKitError.self) {
      try Transcoder.repair(folder.file("in.mp4"), to: folder.file("in.mp4"), options)
    }
    #expect(error?.reason == .isInput)
    #expect(try folder.bytes("in.mp4") == bytes && folder.bytes("old.m4a") == [7])
    #expect(folder.names == ["in.mp4", "old.m4a"])
    // To another container.
    try Transcoder.repair(folder.file("in.mp4"), to: folder.file("out.aac"))
    #expect(wholePackets(try folder.bytes("out.aac")).map(\.data) == all.dropLast().map(\.data))
    #expect(throws: AACKitError.self) {
      try Transcoder.repair(folder.file("in.mp4"), to: folder.file("out.raw"))
    }
    #expect(try folder.bytes("in.mp4") == bytes)
  }

  @Test func nothingToSave() throws {
    let (configuration, all) = try packets(seconds: 0.3)
    let folder = try Folder()
    let bytes = try fragments(all, configuration)
    let first = try #require(bytes.firstRange(of: [UInt8]("moof".utf8)))
    for length in [0, first - 4, first + 10, 40, 100] {
      try folder.write([UInt8](bytes.prefix(length)), to: "take.m4a")
      let error = #expect(throws: AACKitError.self, "\(length)") {
        try Transcoder.repair(folder.file("take.m4a"))
      }
      guard case .nothingToSave(let why)? = error?.reason else {
        Issue.record("\(length): \(String(describing: error))")
        continue
      }
      #expect(why.contains("recording") && why.contains("ended before"), "\(length): \(why)")
      #expect(folder.names == ["take.m4a"])
    }
    try folder.write([UInt8]("RIFF....WAVEfmt ".utf8), to: "x.m4a")
    let error = #expect(throws: AACKitError.self) { try Transcoder.repair(folder.file("x.m4a")) }
    #expect(error?.description.contains("WAV") == true)
  }

  @Test(.enabled(if: getuid() == 0, "mounting a small file system needs root")) func fullDisk() throws {
    let (configuration, all) = try packets(seconds: 3)
    guard let disk = try SmallDisk(kilobytes: 40) else {
      withKnownIssue("this machine mounts no file systems") { Issue.record("not mounted") }
      return
    }
    let bytes = [UInt8](try fragments(all, configuration).dropLast(1))
    try disk.folder.write(bytes, to: "take.m4a")
    let error = #expect(throws: AACKitError.self) { try Transcoder.repair(disk.folder.file("take.m4a")) }
    #expect(error?.description.contains("space") == true)
    #expect(error?.path == disk.folder.file("take.m4a"))
    #expect(disk.folder.names == ["take.m4a"])
    #expect(try disk.folder.bytes("take.m4a") == bytes)
  }

  /// Whatever moment the work is stopped at, nothing changed.
  @Test func cancelled() throws {
    let (configuration, all) = try packets(seconds: 0.3)
    let folder = try Folder()
    let bytes = [UInt8](try fragments(all, configuration).dropLast(1))
    try folder.write(bytes, to: "take.m4a")
    for steps in [0, 3, all.count - 2] {
      let cancellation = Cancellation()
      var count = 0
      if steps == 0 { cancellation.cancel() }
      let error = #expect(throws: AACKitError.self) {
        try Transcoder.repair(folder.file("take.m4a"), cancellation: cancellation) { _ in
          count += 1
          if count == steps { cancellation.cancel() }
        }
      }
      #expect(error?.reason == .cancelled)
      #expect(folder.names == ["take.m4a"])
      #expect(try folder.bytes("take.m4a") == bytes)
    }
  }

  // MARK: Frames

  private func adts(_ packets: [Packet], _ configuration: AudioSpecificConfig) throws -> [UInt8] {
    let sink = MemorySink()
    let writer = try ADTSWriter(sink, configuration: configuration)
    for packet in packets { try writer.write(packet) }
    try writer.finish()
    return sink.bytes
  }

  @Test func cutADTS() throws {
    let (configuration, all) = try packets(seconds: 0.6)
    let folder = try Folder()
    let bytes = try adts(all, configuration)
    try folder.write(bytes, to: "x.aac")
    #expect(try Transcoder.repair(folder.file("x.aac")).outcome == .undamaged)
    try folder.write([UInt8](bytes.dropLast(5)), to: "x.aac")
    let summary = try Transcoder.repair(folder.file("x.aac"))
    #expect(summary.container == .adts)
    #expect(summary.keptCount == Int64(all.count - 1) && summary.lostCount == 1)
    #expect(try folder.bytes("x.aac") == adts([Packet](all.dropLast()), configuration))
    #expect(folder.names == ["x.aac", "x.damaged.aac"])
  }

  /// One flipped bit that only the checksum tells of.
  @Test func checksums() throws {
    let (configuration, all) = try packets(seconds: 0.6)
    let folder = try Folder()
    let sink = MemorySink()
    let writer = try ADTSWriter(sink, configuration: configuration, options: .init(checksums: true))
    var starts: [Int] = []
    for packet in all {
      starts.append(sink.bytes.count)
      try writer.write(packet)
    }
    try writer.finish()
    var bytes = sink.bytes
    try folder.write(bytes, to: "x.aac")
    #expect(try Transcoder.repair(folder.file("x.aac")).outcome == .undamaged)
    bytes[starts[15] + 9 + 8] ^= 0x10
    try folder.write(bytes, to: "x.aac")
    let summary = try Transcoder.repair(folder.file("x.aac"))
    #expect(summary.keptCount == Int64(all.count - 1) && summary.silenceCount == 1, "\(summary)")
    #expect(summary.firstOffset == Int64(starts[15]))
    let packets = wholePackets(try folder.bytes("x.aac"))
    #expect(packets.count == all.count && packets[15].data == SilentPacket.data(for: configuration))
    // All of them wrong: that is the encoder's doing, and no damage.
    for start in starts { bytes[start + 7] ^= 0xFF }
    try folder.write(bytes, to: "other.aac")
    #expect(try Transcoder.repair(folder.file("other.aac")).keptCount >= Int64(all.count - 1))
  }

  @Test func cutLOAS() throws {
    let (configuration, all) = try packets(seconds: 0.6)
    let folder = try Folder()
    let sink = MemorySink()
    let writer = try PacketOutput(.loas).open(sink, configuration: configuration)
    for packet in all { try writer.write(packet) }
    try writer.finish()
    try folder.write(sink.bytes, to: "x.loas")
    #expect(try Transcoder.repair(folder.file("x.loas")).outcome == .undamaged)
    try folder.write([UInt8](sink.bytes.dropLast(9)), to: "x.loas")
    let summary = try Transcoder.repair(folder.file("x.loas"))
    #expect(summary.container == .loas)
    #expect(summary.keptCount == Int64(all.count - 1) && summary.lostCount == 1, "\(summary)")
    #expect(wholePackets(try folder.bytes("x.loas")).map(\.data) == all.dropLast().map(\.data))
  }

  /// Damaged frames become silence, so that everything else stays where it was.
  @Test(arguments: [ContainerFormat.adts, .loas]) func damagedFrames(container: ContainerFormat) throws {
    let (configuration, all) = try packets(seconds: 1)
    let folder = try Folder()
    let sink = MemorySink()
    let writer = try PacketOutput(container).open(sink, configuration: configuration)
    var starts: [Int] = []
    for packet in all {
      starts.append(sink.bytes.count)
      try writer.write(packet)
    }
    try writer.finish()
    var bytes = sink.bytes
    // The header and the middle of two frames.
    for packet in [10, 25] {
      for place in starts[packet]..<starts[packet] + 60 where place < starts[packet + 1] {
        bytes[place] = 0xAA
      }
    }
    let name = container == .adts ? "x.aac" : "x.loas"
    try folder.write(bytes, to: name)
    let summary = try Transcoder.repair(folder.file(name), to: folder.file("out.m4a"))
    #expect(summary.outcome == .repaired)
    #expect(summary.keptCount == Int64(all.count - 2))
    #expect(summary.lostCount == 2 && summary.silenceCount == 2, "\(summary)")
    #expect(summary.firstOffset == Int64(starts[10]) || container == .loas, "\(summary)")
    #expect(summary.faults.count >= 2)
    let packets = wholePackets(try folder.bytes("out.m4a"))
    let silence = SilentPacket.data(for: configuration)
    #expect(packets.count == all.count)
    for (index, packet) in packets.enumerated() {
      #expect(packet.data == (index == 10 || index == 25 ? silence : all[index].data), "\(index)")
    }
    // What was repaired is sound.
    #expect(try Transcoder.repair(folder.file("out.m4a")).outcome == .undamaged)
  }

  /// A plain file that was not copied to its end.
  @Test func cutPlainFile() throws {
    let (configuration, all) = try packets(seconds: 0.6)
    let folder = try Folder()
    let sink = MemorySink()
    let writer = try M4AWriter(
      sink, configuration: configuration, options: .init(tags: Tags([("title", "T")])))
    for packet in all { try writer.write(packet) }
    try writer.finish()
    let lost = all.suffix(3).reduce(0) { $0 + $1.data.count } - 1
    try folder.write([UInt8](sink.bytes.dropLast(lost)), to: "x.m4a")
    let summary = try Transcoder.repair(folder.file("x.m4a"))
    #expect(summary.keptCount == Int64(all.count - 3) && summary.lostCount == 3, "\(summary)")
    let reader = try MP4Reader(MemorySource(try folder.bytes("x.m4a")))
    #expect(reader.info.tags["title"] == "T")
    #expect(wholePackets(try folder.bytes("x.m4a")).map(\.data) == all.dropLast(3).map(\.data))
  }
}

extension [UInt8] {
  fileprivate func firstRange(of pattern: [UInt8]) -> Int? {
    (0...count - pattern.count).first { self[$0..<$0 + pattern.count].elementsEqual(pattern) }
  }

  fileprivate func lastRange(of pattern: [UInt8]) -> Int? {
    (0...count - pattern.count).last { self[$0..<$0 + pattern.count].elementsEqual(pattern) }
  }
}
