import AACContainers
import AACKit
import AudioFiles
import Foundation
import PCM
import Testing

@testable import AACCommand

/// Tracks that run into each other.
@Suite struct GaplessAlbumTests {
  private static let format = PCMFormat(sampleRate: 44100, layout: .stereo)

  private static func sine(_ frames: Int) -> PCMBuffer {
    let tone = (0..<frames).map { 0.5 * Float(sin(2 * .pi * 997 * Double($0) / 44100)) }
    return PCMBuffer(format: format, channels: [tone, tone])
  }

  /// Writes a sound as tracks of these lengths; their names without extension.
  private static func write(_ sound: PCMBuffer, _ lengths: [Int], in folder: Folder) throws -> [String] {
    var start = 0
    return try lengths.indices.map { index in
      let range = start..<start + lengths[index]
      start = range.upperBound
      let part = PCMBuffer(format: sound.format, channels: sound.channels.map { [Float]($0[range]) })
      let writer = try AudioFileWriter(path: folder.file("t\(index).wav"), .wav, part.format, .float32)
      try writer.write(part)
      try writer.close()
      return "t\(index)"
    }
  }

  private static func joined(_ paths: [String]) throws -> [Float] {
    try paths.flatMap { try AudioFile.decode($0).channels[0] }
  }

  /// Power of the difference from the sine over a range, in dB from the sine's.
  private static func residual(_ sound: [Float], _ other: [Float], _ range: Range<Int>) -> Double {
    let (noise, signal) = range.reduce((0.0, 0.0)) { sums, frame in
      let difference = Double(sound[frame] - other[frame])
      return (sums.0 + difference * difference, sums.1 + Double(other[frame]) * Double(other[frame]))
    }
    return 10 * log10(max(noise, 1e-30) / signal)
  }

  /// Phase of the sine over a range, in radians.
  private static func phase(_ sound: [Float], _ range: Range<Int>) -> Double {
    let (inPhase, across) = range.reduce((0.0, 0.0)) { sums, frame in
      let (angle, value) = (2 * .pi * 997 * Double(frame) / 44100, Double(sound[frame]))
      return (sums.0 + value * sin(angle), sums.1 + value * cos(angle))
    }
    return atan2(across, inPhase)
  }

  /// A sine cut into three: every file has its own frames, and where they join there is no more to be heard than
  /// inside of the same sine encoded in one piece.
  @Test func b031_jointsAreLikeTheRest() throws {
    let folder = try Folder()
    let lengths = [50_000, 44_100, 60_123]
    let sound = Self.sine(lengths.reduce(0, +))
    let names = try Self.write(sound, lengths, in: folder)
    let line = ["encode", "-b", "256k", "--out-dir"]
    let outcome = aac(line + [folder.file("out"), "--gapless"] + names.map { folder.file($0 + ".wav") })
    #expect(outcome.status == 0, "\(outcome.errors)")
    let outputs = names.map { folder.file("out/\($0).m4a") }
    for (path, length) in zip(outputs, lengths) {
      #expect(try AudioFile.decode(path).frameCount == length)
      #expect(try AACReader(path: path).frameCount == Int64(length))
    }
    let joined = try Self.joined(outputs)

    var options = EncodeOptions()
    options.rate = .constant(256_000)
    try AudioFile.encode(sound, to: folder.file("whole.m4a"), options)
    let whole = try AudioFile.decode(folder.file("whole.m4a")).channels[0]
    #expect(joined == whole, "the very samples of the sound in one piece")

    let inner = stride(from: 10_000, to: 45_000, by: 2048).map {
      Self.residual(whole, sound.channels[0], $0..<$0 + 2048)
    }.max()!
    for joint in [50_000, 94_100] {
      let residual = Self.residual(joined, sound.channels[0], joint - 1024..<joint + 1024)
      #expect(residual < inner + 1, "\(residual) dB at \(joint), \(inner) dB elsewhere")
      #expect(residual < -80, "\(residual) dB at \(joint)")
      let step = Self.phase(joined, joint - 2048..<joint) - Self.phase(joined, joint..<joint + 2048)
      #expect(abs(step) < 0.001, "\(step) rad at \(joint)")
    }
    // Encoded one by one, the joints stand out.
    #expect(aac(line + [folder.file("alone")] + names.map { folder.file($0 + ".wav") }).status == 0)
    let alone = try Self.joined(names.map { folder.file("alone/\($0).m4a") })
    #expect(Self.residual(alone, sound.channels[0], 50_000 - 1024..<50_000 + 1024) > inner + 6)
  }

  /// Tracks that begin and end anywhere, also several in one block.
  @Test func shortTracks() throws {
    let folder = try Folder()
    let lengths = [1, 100, 1, 1023, 1024, 5, 3000, 2048, 1]
    let sound = tones(frames: lengths.reduce(0, +), layout: .mono, rate: 8000)
    let names = try Self.write(sound, lengths, in: folder)
    let outcome = aac(
      ["encode", "--gapless", "--out-dir", folder.file("out")] + names.map { folder.file($0 + ".wav") })
    #expect(outcome.status == 0, "\(outcome.errors)")
    let outputs = names.map { folder.file("out/\($0).m4a") }
    #expect(try outputs.map { try AudioFile.decode($0).frameCount } == lengths)
    try AudioFile.encode(sound, to: folder.file("whole.m4a"))
    #expect(try Self.joined(outputs) == AudioFile.decode(folder.file("whole.m4a")).channels[0])
    for (path, length) in zip(outputs, lengths) {
      let info = try AACReader(path: path).info
      #expect((1024..<2048).contains(info.priming))
      #expect(info.validFrames == Int64(length))
    }
  }

  @Test func tagsAreEachTracksOwn() throws {
    let folder = try Folder()
    for name in ["a", "b"] {
      try folder.silence(
        "\(name).m4a", frames: 3000, tags: Tags([("title", name), ("track", name == "a" ? "1" : "2")]))
    }
    let outcome = aac(
      "encode", "--gapless", "--tag", "album=X", "--name", "{track}", folder.file("a.m4a"),
      folder.file("b.m4a"),
      folder.file("out/"))
    #expect(outcome.status == 0, "\(outcome.errors)")
    for (number, title) in [("01", "a"), ("02", "b")] {
      let tags = try AACReader(path: folder.file("out/\(number).m4a")).info.tags
      #expect(tags["title"] == title && tags["album"] == "X")
    }
  }

  @Test func otherFormatsAreRefused() throws {
    let folder = try Folder()
    try folder.tone("a.wav", frames: 3000)
    try folder.tone("b.wav", frames: 3000, rate: 48000)
    try folder.tone("c.wav", frames: 3000, layout: .mono)
    for other in ["b", "c"] {
      let outcome = aac(
        "encode", "--gapless", "--out-dir", folder.file("out"), folder.file("a.wav"),
        folder.file("\(other).wav"))
      #expect(outcome.status == 1)
      #expect(
        outcome.errors.contains("\(other).wav: is ") && outcome.errors.contains("need one format"),
        "\(outcome.errors)")
      #expect(folder.names(in: "out").isEmpty)
    }
    for options in [["-f", "adts"], ["--rate", "48000"], ["--raw-input", "s16le,44100,2"]] {
      let outcome = aac(
        ["encode", "--gapless", "--out-dir", folder.file("out"), folder.file("a.wav")] + options)
      #expect(outcome.status == 2, "\(outcome.errors)")
    }
    #expect(aac("encode", "--gapless", folder.file("a.wav"), folder.file("a.m4a")).status == 2)
  }

  /// What is done is not done again, and what is left becomes what it would have been.
  @Test func resumedAlbums() throws {
    let folder = try Folder()
    let lengths = [20_000, 20_000, 20_000]
    let names = try Self.write(Self.sine(60_000), lengths, in: folder)
    let line =
      ["encode", "--gapless", "--resume", "--out-dir", folder.file("out")]
      + names.map { folder.file($0 + ".wav") }
    #expect(aac(line).status == 0)
    let before = try folder.read("out/t1.m4a")
    try FileManager.default.removeItem(atPath: folder.file("out/t1.m4a"))
    let outcome = aac(line)
    #expect(outcome.status == 0)
    #expect(outcome.errors.hasPrefix("1 of 3 files done, 2 skipped"), "\(outcome.errors)")
    #expect(try folder.read("out/t1.m4a") == before)
    #expect(aac(line).errors.hasPrefix("0 of 3 files done, 3 skipped"))
    // Without --resume nothing is replaced.
    let again = aac(line.filter { $0 != "--resume" })
    #expect(again.status == 1 && again.errors.contains("exists already"), "\(again.errors)")
  }

  /// A fault in one track ends the run; tracks before it stay.
  @Test func faultsKeepFinishedTracks() throws {
    let folder = try Folder()
    let names = try Self.write(Self.sine(90_000), [30_000, 30_000, 30_000], in: folder)
    var sound = Self.sine(30_000)
    sound.channels[0][20_000] = .nan
    let writer = try AudioFileWriter(path: folder.file("t1.wav"), .wav, sound.format, .float32)
    try writer.write(sound)
    try writer.close()
    let outcome = aac(
      ["encode", "--gapless", "--out-dir", folder.file("out")] + names.map { folder.file($0 + ".wav") })
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("t1.wav"), "\(outcome.errors)")
    #expect(outcome.errors.contains("1 of 3 files done, 1 failed, 1 left"), "\(outcome.errors)")
    #expect(folder.names(in: "out") == ["t0.m4a"])
  }
}
