import AAC
import AACContainers
import AACKit
import Foundation
import PCM
import Testing

/// MP4 files of which only the sound was written.
@Suite struct LostTablesTests {
  /// How a recorder that is killed leaves the head of its `mdat` box.
  enum Head: CaseIterable {
    case openEnd, placeholder, tooLong, empty, whole

    func bytes(_ count: Int) -> [UInt8] {
      func number(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> ((width - 1 - $0) * 8)) }
      }
      let name = [UInt8]("mdat".utf8)
      return switch self {
      case .openEnd: number(0, 4) + name
      case .placeholder: number(1, 4) + name + [UInt8]("????????".utf8)
      case .tooLong: number(0x7000_0000, 4) + name
      case .empty: number(8, 4) + name
      case .whole: number(count + 8, 4) + name
      }
    }
  }

  static func file(_ packets: [Packet], _ head: Head, tail: [UInt8] = []) -> [UInt8] {
    let sound = packets.flatMap(\.data) + tail
    let start: [UInt8] = [0, 0, 0, 20] + [UInt8]("ftypM4A ".utf8) + [0, 0, 2, 0] + [UInt8]("isom".utf8)
    let free: [UInt8] = [0, 0, 0, 12] + [UInt8]("free".utf8) + [0, 0, 0, 0]
    return start + free + head.bytes(sound.count) + sound
  }

  static func plain(_ packets: [Packet], _ configuration: AudioSpecificConfig) throws -> [UInt8] {
    let sink = MemorySink()
    let writer = try M4AWriter(sink, configuration: configuration)
    for packet in packets { try writer.write(packet) }
    try writer.finish()
    return sink.bytes
  }

  static let sounds: [(ChannelLayout, Int)] = [
    (.mono, 44100), (.stereo, 44100), (.surround51, 44100), (.mono, 48000), (.stereo, 48000),
    (.surround51, 48000), (.mono, 22050), (.stereo, 22050), (.surround51, 22050),
  ]

  @Test(arguments: sounds) func comesBack(layout: ChannelLayout, rate: Int) throws {
    let (configuration, all) = try packets(seconds: 2, layout: layout, rate: rate)
    let folder = try Folder()
    try folder.write(Self.file(all, .openEnd), to: "lost.m4a")
    try folder.write(try Self.plain(all, configuration), to: "like.m4a")

    // Nothing known: the channels are found, and the rate or one whose tables are the same.
    var summary = try Transcoder.repair(folder.file("lost.m4a"), to: folder.file("guessed.m4a"))
    #expect(summary.keptCount == Int64(all.count) && summary.lostCount == 0, "\(summary)")
    #expect(summary.faults.first?.contains("moov") == true)
    let assumed = try #require(summary.assumptions.first)
    #expect(assumed.contains("\(rate)"), "\(assumed)")
    let guessed = try MP4Reader(MemorySource(try folder.bytes("guessed.m4a"))).info.configuration
    #expect(guessed.elements.layout == layout)
    #expect(assumed.contains("\(guessed.samplingRate.hertz) Hz"))
    #expect(wholePackets(try folder.bytes("guessed.m4a")).map(\.data) == all.map(\.data))

    // Rate and channels known.
    var options = RepairOptions()
    options.sampleRate = rate
    options.channelCount = layout.channelCount
    summary = try Transcoder.repair(folder.file("lost.m4a"), to: folder.file("told.m4a"), options)
    #expect(wholePackets(try folder.bytes("told.m4a")).map(\.data) == all.map(\.data))
    let told = try MP4Reader(MemorySource(try folder.bytes("told.m4a"))).info
    #expect(told.configuration.samplingRate.hertz == rate && told.configuration.elements.layout == layout)

    // Another file of the recorder: its priming too.
    options = RepairOptions()
    options.like = folder.file("like.m4a")
    summary = try Transcoder.repair(folder.file("lost.m4a"), to: folder.file("alike.m4a"), options)
    #expect(summary.assumptions.isEmpty)
    let alike = try MP4Reader(MemorySource(try folder.bytes("alike.m4a"))).info
    #expect(alike.configuration == configuration)
    #expect(alike.priming == all.reduce(0) { $0 + $1.priming })
    #expect(wholePackets(try folder.bytes("alike.m4a")).map(\.data) == all.map(\.data))
  }

  @Test(arguments: Head.allCases) func headsOfAllKinds(head: Head) throws {
    let (_, all) = try packets(seconds: 0.5)
    let folder = try Folder()
    let bytes = Self.file(all, head)
    try folder.write(bytes, to: "lost.m4a")
    let summary = try Transcoder.repair(folder.file("lost.m4a"))
    #expect(summary.keptCount == Int64(all.count), "\(summary)")
    #expect(summary.originalPath == folder.file("lost.damaged.m4a"))
    #expect(try folder.bytes("lost.damaged.m4a") == bytes)
    #expect(wholePackets(try folder.bytes("lost.m4a")).map(\.data) == all.map(\.data))
  }

  /// Cut within an access unit, or with room behind that was never written to.
  @Test func ends() throws {
    let (_, all) = try packets(seconds: 0.5)
    let folder = try Folder()
    try folder.write([UInt8](Self.file(all, .openEnd).dropLast(2)), to: "cut.m4a")
    var summary = try Transcoder.repair(folder.file("cut.m4a"))
    #expect(summary.keptCount == Int64(all.count - 1) && summary.lostCount == 1, "\(summary)")
    let zeros = [UInt8](repeating: 0, count: 400_000)
    try folder.write(Self.file(all, .openEnd, tail: zeros), to: "zeros.m4a")
    summary = try Transcoder.repair(folder.file("zeros.m4a"))
    #expect(summary.keptCount == Int64(all.count), "\(summary)")
    // The tables were begun, but not ended.
    let moov: [UInt8] = [0, 0, 1, 0] + [UInt8]("moov".utf8) + [UInt8](repeating: 3, count: 100)
    try folder.write(Self.file(all, .whole) + moov, to: "moov.m4a")
    summary = try Transcoder.repair(folder.file("moov.m4a"))
    #expect(summary.keptCount == Int64(all.count) && summary.lostCount == 0, "\(summary)")
  }

  /// Bytes of something else between: what is behind is found again.
  @Test func damageWithin() throws {
    let (_, all) = try packets(seconds: 1)
    let folder = try Folder()
    var bytes = Self.file(all, .openEnd)
    let start = bytes.count - all.suffix(all.count - 20).reduce(0) { $0 + $1.data.count }
    for place in start..<start + all[20].data.count { bytes[place] = 0xFF }
    try folder.write(bytes, to: "lost.m4a")
    let summary = try Transcoder.repair(folder.file("lost.m4a"))
    let packets = wholePackets(try folder.bytes("lost.m4a"))
    #expect(summary.keptCount >= Int64(all.count - 3), "\(summary)")
    #expect(packets.prefix(20).map(\.data) == all.prefix(20).map(\.data))
    #expect(packets.suffix(all.count - 23).map(\.data) == all.suffix(all.count - 23).map(\.data))
    #expect(summary.firstOffset == Int64(start))
  }

  /// The same close to the end, where other bytes may look like an access unit that is cut off.
  @Test func damageNearTheEnd() throws {
    let (_, all) = try packets(seconds: 1)
    let folder = try Folder()
    for last in 6..<14 {
      var bytes = Self.file(all, .openEnd)
      let start = bytes.count - all.suffix(last).reduce(0) { $0 + $1.data.count }
      for place in start..<start + 40 { bytes[place] = UInt8(truncatingIfNeeded: place &* 37 &+ last) }
      try folder.write(bytes, to: "lost.m4a")
      var options = RepairOptions()
      options.replacing = true
      let summary = try Transcoder.repair(folder.file("lost.m4a"), to: folder.file("out.m4a"), options)
      let packets = wholePackets(try folder.bytes("out.m4a"))
      #expect(summary.keptCount >= Int64(all.count - 3), "\(last): \(summary)")
      #expect(packets.suffix(last - 3).map(\.data) == all.suffix(last - 3).map(\.data), "\(last)")
    }
  }

  /// Much more of something else than of sound, again and again: all sound is found.
  @Test func longGaps() throws {
    let (_, all) = try packets(seconds: 12)
    let folder = try Folder()
    var random = Random(3)
    var sound: [UInt8] = []
    var place = 0
    for _ in 0..<8 {
      sound += all[place..<place + 60].flatMap(\.data)
      place += 60
      sound += (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    try folder.write(Self.file([], .openEnd, tail: sound), to: "lost.m4a")
    let summary = try Transcoder.repair(folder.file("lost.m4a"))
    #expect(summary.keptCount >= Int64(place - 8) && summary.hasUnknownLoss, "\(summary)")
    #expect(summary.keptCount <= Int64(place + 24), "\(summary)")
  }

  @Test func noSound() throws {
    let folder = try Folder()
    var random = Random(5)
    let noise = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    for sound in [[], [UInt8](repeating: 0, count: 100_000), noise] {
      try folder.write(Self.file([], .openEnd, tail: sound), to: "lost.m4a")
      let error = #expect(throws: AACKitError.self) { try Transcoder.repair(folder.file("lost.m4a")) }
      guard case .nothingToSave? = error?.reason else {
        Issue.record("got \(String(describing: error))")
        continue
      }
      #expect(folder.names == ["lost.m4a"])
    }
  }

  /// A rate or a channel count that does not fit is not believed.
  @Test func wrongHints() throws {
    let (_, all) = try packets(seconds: 0.5)
    let folder = try Folder()
    try folder.write(Self.file(all, .openEnd), to: "lost.m4a")
    var options = RepairOptions()
    options.channelCount = 1
    #expect(throws: AACKitError.self) { try Transcoder.repair(folder.file("lost.m4a"), to: nil, options) }
    options = RepairOptions()
    options.like = folder.file("missing.m4a")
    let error = #expect(throws: AACKitError.self) {
      try Transcoder.repair(folder.file("lost.m4a"), to: nil, options)
    }
    #expect(error?.path == folder.file("missing.m4a"))
    #expect(folder.names == ["lost.m4a"])
  }
}
