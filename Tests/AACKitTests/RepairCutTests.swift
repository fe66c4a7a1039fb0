import AAC
import AACContainers
import AACKit
import Foundation
import PCM
import Testing

/// Recordings that are cut off anywhere: the reader, the repair and FFmpeg agree on what is left.
@Suite struct RepairCutTests {
  private static let tags = Tags([("title", "Take 1"), ("artist", "A")])
  private let configuration: AudioSpecificConfig
  private let all: [Packet]
  private let recording: [UInt8]
  /// Where each packet ends in the recording.
  private let ends: [Int]
  /// Where each fragment begins.
  private let starts: [Int]
  /// Their headers.
  private let headers: [Range<Int>]

  init() throws {
    (configuration, all) = try packets(seconds: 1.2, layout: .mono)
    recording = try fragments(all, configuration, tags: Self.tags, perFragment: 8)
    var ends: [Int] = []
    var starts: [Int] = []
    var headers: [Range<Int>] = []
    var place = 0
    var packet = 0
    while place < recording.count {
      let size = recording[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      let type = String(decoding: recording[place + 4..<place + 8], as: UTF8.self)
      if type == "moof" {
        starts.append(place)
        headers.append(place..<place + size)
      }
      if type == "mdat" {
        var end = place + 8
        while end < place + size {
          end += all[packet].data.count
          ends.append(end)
          packet += 1
        }
      }
      place += size
    }
    self.ends = ends
    self.starts = starts
    self.headers = headers
  }

  /// Packets that are whole in the first `length` bytes.
  private func wholeCount(_ length: Int) -> Int { ends.prefix { $0 <= length }.count }

  private func check(_ length: Int, in folder: Folder) throws {
    let cut = [UInt8](recording.prefix(length))
    let expected = wholeCount(length)
    #expect(wholePackets(cut).count == expected, "cut at \(length)")
    try folder.write(cut, to: "cut.mp4")
    let output = folder.file("out.m4a")
    var options = RepairOptions()
    options.replacing = true
    guard expected > 0 else {
      let error = #expect(throws: AACKitError.self, "cut at \(length)") {
        try Transcoder.repair(folder.file("cut.mp4"), to: output, options)
      }
      switch error?.reason {
      case .nothingToSave?, .container?: break
      default: Issue.record("cut at \(length): \(String(describing: error))")
      }
      return
    }
    let summary = try Transcoder.repair(folder.file("cut.mp4"), to: output, options)
    #expect(summary.outcome == .repaired)
    #expect(summary.keptCount == Int64(expected), "cut at \(length)")
    let repaired = try folder.bytes("out.m4a")
    let reader = try MP4Reader(MemorySource(repaired))
    #expect(reader.info.container == .m4a)
    #expect(reader.info.tags == Self.tags)
    let packets = wholePackets(repaired)
    #expect(packets.map(\.data) == all.prefix(expected).map(\.data), "cut at \(length)")
    // Exact to the sample: the padding is there only where the last packet is.
    let frames = all.prefix(expected).reduce(0) { $0 + $1.validFrames }
    #expect(packets.reduce(0) { $0 + $1.validFrames } == frames, "cut at \(length)")
    #expect(reader.info.validFrames == Int64(frames))
    #expect(abs(summary.duration - Double(frames) / 44100) < 1e-9)
  }

  @Test func everyByteOfTheLastTwoFragments() throws {
    let folder = try Folder()
    #expect(starts.count >= 5)
    #expect(ends.count == all.count)
    for length in starts[starts.count - 2]...recording.count { try check(length, in: folder) }
    #expect(folder.names == ["cut.mp4", "out.m4a"])
  }

  @Test func randomPlaces() throws {
    let folder = try Folder()
    let seed = Random.seed
    var random = Random(seed)
    print("AAC_SEED=\(seed)")
    for _ in 0..<300 {
      try check(Int.random(in: 0..<starts[starts.count - 2], using: &random), in: folder)
    }
  }

  /// FFmpeg reads as many packets from what was cut, the last of them perhaps in part, and all of the repaired file.
  @Test(.enabled(if: output("ffprobe", "-version") != nil)) func fFmpegAgrees() throws {
    let folder = try Folder()
    let seed = Random.seed
    var random = Random(seed)
    print("AAC_SEED=\(seed)")
    var lengths = (0..<30).map { _ in Int.random(in: starts[1]...recording.count, using: &random) }
    lengths += [recording.count, recording.count - 1, starts[2], starts[2] + 4, ends[20], ends[20] + 1]
    for length in lengths {
      try folder.write([UInt8](recording.prefix(length)), to: "cut.mp4")
      let expected = wholeCount(length)
      let sizes = Self.packetSizes(folder.file("cut.mp4"))
      // Of a file that ends within a fragment's header, FFmpeg 5 reads all packets or none.
      let isTooMuch = headers.contains { $0.dropFirst().contains(length) } && sizes.isEmpty
      let read = zip(sizes, all).prefix { $0 == $1.data.count }.count
      #expect(isTooMuch || read == expected, "AAC_SEED=\(seed), cut at \(length)")
      #expect(sizes.count <= expected + 1)
      var options = RepairOptions()
      options.replacing = true
      try Transcoder.repair(folder.file("cut.mp4"), to: folder.file("out.m4a"), options)
      #expect(Self.packetSizes(folder.file("out.m4a")) == all.prefix(expected).map(\.data.count))
      #expect(Self.complaints(folder.file("out.m4a")) == "", "cut at \(length)")
      // Seeking to the middle works as in any plain file.
      #expect(command("ffmpeg", "-v", "error", "-ss", "0.1", "-i", folder.file("out.m4a"), "-f", "null", "-"))
    }
  }

  /// A recording that ends where a write can be torn: FFmpeg reads all that is whole.
  @Test(.enabled(if: output("ffprobe", "-version") != nil)) func tornWrites() throws {
    let (configuration, all) = try packets(seconds: 6)
    let folder = try Folder()
    let file = try RecordingFile(folder.file("take.m4a"), replacing: false)
    let writer = try PacketOutput(.m4a).open(file, configuration: configuration)
    for packet in all { try writer.write(packet) }
    try writer.finish()
    _ = try file.finish(makesPlain: false)
    let bytes = try folder.bytes("take.m4a")
    #expect(wholePackets(bytes) == all)
    #expect(bytes.count > 10 * 4096)
    for length in stride(from: 4096, to: bytes.count, by: 4096) {
      let cut = [UInt8](bytes.prefix(length))
      try folder.write(cut, to: "cut.m4a")
      let expected = wholePackets(cut).count
      #expect(expected > 0)
      let sizes = Self.packetSizes(folder.file("cut.m4a"))
      #expect(zip(sizes, all).prefix { $0 == $1.data.count }.count == expected, "cut at \(length)")
    }
  }

  private static func packetSizes(_ path: String) -> [Int] {
    let text = output("ffprobe", "-v", "quiet", "-show_entries", "packet=size", "-of", "csv=p=0", path) ?? ""
    return text.split(whereSeparator: { $0.isNewline || $0 == "," }).compactMap { Int($0) }
  }

  /// What FFmpeg says against a file while it decodes it.
  private static func complaints(_ path: String) -> String {
    output("sh", "-c", "ffmpeg -v error -i '\(path)' -f null - 2>&1") ?? "not run"
  }
}
