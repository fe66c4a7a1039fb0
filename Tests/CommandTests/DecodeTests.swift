import AACContainers
import AudioFiles
import Foundation
import PCM
import Testing

@testable import AACCommand

@Suite struct DecodeTests {
  @Test("B031") func lengthsAreExact() throws {
    let folder = try Folder()
    for frames in [1, 1023, 1024, 1025, 5000] {
      try folder.silence("x.m4a", frames: frames)
      let outcome = aac("decode", "-y", folder.file("x.m4a"), folder.file("x.wav"))
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try AudioFileReader(path: folder.file("x.wav")).frameCount == Int64(frames))
    }
  }

  @Test func keepsPrimingAndPaddingOnRequest() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 3000)
    #expect(aac("decode", "--no-trim", folder.file("x.m4a"), folder.file("x.wav")).status == 0)
    #expect(try AudioFileReader(path: folder.file("x.wav")).frameCount == 4096)
  }

  /// Every type of output: by name, by `-f`, and to a pipe.
  @Test(arguments: ["wav", "aiff", "flac", "caf", "w64", "rf64"]) func types(type: String) throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 2000, layout: .surround51, rate: 48000)
    #expect(aac("decode", folder.file("x.m4a"), folder.file("a.\(type)")).status == 0)
    #expect(aac("decode", "-f", type, "--bits", "24", folder.file("x.m4a"), folder.file("b.bin")).status == 0)
    let outcome = aac("decode", "-f", type, folder.file("x.m4a"), "-")
    #expect(outcome.status == 0)
    try folder.write(outcome.data, to: "c.bin")
    for name in ["a.\(type)", "b.bin", "c.bin"] {
      let reader = try AudioFileReader(path: folder.file(name))
      #expect(reader.format == PCMFormat(sampleRate: 48000, layout: .surround51))
      #expect(reader.frameCount == 2000)
    }
  }

  @Test(arguments: SampleFormat.allCases) func rawSamples(format: SampleFormat) throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 1500)
    let outcome = aac("decode", "-f", format.rawValue, folder.file("x.m4a"), "-")
    #expect(outcome.status == 0)
    #expect(outcome.data.count == 1500 * 2 * format.bytesPerSample)
    var sound = PCMBuffer(format: PCMFormat(sampleRate: 44100, layout: .stereo))
    format.decode(outcome.data, frames: 1500, into: &sound)
    #expect(sound.channels.allSatisfy { $0.allSatisfy { $0 == 0 } })
  }

  @Test("B126") func wavOnAPipe() throws {
    let folder = try Folder()
    try folder.silence("x.aac", frames: 1024, layout: .mono, rate: 22050)
    let outcome = aac("decode", folder.file("x.aac"), "-")
    #expect(outcome.status == 0)
    #expect(outcome.data.count == 44 + 2048 * 2)
    #expect(outcome.data[0..<12] == [0x52, 0x49, 0x46, 0x46, 255, 255, 255, 255, 0x57, 0x41, 0x56, 0x45])
  }

  @Test func fromAPipe() throws {
    let folder = try Folder()
    for name in ["x.aac", "x.m4a"] {
      try folder.silence(name, frames: 3000)
      let outcome = aac("decode", "-f", "s16le", "-", "-", input: try folder.read(name))
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.data.count == (name == "x.aac" ? 4096 : 3000) * 4)
    }
  }

  @Test func ratesAndChannels() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 44100, layout: .surround51)
    let outcome = aac(
      "decode", "--rate", "16000", "--channels", "1", folder.file("x.m4a"), folder.file("x.wav"))
    #expect(outcome.status == 0, "\(outcome.errors)")
    let reader = try AudioFileReader(path: folder.file("x.wav"))
    #expect(reader.format == PCMFormat(sampleRate: 16000, layout: .mono))
    #expect(reader.frameCount == 16000)
  }

  @Test func discards() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 3000)
    let before = folder.names
    let outcome = aac("decode", "--discard", folder.file("x.m4a"))
    #expect(outcome.status == 0)
    #expect(outcome.data.isEmpty)
    #expect(outcome.errors.contains("3000 samples"))
    #expect(folder.names == before)
    #expect(aac("decode", "--discard", folder.file("x.m4a"), "ignored.wav").status == 0)
  }

  @Test func quietIsQuiet() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 3000)
    #expect(aac("decode", "-q", folder.file("x.m4a"), folder.file("x.wav")).errors.isEmpty)
  }

  /// Standard error is no terminal here: no carriage returns, and JSON lines where they are asked for.
  @Test("B125") func progress() throws {
    let folder = try Folder()
    try folder.silence("x.m4a", frames: 3000)
    let plain = aac("decode", folder.file("x.m4a"), folder.file("a.wav"))
    #expect(!plain.errors.contains("\r"))
    let outcome = aac("decode", "-q", "--progress", "json", folder.file("x.m4a"), folder.file("b.wav"))
    let lines = outcome.errors.split(separator: "\n")
    let last = try JSONSerialization.jsonObject(with: Data((lines.last ?? "").utf8)) as? [String: Any]
    #expect(last?["done"] as? Bool == true)
    #expect(last?["samples"] as? Int == 3000)
    #expect(last?["concealed"] as? Int == 0)
  }

  /// A damaged frame is concealed: the time stays right, and standard error tells.
  @Test func damageIsConcealed() throws {
    let folder = try Folder()
    try folder.silence("x.aac", frames: 20 * 1024)
    var bytes = try folder.read("x.aac")
    let length = bytes.count / 21
    for index in 10 * length + 7..<11 * length { bytes[index] = 0xFF }
    try folder.write(bytes, to: "y.aac")
    let outcome = aac("decode", "-f", "s16le", folder.file("y.aac"), "-")
    #expect(outcome.status == 0)
    #expect(outcome.data.count == 21 * 1024 * 4)
    #expect(outcome.errors.contains("1 of 21 frames were damaged and concealed"), "\(outcome.errors)")
    let strict = aac("decode", "--strict", folder.file("y.aac"), folder.file("y.wav"))
    #expect(strict.status == 1)
    #expect(strict.errors.contains("0.232 s"), "\(strict.errors)")
    #expect(!folder.names.contains("y.wav"))
  }
}
