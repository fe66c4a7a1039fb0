import AACContainers
import AACKit
import AudioFiles
import Foundation
import PCM
import Testing

@testable import AACCommand

/// Tags about the loudness. A sine of 997 Hz in both channels with the peak a has 20 log a LUFS.
@Suite struct LoudnessTagsTests {
  @discardableResult
  private func sine(_ name: String, _ level: Double, seconds: Int = 3, in folder: Folder) throws -> String {
    let tone = (0..<44100 * seconds).map { Float(level * sin(2 * .pi * 997 * Double($0) / 44100)) }
    let sound = PCMBuffer(format: PCMFormat(sampleRate: 44100, layout: .stereo), channels: [tone, tone])
    let writer = try AudioFileWriter(path: folder.file(name), .wav, sound.format, .float32)
    try writer.write(sound)
    try writer.close()
    return folder.file(name)
  }

  private func tags(_ path: String) throws -> [String: String] {
    try aac("info", "--json", path).json()["tags"] as? [String: String] ?? [:]
  }

  private func number(_ text: String?) throws -> Double {
    try #require((text?.split(separator: " ").first).flatMap { Double($0) })
  }

  @Test func oneFile() throws {
    let folder = try Folder()
    try sine("x.wav", 0.1, in: folder)
    let outcome = aac("encode", "--quality", "min", "--loudness", folder.file("x.wav"), folder.file("x.m4a"))
    #expect(outcome.status == 0, "\(outcome.errors)")
    let found = try tags(folder.file("x.m4a"))
    #expect(abs(try number(found["replaygain_track_gain"]) - 2) < 0.1)
    #expect(found["replaygain_track_gain"]?.hasSuffix(" dB") == true)
    #expect(abs(try number(found["replaygain_track_peak"]) - 0.1) < 0.001)
    #expect(found["replaygain_reference_loudness"] == "-18.00 LUFS")
    #expect(found["replaygain_album_gain"] == nil)
    let words = try #require(found["iTunNORM"]).split(separator: " ").map { Int($0, radix: 16) ?? -1 }
    #expect(words.count == 10)
    #expect(abs(Double(words[0]) - 631) < 16 && words[1] == words[0])
    #expect(abs(Double(words[2]) - 1577) < 40 && words[3] == words[2])
    #expect(abs(words[6] - 3277) < 40)
    let text = aac("info", folder.file("x.m4a")).text
    #expect(text.contains("replaygain_track_gain") && text.contains("iTunNORM"))
  }

  @Test func album() throws {
    let folder = try Folder()
    try folder.make("in")
    try sine("in/loud.wav", 0.1, in: folder)
    try sine("in/soft.wav", 0.05, in: folder)
    for options in [[], ["--gapless"]] {
      let outcome = aac(
        [
          "encode", "-y", "--quality", "min", "--loudness", "--album", "--out-dir", folder.file("out"),
          folder.file("in"),
        ] + options)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let (loud, soft) = (try tags(folder.file("out/loud.m4a")), try tags(folder.file("out/soft.m4a")))
      #expect(abs(try number(loud["replaygain_track_gain"]) - 2) < 0.1)
      #expect(abs(try number(soft["replaygain_track_gain"]) - 8.02) < 0.1)
      for found in [loud, soft] {
        #expect(abs(try number(found["replaygain_album_gain"]) - 4.04) < 0.1)
        #expect(abs(try number(found["replaygain_album_peak"]) - 0.1) < 0.001)
      }
    }
  }

  @Test func silenceHasNoGain() throws {
    let folder = try Folder()
    try folder.silence(
      "x.m4a", frames: 60_000, tags: Tags([("replaygain_track_gain", "-3.00 dB"), ("title", "T")]))
    #expect(aac("encode", "--loudness", folder.file("x.m4a"), folder.file("y.m4a")).status == 0)
    let found = try tags(folder.file("y.m4a"))
    #expect(found["replaygain_track_gain"] == nil && found["iTunNORM"] == nil)
    #expect(found["title"] == "T")
  }

  @Test func whatCannotBe() throws {
    let folder = try Folder()
    let input = try folder.tone("x.wav", frames: 3000)
    for (line, words) in [
      (["--loudness", "-", folder.file("x.m4a")], "reads the input twice"),
      (["--loudness", input, folder.file("x.aac")], "cannot hold"),
      (["--album", "--out-dir", folder.file("out"), input], "--album goes with --loudness"),
      (["--loudness", "--album", input, folder.file("x.m4a")], "--out-dir"),
    ] {
      let outcome = aac(["encode"] + line)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }
    #expect(folder.names == ["x.wav"])
  }

  /// Counted in tenths, it is the loudness that the library tells.
  @Test func distributionsAgreeWithTheMeter() throws {
    var random = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0...(.max), using: &random)
    var state = seed
    func noise() -> Float {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(Int32(truncatingIfNeeded: state >> 32)) / Float(Int32.max)
    }
    let samples = (0..<480_000).map { frame in noise() * powf(10, -Float(frame / 24_000 % 7)) }
    let sound = PCMBuffer(format: PCMFormat(sampleRate: 48000, layout: .mono), channels: [samples])
    let meter = try LoudnessMeter(sound.format)
    try meter.add(sound)
    #expect(abs(meter.distribution.integrated - meter.loudness.integrated) < 0.1, "seed \(seed)")
    var twice = meter.distribution
    twice.add(meter.distribution)
    #expect(abs(twice.integrated - meter.distribution.integrated) < 1e-9)
    #expect(LoudnessDistribution().integrated == -.infinity)
  }
}
