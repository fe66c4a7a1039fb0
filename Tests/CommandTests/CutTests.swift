import AACContainers
import AACKit
import Foundation
import PCM
import Testing

@testable import AACCommand

/// Stretches of a sound: decoded, and copied without decoding.
@Suite struct CutTests {
  /// A music-like sound coded without noise substitution, whose noise would depend on what was decoded before.
  private func coded(_ folder: Folder, _ name: String, _ layout: ChannelLayout = .stereo) throws -> PCMBuffer
  {
    try folder.tone("in.wav", frames: 60_000, layout: layout)
    let outcome = aac("encode", "-q", "-y", "--no-pns", folder.file("in.wav"), folder.file(name))
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try AudioFile.decode(folder.file(name))
  }

  private func part(_ sound: PCMBuffer, _ range: Range<Int>) -> [[Float]] {
    sound.channels.map { Array($0[range]) }
  }

  private static let ranges: [(from: String, to: String?, frames: Range<Int>)] = [
    ("0", "0.5", 0..<22050), ("0.1", "0.2", 4410..<8820), ("1.0", nil, 44100..<60000),
    ("0:0.5", "0:0:0.50005", 22050..<22052), ("0.023219955", "0.046439909", 1024..<2048),
    ("1.36", "9", 59976..<60000),
  ]

  @Test("B024") func decodesAStretch() throws {
    let folder = try Folder()
    for name in ["x.m4a", "x.aac"] {
      let whole = try coded(folder, name)
      for (from, to, frames) in Self.ranges where name.hasSuffix("m4a") || to != nil && to != "9" {
        let outcome = aac(
          ["decode", "-q", "-y", "-f", "f32le", "--from", from] + (to.map { ["--to", $0] } ?? [])
            + [folder.file(name), folder.file("out.f32")])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let bytes = try folder.read("out.f32")
        #expect(bytes.count == frames.count * 8, "\(name) \(from)")
        // unsafe: whole samples of four bytes.
        let samples = unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
        let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
        #expect(left == Array(whole.channels[0][frames]), "\(name) \(from)")
      }
    }
  }

  @Test("B024", arguments: ["m4a", "raw"]) func copiesAStretchExactly(type: String) throws {
    let folder = try Folder()
    let whole = try coded(folder, "x.m4a")
    for (from, to, frames) in Self.ranges {
      let outcome = aac(
        ["cut", "-y", "--from", from] + (to.map { ["--to", $0] } ?? [])
          + [folder.file("x.m4a"), folder.file("out.\(type)")])
      #expect(outcome.status == 0, "\(outcome.errors)")
      let decoded = aac("decode", "-q", "-y", "--float", folder.file("out.\(type)"), folder.file("out.wav"))
      #expect(decoded.status == 0, "\(decoded.errors)")
      let cut = try AudioFile.decode(folder.file("out.wav"))
      #expect(cut.frameCount == frames.count, "\(from)")
      #expect(cut.channels == part(whole, frames), "\(from)")
    }
  }

  /// Every duration in the file describes the part, for players that believe any of them.
  @Test func b141_durationsAreThoseOfThePart() throws {
    let folder = try Folder()
    _ = try coded(folder, "x.m4a")
    let tagged = aac("remux", "-q", "--tag", "title=A", folder.file("x.m4a"), folder.file("y.m4a"))
    #expect(tagged.status == 0)
    let outcome = aac("cut", "-q", "--from", "0.3", "--to", "0.8", folder.file("y.m4a"), folder.file("z.m4a"))
    #expect(outcome.status == 0, "\(outcome.errors)")
    let info = try aac("info", "--json", folder.file("z.m4a")).json()
    #expect(info["samples"] as? Int == 22050)
    #expect((info["tags"] as? [String: Any])?["title"] as? String == "A")
    let bytes = try folder.read("z.m4a")
    func field(_ type: String, _ offset: Int) throws -> Int {
      let place = try #require(bytes.firstRange(of: Array(type.utf8))?.lowerBound)
      return bytes[place + offset..<place + offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    // Durations behind versions, flags and times: of the movie, of the track (in the movie's scale), of the media.
    #expect(try field("mvhd", 20) == 22050)
    #expect(try field("tkhd", 24) == 22050)
    let media = try field("mdhd", 20)
    #expect(media >= 22050 && media <= 22050 + 6 * 1024)
    #expect(try field("elst", 12) == 22050)
  }

  /// Chapters go along, counted from the start of the part; the one that it begins in begins with it.
  @Test func chaptersGoAlong() throws {
    let folder = try Folder()
    _ = try coded(folder, "x.m4a")
    try folder.write(Array("00:00:00.000 One\n00:00:00.500 Two\n00:00:01.000 Three\n".utf8), to: "list.txt")
    let listed = aac(
      "remux", "-q", "--chapters", folder.file("list.txt"), folder.file("x.m4a"), folder.file("y.m4a"))
    #expect(listed.status == 0, "\(listed.errors)")
    let outcome = aac("cut", "-q", "--from", "0.6", "--to", "1.2", folder.file("y.m4a"), folder.file("z.m4a"))
    #expect(outcome.status == 0, "\(outcome.errors)")
    let info = try aac("info", "--json", folder.file("z.m4a")).json()
    let chapters = try #require(info["chapters"] as? [[String: Any]])
    #expect(chapters.compactMap { $0["title"] as? String } == ["Two", "Three"])
    let starts = chapters.compactMap { $0["start"] as? Double }
    #expect(starts.count == 2 && starts[0] == 0 && abs(starts[1] - 0.4) < 0.002)
  }

  @Test func otherContainersGetWholeFrames() throws {
    let folder = try Folder()
    _ = try coded(folder, "x.m4a")
    let outcome = aac("cut", "--from", "0.5", "--to", "0.6", folder.file("x.m4a"), folder.file("out.aac"))
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("5 frames"), "\(outcome.errors)")
    let info = try aac("info", "--json", folder.file("out.aac")).json()
    #expect(info["frames"] as? Int == 5)
  }

  @Test func nothingInTheStretch() throws {
    let folder = try Folder()
    _ = try coded(folder, "x.m4a")
    let outcome = aac("cut", "--from", "100", folder.file("x.m4a"), folder.file("out.m4a"))
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("holds no samples"), "\(outcome.errors)")
    #expect(!folder.names.contains("out.m4a"))
  }
}
