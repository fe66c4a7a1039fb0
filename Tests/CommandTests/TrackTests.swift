import AACContainers
import AACKit
import Foundation
import PCM
import Testing

@testable import AACCommand

/// `--track`: one of several tracks is read.
@Suite struct TrackTests {
  private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  private static func put(_ value: Int, _ count: Int = 4, in bytes: inout [UInt8], _ place: Int) {
    for index in 0..<count {
      bytes[place + index] = UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - index)))
    }
  }

  private static func place(_ name: String, in bytes: [UInt8]) throws -> Int {
    try #require(bytes.firstRange(of: Array(name.utf8))).lowerBound - 4
  }

  /// Moves all chunks of a track.
  private static func shift(_ bytes: inout [UInt8], by delta: Int) throws {
    let table = try place("stco", in: bytes) + 12
    for index in 0..<number(bytes, table) {
      let entry = table + 4 + 4 * index
      put(number(bytes, entry) + delta, in: &bytes, entry)
    }
  }

  /// A file with the tracks of two of ours, the first in English, the second in German and not enabled.
  private static func join(_ first: [UInt8], _ second: [UInt8]) throws -> [UInt8] {
    let moov = try place("moov", in: first)
    let moovEnd = moov + number(first, moov)
    let start = try place("trak", in: second)
    var track = Array(second[start..<start + number(second, start)])
    let header = try place("tkhd", in: track)
    put(6, 3, in: &track, header + 9)
    put(2, in: &track, header + 20)
    let media = try place("mdhd", in: track)
    put((4 << 5 | 5) << 5 | 21, 2, in: &track, media + 28)
    // Its edit is told in the movie's time scale, which is the first one's.
    let edit = try place("elst", in: track) + 16
    put((number(track, edit) * 44_100 + 16_000) / 32_000, in: &track, edit)
    let data = try place("mdat", in: second)
    try shift(&track, by: first.count + track.count - data)
    var head = Array(first[..<moovEnd])
    try shift(&head, by: track.count)
    put(moovEnd - moov + track.count, in: &head, moov)
    put((5 << 5 | 14) << 5 | 7, 2, in: &head, try place("mdhd", in: head) + 28)
    return head + track + first[moovEnd...] + second[data...]
  }

  /// `en.m4a`, `de.m4a`, and both in `film.mp4`.
  private func film(_ folder: Folder) throws {
    try folder.tone("en.wav", frames: 20_000)
    try folder.tone("de.wav", frames: 30_000, layout: .mono, rate: 32_000)
    for name in ["en", "de"] {
      let outcome = aac(
        "encode", "-q", "--quality", "min", folder.file("\(name).wav"), folder.file("\(name).m4a"))
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    try folder.write(Self.join(folder.read("en.m4a"), folder.read("de.m4a")), to: "film.mp4")
  }

  @Test func tracksAreListed() throws {
    let folder = try Folder()
    try film(folder)
    let json = try aac("info", "--json", folder.file("film.mp4")).json()
    #expect(json["track"] as? Int == 1)
    #expect(json["samples"] as? Int == 20_000)
    #expect((json["warnings"] as? [String])?.first?.contains("2 tracks of sound; track 1 is read") == true)
    let tracks = try #require(json["tracks"] as? [[String: Any]])
    #expect(tracks.compactMap { $0["number"] as? Int } == [1, 2])
    #expect(tracks.compactMap { $0["id"] as? Int } == [1, 2])
    #expect(tracks.compactMap { $0["kind"] as? String } == ["audio", "audio"])
    #expect(tracks.compactMap { $0["codec"] as? String } == ["AAC LC", "AAC LC"])
    #expect(tracks.compactMap { $0["language"] as? String } == ["eng", "deu"])
    #expect(tracks.compactMap { $0["enabled"] as? Bool } == [true, false])
    #expect(tracks.compactMap { $0["readable"] as? Bool } == [true, true])
    let durations = tracks.compactMap { $0["duration"] as? Double }
    #expect(durations.count == 2 && abs(durations[0] - 0.5) < 0.06 && abs(durations[1] - 1) < 0.06)
    let second = try aac("info", "--json", "--track", "2", folder.file("film.mp4")).json()
    #expect(second["track"] as? Int == 2)
    #expect(second["samples"] as? Int == 30_000)
    #expect((second["warnings"] as? [String]) == [])
    let text = aac("info", folder.file("film.mp4")).text
    #expect(text.contains("1: AAC LC, eng, 0:00") && text.contains("(read)"), "\(text)")
    #expect(text.contains("2: AAC LC, deu, 0:00") && text.contains("not enabled"), "\(text)")
    // With one track there is nothing to choose.
    let alone = try aac("info", "--json", folder.file("en.m4a")).json()
    #expect((alone["tracks"] as? [Any])?.isEmpty == true)
  }

  @Test func everyCommandReadsTheChosenOne() throws {
    let folder = try Folder()
    try film(folder)
    let film = folder.file("film.mp4")
    for (track, name) in [("1", "en"), ("2", "de")] {
      for command in [
        ["decode", "-q", "--float"], ["decode", "-q", "--float", "--from", "0.2", "--to", "0.4"],
      ] {
        let chosen = aac(command + ["-y", "--track", track, film, folder.file("a.wav")])
        #expect(chosen.status == 0, "\(chosen.errors)")
        let alone = aac(command + ["-y", folder.file("\(name).m4a"), folder.file("b.wav")])
        #expect(alone.status == 0, "\(alone.errors)")
        #expect(try folder.read("a.wav") == folder.read("b.wav"))
      }
      for command in [["remux", "-q"], ["cut", "-q", "--from", "0.1", "--to", "0.3"]] {
        let chosen = aac(command + ["-y", "--track", track, film, folder.file("a.aac")])
        #expect(chosen.status == 0, "\(chosen.errors)")
        #expect(aac(command + ["-y", folder.file("\(name).m4a"), folder.file("b.aac")]).status == 0)
        #expect(try folder.read("a.aac") == folder.read("b.aac"))
      }
      let encode = ["encode", "-q", "-y", "--quality", "min", "-b", "64k"]
      #expect(aac(encode + ["--track", track, film, folder.file("a.aac")]).status == 0)
      #expect(aac(encode + [folder.file("\(name).m4a"), folder.file("b.aac")]).status == 0)
      #expect(try folder.read("a.aac") == folder.read("b.aac"))
      let played = aac("play", "--backend", "null", "--progress", "json", "--track", track, film)
      #expect(played.status == 0, "\(played.errors)")
      #expect(played.errors.contains(track == "1" ? "44100" : "32000"), "\(played.errors)")
    }
    // The file from a pipe, too.
    let piped = aac("decode", "-f", "f32le", "--track", "2", "-", "-", input: try folder.read("film.mp4"))
    #expect(piped.data.count == 30_000 * 4, "\(piped.errors)")
  }

  @Test func whatIsNotThereIsRefused() throws {
    let folder = try Folder()
    try film(folder)
    let film = folder.file("film.mp4")
    for command in [
      ["decode", film, folder.file("x.wav")], ["info", film], ["remux", film, folder.file("x.aac")],
      ["cut", "--from", "0.1", film, folder.file("x.aac")], ["encode", film, folder.file("x.aac")],
      ["play", "--backend", "null", film],
    ] {
      let outcome = aac(command + ["--track", "3"])
      #expect(outcome.status == 1, "\(command)")
      #expect(
        outcome.errors.contains(
          "there is no track 3: the file has 1 (AAC LC, eng), 2 (AAC LC, deu, not enabled)"),
        "\(outcome.errors)")
    }
    #expect(!folder.names.contains { $0.hasPrefix("x.") })
    for name in ["en.wav", "en.m4a"] {
      let outcome = aac("encode", "--track", "2", folder.file(name), folder.file("x.aac"))
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("there is no track 2"), "\(outcome.errors)")
      let first = aac(
        "encode", "-q", "-y", "--quality", "min", "--track", "1", folder.file(name), folder.file("y.aac"))
      #expect(first.status == 0, "\(first.errors)")
    }
    for text in ["0", "-1", "x", "1.5"] {
      #expect(aac("info", "--track", text, film).status == 2, "\(text)")
    }
  }

  /// Two languages beside a picture, as another program writes them.
  @Test(
    .enabled(if: Tool.ffmpegVersion != nil, "FFmpeg is not there"),
    arguments: [
      ("mp4", ""), ("mov", ""), ("mp4", "frag_keyframe+empty_moov+default_base_moof"), ("mp4", "faststart"),
    ])
  func ffmpegsFilesAreRead(type: String, flags: String) throws {
    let folder = try Folder()
    let path = folder.file("film.\(type)")
    let made = Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=2", "-f", "lavfi", "-i",
        "sine=frequency=440:sample_rate=44100:duration=2", "-f", "lavfi", "-i",
        "sine=frequency=1000:sample_rate=32000:duration=1", "-map", "0", "-map", "1", "-map", "2", "-c:v",
        "mpeg4",
        "-c:a", "aac", "-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=deu",
      ] + (flags.isEmpty ? [] : ["-movflags", flags]) + [path])
    try #require(made != nil)
    let json = try aac("info", "--json", path).json()
    #expect(json["track"] as? Int == 2)
    #expect(json["sampleRate"] as? Int == 44100)
    let tracks = try #require(json["tracks"] as? [[String: Any]])
    #expect(tracks.compactMap { $0["codec"] as? String } == ["MPEG-4 video (mp4v)", "AAC LC", "AAC LC"])
    if type == "mp4" { #expect(tracks.compactMap { $0["language"] as? String }.suffix(2) == ["eng", "deu"]) }
    for (track, index, rate, seconds) in [("2", 0, 44100, 2), ("3", 1, 32000, 1)] {
      let decoded = aac("decode", "-f", "f32le", "--track", track, path, "-")
      #expect(decoded.status == 0, "\(decoded.errors)")
      let theirs = try #require(
        Tool.run(
          "ffmpeg", ["-v", "error", "-i", path, "-map", "0:a:\(index)", "-c:a", "copy", "-f", "adts", "-"]))
      let ours = aac("remux", "-q", "--track", track, "-f", "adts", path, "-")
      #expect(ours.data == theirs, "the same packets")
      #expect(decoded.data.count / 4 >= rate * seconds && decoded.data.count / 4 < rate * seconds + 3 * 1024)
    }
    let refused = aac("decode", "--track", "1", path, folder.file("x.wav"))
    #expect(refused.status == 1)
    #expect(
      refused.errors.contains("track 1 is MPEG-4 video (mp4v), not AAC that can be read"), "\(refused.errors)"
    )
  }
}
