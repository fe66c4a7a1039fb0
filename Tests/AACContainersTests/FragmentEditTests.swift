import AAC
import Foundation
import Testing

@testable import AACContainers

/// Tags are edited in files with indexes: those still lead to the fragments.
@Suite struct FragmentEditTests {
  private static let sizes = [3, 5000, 10, 40_000, 0, 200_000, 1]

  private static func packets() throws -> [Packet] {
    try TestStream.packets(63, TestStream.configuration(), sizes: 20...60, priming: 1024, padding: 9)
  }

  /// With room for many more fragments, which tags may take, and with next to none.
  @Test(arguments: [nil, 63 * 1024] as [Int64?]) func indexStays(expected: Int64?) throws {
    let packets = try Self.packets()
    var options = FragmentedMP4Writer.Options(tags: Tags([("title", "Old")]))
    options.packetsPerFragment = 5
    options.expectedFrames = expected
    var bytes = try indexed(packets, TestStream.configuration(), options: options)
    let before = try FragmentLayout(bytes).index(in: bytes)
    for size in Self.sizes {
      bytes = try EditorTests.edited(bytes) { tags, chapters in
        tags["comment"] = size == 0 ? nil : String(repeating: "x", count: size)
        chapters = size == 10 ? [Chapter(start: 0, title: "One")] : []
      }
      #expect(try FragmentLayout(bytes).index(in: bytes) == before)
      let reader = try MP4Reader(MemorySource(bytes))
      #expect(reader.info.expectedFrames == Int64(63 * 1024 - 1024 - 9))
      #expect(try reader.all() == packets)
      #expect(try FragmentHintTests.checkJumps(bytes).reached == packets.count)
    }
  }

  @Test(arguments: [0, 1]) func listStays(version: Int) throws {
    let packets = try Self.packets()
    var options = FragmentedMP4Writer.Options()
    options.packetsPerFragment = 5
    var bytes = try FragmentHintTests.listed(
      indexed(packets, TestStream.configuration(), options: options), version: version)
    for size in Self.sizes {
      bytes = try EditorTests.edited(bytes) { tags, _ in
        tags["comment"] = size == 0 ? nil : String(repeating: "x", count: size)
      }
      let moofs = try FragmentLayout(bytes).starts(of: "moof")
      let window = ByteWindow(MemorySource(bytes))
      var list = try #require(try RandomAccessIndex(of: 1, in: window))
      #expect(list.count == moofs.count)
      for index in 0..<list.count { #expect(try list.entry(index).place == UInt64(moofs[index])) }
      #expect(try FragmentHintTests.checkJumps(bytes).reached == packets.count)
    }
  }

  /// What stands behind an index in front of the tables may not move.
  @Test func indexInFrontOfTheTables() throws {
    let packets = try Self.packets()
    let bytes = try fragmented(packets, TestStream.configuration())
    let moov = try #require(try FragmentLayout(bytes).starts(of: "moov").first)
    let index = SegmentIndex(
      trackID: 1, timescale: 44100, earliestTime: 0, firstOffset: 900,
      references: [SegmentIndex.Reference(size: 2000, duration: 44032)])
    let file = Array(bytes[..<moov]) + built { index.write(to: &$0) } + Array(bytes[moov...])
    #expect(try MP4Reader(MemorySource(file)).all() == packets)
    let error = containerError {
      _ = try EditorTests.edited(file) { tags, _ in tags["comment"] = String(repeating: "x", count: 9000) }
    }
    guard case .unsupported(let text) = error?.reason else {
      Issue.record("got \(String(describing: error))")
      return
    }
    #expect(text.contains("index"))
    #expect(error?.advice == .remuxFirst)
  }

  /// FFmpeg seeks by the index before and after.
  @Test(.enabled(if: run("ffprobe", ["-version"]) != nil)) func ffmpegSeeksAlike() throws {
    let packets = try Self.packets()
    var options = FragmentedMP4Writer.Options()
    options.packetsPerFragment = 5
    let plain = try fragmented(packets, TestStream.configuration(), options: options)
    let bytes = try indexed(packets, TestStream.configuration(), options: options)
    let edited = try EditorTests.edited(bytes) { tags, _ in
      tags["comment"] = String(repeating: "x", count: 30_000)
    }
    for time in ["0", "0.3", "0.7", "1.2", "1.4"] {
      let found = try [plain, bytes, edited].map { bytes in
        let path = try FFmpegTests.write(bytes, "mp4")
        defer { removeFile(path) }
        let arguments = ["-v", "error", "-read_intervals", "\(time)%+#3", "-show_entries", "packet=pts,size"]
        return String(
          decoding: try #require(run("ffprobe", arguments + ["-of", "csv=p=0", path])), as: UTF8.self)
      }
      #expect(found[0].split(separator: "\n").count >= 3)
      #expect(found[1] == found[0] && found[2] == found[0], "\(time): \(found)")
    }
    let path = try FFmpegTests.write(bytes, "mp4")
    defer { removeFile(path) }
    // Without an index the priming is counted.
    let told = try FFmpegTests.probe(path, "format=duration")
    let duration = told.split(separator: "\n").first { $0.hasPrefix("duration=") }.flatMap {
      Double($0.dropFirst(9))
    }
    #expect(abs((duration ?? 0) - Double(63 * 1024 - 1024 - 9) / 44100) < 0.000_01)
  }
}
