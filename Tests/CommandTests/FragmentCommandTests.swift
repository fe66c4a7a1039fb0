import AAC
import AACContainers
import Testing

@testable import AACCommand

/// `--fragment-duration`: fragments of a chosen length, however they are written.
@Suite struct FragmentCommandTests {
  private struct Box {
    var type: String
    var start: Int
    var end: Int
  }

  private func number(_ bytes: [UInt8], _ place: Int) -> Int {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  private func boxes(_ bytes: [UInt8]) -> [Box] {
    var boxes: [Box] = []
    var place = 0
    while place + 8 <= bytes.count {
      let end = place + max(8, number(bytes, place))
      boxes.append(
        Box(type: String(decoding: bytes[place + 4..<place + 8], as: UTF8.self), start: place, end: end))
      place = end
    }
    return boxes
  }

  /// Durations of the parts in the index, in seconds; checks that they lead to fragments and to the end of the file.
  private func durations(_ bytes: [UInt8]) throws -> [Double] {
    let boxes = boxes(bytes)
    let index = try #require(boxes.first { $0.type == "sidx" })
    let moofs = Set(boxes.filter { $0.type == "moof" }.map(\.start))
    let scale = Double(number(bytes, index.start + 16))
    let count = number(bytes, index.start + 36) & 0xFFFF
    var place = index.end
    var list: [Double] = []
    for entry in 0..<count {
      let start = index.start + 40 + 12 * entry
      #expect(moofs.contains(place))
      place += number(bytes, start)
      list.append(Double(number(bytes, start + 4)) / scale)
    }
    #expect(place == bytes.count)
    #expect(count == moofs.count)
    return list
  }

  @Test func encodeAndRemux() throws {
    let folder = try Folder()
    let input = try folder.tone("x.wav", frames: 100_000)
    #expect(
      aac(
        "encode", "-q", "--quality", "min", "-f", "fmp4", "--fragment-duration", "0.5", input,
        folder.file("a.mp4")
      )
      .status == 0)
    #expect(
      aac(
        "remux", "-q", "--fragmented", "--fragment-duration=0.25", folder.file("a.mp4"), folder.file("b.mp4")
      )
      .status == 0)
    #expect(aac("remux", "-q", "--fragmented", folder.file("a.mp4"), folder.file("c.mp4")).status == 0)
    for (name, length) in [("a.mp4", 0.5), ("b.mp4", 0.25), ("c.mp4", 1)] {
      let list = try durations(try folder.read(name))
      #expect(list.count == Int((100_000 / 44100 / length).rounded(.up)))
      #expect(abs(list.reduce(0, +) - 100_000.0 / 44100) < 1e-9)
      for duration in list.dropLast() { #expect(abs(duration - length) < 0.025, "\(name) \(list)") }
      #expect(aac("decode", "-q", "-f", "s16le", folder.file(name), "-").data.count == 400_000)
    }
    // In a pipe there is no index.
    let piped = aac("remux", "-q", "--fragmented", "--fragment-duration", "0.25", folder.file("a.mp4"), "-")
    #expect(boxes(piped.data).count { $0.type == "moof" } == 10)
    #expect(!boxes(piped.data).contains { $0.type == "sidx" || $0.type == "free" })
    // Many at a time.
    #expect(
      aac(
        "remux", "-q", "-f", "fmp4", "--fragment-duration", "0.5", "--out-dir", folder.file("all"),
        folder.file("a.mp4"), folder.file("b.mp4")
      ).status == 0)
    #expect(try durations(try folder.read("all/b.m4a")).count == 5)
  }

  /// A recording only grows: it has no index, and fragments as long as asked for.
  @Test func record() throws {
    let folder = try Folder()
    let input = try folder.tone("x.wav", frames: 100_000)
    let outcome = aac(
      "record", "-q", "--quality", "min", "--backend", "file:\(input)", "-f", "fmp4", "--fragment-duration",
      "0.5",
      folder.file("a.mp4"))
    #expect(outcome.status == 0, "\(outcome.errors)")
    let list = boxes(try folder.read("a.mp4"))
    #expect(list.count { $0.type == "moof" } == 5)
    #expect(!list.contains { $0.type == "sidx" })
  }

  @Test func tagsKeepTheIndex() throws {
    let folder = try Folder()
    let input = try folder.tone("x.wav", frames: 60_000)
    let file = folder.file("a.mp4")
    #expect(
      aac("encode", "-q", "--quality", "min", "-f", "fmp4", "--fragment-duration", "0.2", input, file).status
        == 0)
    let before = try durations(try folder.read("a.mp4"))
    let comment = String(repeating: "x", count: 9000)
    let outcome = aac("tag", "--tag", "comment=\(comment)", file)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try durations(try folder.read("a.mp4")) == before)
    #expect(aac("decode", "-q", "-f", "s16le", file, "-").data.count == 240_000)
  }

  /// FFmpeg seeks into the file by its index and hears the same as when it reads on from the start.
  @Test(.enabled(if: Tool.ffmpegVersion != nil)) func ffmpegSeeks() throws {
    let folder = try Folder()
    let input = try folder.tone("x.wav", frames: 100_000)
    let file = folder.file("a.mp4")
    #expect(
      aac("encode", "-q", "--quality", "min", "-f", "fmp4", "--fragment-duration", "0.5", input, file).status
        == 0)
    let options = ["-f", "s16le", "-"]
    let all = try #require(Tool.run("ffmpeg", ["-v", "error", "-i", file] + options))
    // FFmpeg 5 trims neither end, later ones both.
    #expect((400_000...4 * 101_376).contains(all.count))
    for time in ["0.7", "1.5"] {
      let rest = try #require(Tool.run("ffmpeg", ["-v", "error", "-ss", time, "-i", file] + options))
      #expect(rest.count > 100_000 && rest.count < all.count)
      // The first block lacks the one before it.
      #expect(rest.dropFirst(4 * 2048).elementsEqual(all.suffix(rest.count - 4 * 2048)))
    }
  }
}
