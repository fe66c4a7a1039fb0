import AAC
import AACContainers
import AACKit
import Foundation
import PCM
import Testing

@testable import AACCommand

/// Files one behind the other, without decoding them.
@Suite struct JoinTests {
  /// A coded sound without noise substitution, whose noise would depend on what was decoded before.
  @discardableResult
  private func coded(
    _ folder: Folder, _ name: String, frames: Int, rate: Int = 44100, layout: ChannelLayout = .stereo,
    level: Float = 0.4, _ options: [String] = []
  ) throws -> PCMBuffer {
    try folder.tone("in.wav", frames: frames, layout: layout, rate: rate, level: level)
    let outcome = aac(
      ["encode", "-q", "-y", "--no-pns", "--quality", "min"] + options
        + [folder.file("in.wav"), folder.file(name)])
    #expect(outcome.status == 0, "\(outcome.errors)")
    return try AudioFile.decode(folder.file(name))
  }

  private func join(_ folder: Folder, _ names: [String], _ output: String, _ options: [String] = [])
    -> Outcome
  {
    aac(["join", "-y"] + options + names.map { folder.file($0) } + [folder.file(output)])
  }

  private static func channels(_ sounds: [PCMBuffer]) -> [[Float]] {
    (0..<sounds[0].channelCount).map { channel in sounds.flatMap { $0.channels[channel] } }
  }

  /// Sounds of any length, that have nothing in common: each is heard from its first to its last sample.
  @Test func b031_joinedFilesAreAsLongAsTheirParts() throws {
    let folder = try Folder()
    var sounds: [PCMBuffer] = []
    let lengths = [20_000, 1, 1023, 7000, 44_099]
    for (index, frames) in lengths.enumerated() {
      sounds.append(try coded(folder, "\(index).m4a", frames: frames, level: 0.1 * Float(index + 1)))
    }
    let outcome = join(folder, lengths.indices.map { "\($0).m4a" }, "out.m4a")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!outcome.errors.contains("silence"), "\(outcome.errors)")
    let joined = try AudioFile.decode(folder.file("out.m4a"))
    #expect(joined.frameCount == lengths.reduce(0, +))
    #expect(joined.channels == Self.channels(sounds))
    let info = try aac("info", "--json", folder.file("out.m4a")).json()
    #expect(info["samples"] as? Int == lengths.reduce(0, +))
    #expect(info["warnings"] as? [String] == [])
    // From anywhere on, too.
    for time in [0.3, 0.4535147392, 0.5, 0.6363, 1.2] {
      let start = Int((time * 44100).rounded())
      let part = aac(
        "decode", "-q", "-y", "--float", "--from", "\(time)", folder.file("out.m4a"), folder.file("part.wav"))
      #expect(part.status == 0, "\(part.errors)")
      #expect(
        try AudioFile.decode(folder.file("part.wav")).channels == joined.channels.map { Array($0[start...]) },
        "\(time)")
      let cut = aac("cut", "-q", "-y", "--from", "\(time)", folder.file("out.m4a"), folder.file("part.m4a"))
      #expect(cut.status == 0, "\(cut.errors)")
      #expect(
        try AudioFile.decode(folder.file("part.m4a")).channels == joined.channels.map { Array($0[start...]) },
        "cut from \(time)")
    }
    // And on to other files, with what is in the middle.
    let again = aac("remux", "-q", folder.file("out.m4a"), folder.file("again.m4a"))
    #expect(again.status == 0, "\(again.errors)")
    #expect(try AudioFile.decode(folder.file("again.m4a")).channels == joined.channels)
  }

  /// What `cut` has parted fits together again, packet by packet.
  @Test(arguments: ["m4a", "aac", "raw", "loas"]) func cutsFitTogether(type: String) throws {
    let folder = try Folder()
    let whole = try coded(folder, "x.m4a", frames: 60_000)
    for (index, range) in [["--to", "0.4"], ["--from", "0.4", "--to", "0.41"], ["--from", "0.41"]]
      .enumerated()
    {
      let outcome = aac(["cut", "-q"] + range + [folder.file("x.m4a"), folder.file("\(index).m4a")])
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    let outcome = join(folder, ["0.m4a", "1.m4a", "2.m4a"], "out.\(type)")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!outcome.errors.contains("silence"), "\(outcome.errors)")
    #expect(aac("remux", "-q", folder.file("x.m4a"), folder.file("y.\(type)")).status == 0)
    #expect(try folder.read("out.\(type)") == folder.read("y.\(type)"))
    if type == "m4a" { #expect(try AudioFile.decode(folder.file("out.m4a")).channels == whole.channels) }
  }

  /// Tracks of an album in one run become the sound that they were.
  @Test func albumsBecomeWhole() throws {
    let folder = try Folder()
    var names: [String] = []
    for index in 0..<3 { names.append(try folder.tone("\(index).wav", frames: 9000 + 500 * index)) }
    #expect(aac(["encode", "--gapless", "--no-pns", "--out-dir", folder.file("out")] + names).status == 0)
    let outcome = join(folder, ["out/0.m4a", "out/1.m4a", "out/2.m4a"], "whole.m4a")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let tracks = try (0..<3).map { try AudioFile.decode(folder.file("out/\($0).m4a")) }
    let whole = try AudioFile.decode(folder.file("whole.m4a"))
    #expect(whole.channels == Self.channels(tracks))
    // One edit, which every player knows, and the tag for those that know none.
    let bytes = try folder.read("whole.m4a")
    let place = try #require(bytes.firstRange(of: Array("elst".utf8))?.lowerBound)
    #expect(Array(bytes[place + 8..<place + 12]) == [0, 0, 0, 1])
    #expect(bytes.firstRange(of: Array("iTunSMPB".utf8)) != nil)
  }

  /// Where nothing can be dropped in the middle, whole packets of it are, and the rest is told.
  @Test func otherContainersTellTheirGap() throws {
    let folder = try Folder()
    let sounds = [
      try coded(folder, "0.m4a", frames: 20_000), try coded(folder, "1.m4a", frames: 10_000, level: 0.1),
    ]
    let outcome = join(folder, ["0.m4a", "1.m4a"], "out.aac")
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("of silence stays"), "\(outcome.errors)")
    let first = try #require(try MP4Reader(FileSource(path: folder.file("0.m4a"))).survey())
    let second = try #require(try MP4Reader(FileSource(path: folder.file("1.m4a"))).survey())
    let joined = try AudioFile.decode(folder.file("out.aac"))
    #expect(joined.frameCount == Int(first.packetCount + second.packetCount) * 1024)
    let gap = first.padding + second.priming
    let start = first.priming + 20_000 + gap
    #expect(Array(joined.channels[0][start..<start + 10_000]) == sounds[1].channels[0])
  }

  @Test func tagsAndChaptersGoAlong() throws {
    let folder = try Folder()
    try folder.silence(
      "a.m4a", frames: 44_100, tags: Tags([("album", "X"), ("title", "One"), ("track", "1")]))
    try folder.silence(
      "b.m4a", frames: 22_050, tags: Tags([("album", "X"), ("title", "Two"), ("track", "2")]))
    try folder.silence("c.m4a", frames: 22_050, tags: Tags([("album", "X")]))
    let outcome = join(
      folder, ["a.m4a", "b.m4a", "c.m4a"], "out.m4a", ["--chapters-from-files", "--tag", "title=Whole"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let info = try AACReader(path: folder.file("out.m4a")).info
    #expect(info.tags["album"] == "X" && info.tags["title"] == "Whole" && info.tags["track"] == nil)
    #expect(info.chapters.map(\.title) == ["One", "Two", "c"])
    #expect(info.chapters.map { ($0.start * 1000).rounded() } == [0, 1000, 1500])
    // Their own chapters go along, and move with their files.
    let again = join(folder, ["c.m4a", "out.m4a"], "again.m4a")
    #expect(again.status == 0, "\(again.errors)")
    let chapters = try AACReader(path: folder.file("again.m4a")).info.chapters
    #expect(chapters.map(\.title) == ["One", "Two", "c"])
    #expect(chapters.map { ($0.start * 1000).rounded() } == [500, 1500, 2000])
  }

  /// Sixty parts of odd lengths, with a beep at the start of each: every chapter begins with its beep, to the sample.
  @Test func b085_chaptersDoNotDrift() throws {
    let folder = try Folder()
    let rate = 8000
    let names = (0..<60).map { "part\($0).m4a" }
    var starts = [0]
    for (index, name) in names.enumerated() {
      var sound = tones(frames: 1501 + 37 * index, layout: .mono, rate: rate, level: 0.5)
      for frame in 400..<sound.frameCount { sound.channels[0][frame] = 0 }
      starts.append(starts[index] + sound.frameCount)
      var options = EncodeOptions()
      options.effort = .min
      options.tools.remove(.noiseSubstitution)
      try AudioFile.encode(sound, to: folder.file(name), options)
    }
    let outcome = join(folder, names, "book.m4b", ["-q", "--chapters-from-files"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let chapters = try AACReader(path: folder.file("book.m4b")).info.chapters
    #expect(chapters.map { Int(($0.start * Double(rate)).rounded()) } == Array(starts.dropLast()))
    let book = try AudioFile.decode(folder.file("book.m4b")).channels[0]
    #expect(book.count == starts.last)
    func power(_ range: Range<Int>) -> Float { range.reduce(0) { $0 + book[$1] * book[$1] } }
    for start in starts.dropLast() {
      #expect(power(start..<start + 100) > 1, "a beep at \(start)")
      if start > 0 { #expect(power(start - 100..<start) < 0.1, "silence in front of \(start)") }
    }
  }

  /// A length that no table tells is counted.
  @Test func chaptersOfFilesWithoutTables() throws {
    let folder = try Folder()
    try folder.silence("a.aac", frames: 10 * 1024)
    try folder.silence("b.aac", frames: 10 * 1024)
    let outcome = join(folder, ["a.aac", "b.aac"], "out.m4a", ["--chapters-from-files"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let chapters = try AACReader(path: folder.file("out.m4a")).info.chapters
    #expect(chapters.map(\.title) == ["a", "b"])
    // With the packet of priming, of which ADTS tells nothing.
    #expect(chapters.map { ($0.start * 44100).rounded() } == [0, 11 * 1024])
  }

  @Test func othersAreRefusedByName() throws {
    let folder = try Folder()
    try folder.silence("a.m4a", frames: 5000)
    try folder.silence("mono.m4a", frames: 5000, layout: .mono)
    try folder.silence("rate.m4a", frames: 5000, rate: 48000)
    try folder.write(Array("no sound".utf8), to: "text.m4a")
    for (name, words) in [
      ("mono", "has the channels mono, in the first file stereo"),
      ("rate", "has the rate 48000 Hz, in the first file 44100 Hz"), ("text", "text.m4a"),
      ("missing", "missing.m4a"),
    ] {
      let outcome = join(folder, ["a.m4a", "\(name).m4a"], "out.m4a")
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("\(name).m4a") && outcome.errors.contains(words), "\(outcome.errors)")
      #expect(!folder.names.contains { $0.contains("out") }, "\(folder.names)")
    }
    #expect(aac("join", folder.file("a.m4a")).status == 2)
    #expect(aac("join").status == 2)
    #expect(aac("join", "-", folder.file("a.m4a"), folder.file("out.m4a")).status == 2)
    let input = aac("join", "-y", folder.file("a.m4a"), folder.file("mono.m4a"), folder.file("a.m4a"))
    #expect(input.status == 1 && input.errors.contains("input"), "\(input.errors)")
  }
}
