import AAC
import AACContainers
import AudioFiles
import Foundation
import PCM
import Testing

@testable import AACCommand

/// Faults that other AAC software had with files, pipes and the command line; the numbers are those of
/// `Documentation/Reports.md`.
@Suite struct ReportTests {
  /// The name of a file does not decide what it is.
  @Test func b016_namesDoNotDecide() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 3000)
    try folder.silence("x.aac", frames: 3000)
    try folder.write(try folder.read("x.m4a"), to: "y.aac")
    try folder.write(try folder.read("x.aac"), to: "y.m4a")
    for (name, container, samples) in [("y.aac", "m4a", 3000), ("y.m4a", "adts", 4096)] {
      let json = try aac("info", "--json", folder.file(name)).json()
      #expect(json["container"] as? String == container)
      #expect(json["samples"] as? Int == samples && json["sampleRate"] as? Int == 44100)
      #expect((json["bitRate"] as? Double ?? -1) > 0 && (json["duration"] as? Double ?? -1) > 0)
    }
    try folder.write([UInt8](repeating: 0x20, count: 1000), to: "text.aac")
    try folder.write([0x89] + Array("PNG\r\n".utf8) + [UInt8](repeating: 7, count: 1000), to: "picture.m4a")
    try folder.write([0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0x55, count: 1000), to: "mp3.aac")
    for name in ["text.aac", "picture.m4a", "mp3.aac"] {
      let outcome = aac("info", "--json", folder.file(name))
      #expect(outcome.status == 1 && outcome.data.isEmpty, "\(name): \(outcome.text)")
      #expect(outcome.errors.contains(name))
    }
  }

  /// The rate stays what it was unless another is asked for.
  @Test(arguments: SamplingRate.indexed) func b055_ratesStay(rate: Int) throws {
    let folder = try Folder()
    let input = try folder.tone("x.wav", frames: rate / 20, layout: .mono, rate: rate)
    for (options, expected) in [([], rate), (["--rate", "32000"], 32000)] as [([String], Int)] {
      let outcome = aac(["encode", "-y", "--quality", "min"] + options + [input, folder.file("x.m4a")])
      #expect(outcome.status == 0, "\(outcome.errors)")
      let json = try aac("info", "--json", folder.file("x.m4a")).json()
      #expect(json["sampleRate"] as? Int == expected)
      #expect(json["samples"] as? Int == (rate / 20 * expected + rate / 2) / rate)
    }
  }

  /// WAV from a program that did not know the length.
  @Test(arguments: [[0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0x7F]] as [[UInt8]])
  func b121_openLengthsOnAPipe(size: [UInt8]) throws {
    let folder = try Folder()
    try folder.tone("x.wav", frames: 9000)
    var bytes = try folder.read("x.wav")
    let place = try #require(
      bytes.indices.dropLast(4).first { bytes[$0..<$0 + 4].elementsEqual(Array("data".utf8)) })
    bytes.replaceSubrange(place + 4..<place + 8, with: size)
    bytes.replaceSubrange(4..<8, with: size)
    let outcome = aac("encode", "--quality", "min", "-f", "fmp4", "-", "-", input: bytes)
    #expect(outcome.status == 0, "\(outcome.errors)")
    try folder.write(outcome.data, to: "x.mp4")
    #expect(try aac("info", "--json", folder.file("x.mp4")).json()["samples"] as? Int == 9000)
  }

  /// MP4 on a pipe: whole boxes up to the last byte, and the exact length at the other end.
  @Test func b123_b127_mp4OnAPipe() throws {
    let folder = try Folder()
    try folder.tone("x.wav", frames: 9000)
    let outcome = aac("encode", "--quality", "min", "-", "-", input: try folder.read("x.wav"))
    #expect(outcome.status == 0, "\(outcome.errors)")
    var place = 0
    while place + 8 <= outcome.data.count {
      let size = outcome.data[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      try #require(size >= 8)
      place += size
    }
    #expect(place == outcome.data.count && place > 0)
    let decoded = aac("decode", "-f", "s16le", "-", "-", input: outcome.data)
    #expect(decoded.data.count == 9000 * 4)
  }

  /// WAV on a pipe: a header with the true rate and channels, the samples, and not a byte more.
  @Test(arguments: [(ChannelLayout.mono, 22050), (.stereo, 48000), (.surround51, 48000)])
  func b126_b127_wavOnAPipe(layout: ChannelLayout, rate: Int) throws {
    let folder = try Folder()
    let path = try folder.silence("x.m4a", frames: 3000, layout: layout, rate: rate)
    let outcome = aac("decode", "-q", path, "-")
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    let header = layout.channelCount > 2 ? 68 : 44
    try #require(outcome.data.count == header + 3000 * layout.channelCount * 2)
    #expect(Int(outcome.data[22]) == layout.channelCount)
    let written = outcome.data[24..<28].reversed().reduce(0) { $0 << 8 | Int($1) }
    #expect(written == rate)
    try folder.write(outcome.data, to: "x.wav")
    let reader = try AudioFileReader(path: folder.file("x.wav"))
    #expect(reader.format == PCMFormat(sampleRate: rate, layout: layout))
  }

  /// What the documentation shows can be typed.
  @Test func b130_readMeNamesWhatThereIs() throws {
    let text = try Self.text("README.md")
    var checked = 0
    for line in text.split(separator: "\n") where line.hasPrefix("    aac ") {
      let words = line.prefix { $0 != "#" && $0 != "|" }.split(separator: " ").map(String.init)
      let command = try #require(Command.all.first { $0.name == words[1] }, "\(line)")
      let known = Set(command.options.flatMap(\.names))
      for word in words.dropFirst(2) where word.hasPrefix("-") && word != "-" {
        #expect(known.contains(word), "\(line)")
      }
      checked += 1
    }
    #expect(checked >= 8)
  }

  /// The list of reports names tests that are there, and these have the number in their name.
  @Test func listedTestsExist() throws {
    var checked = 0
    for line in try Self.text("Documentation/Reports.md").split(separator: "\n") where line.hasPrefix("| B") {
      let number = String(line.dropFirst(2).prefix(4))
      var source = ""
      // Every second part stands between backticks: a file, then its functions.
      let names = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .compactMap { $0.offset % 2 == 1 ? String($0.element) : nil }
      for name in names {
        if name.hasSuffix(".swift") {
          source = try Self.text("Tests/" + name)
        } else if !source.isEmpty {
          let place = try #require(source.range(of: "func \(name)("), "\(line)")
          let attribute = try #require(
            source.range(of: "@Test", options: .backwards, range: source.startIndex..<place.lowerBound),
            "\(line)")
          let declaration = source[attribute.lowerBound..<place.upperBound].uppercased()
          #expect(declaration.contains(number), "\(name): \(line)")
          checked += 1
        }
      }
    }
    #expect(checked > 100)
  }

  /// A file of the package.
  private static func text(_ path: String) throws -> String {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: package.appending(path: path), encoding: .utf8)
  }
}
