import Foundation
import PCM
import Testing

@testable import AudioFiles

@Suite struct AudioFileTests {
  static let cases: [(AudioFileType, SampleEncoding)] = AudioFileType.allCases.flatMap { type in
    SampleEncoding.allCases.filter(type.supports).map { (type, $0) }
  }

  @Test(arguments: cases) func writesAndReads(type: AudioFileType, encoding: SampleEncoding) throws {
    let folder = try Folder()
    for layout in [ChannelLayout.mono, .stereo, .surround51] {
      let path = folder.file("\(layout.channelCount).\(type.rawValue)")
      let sound = tone(layout, frames: 5000)
      let writer = try AudioFileWriter(path: path, type, sound.format, encoding)
      try writer.write(sound)
      try writer.write(sound)
      try writer.close()
      #expect(writer.frameCount == 10000)
      let reader = try AudioFileReader(path: path)
      #expect(reader.format == sound.format, "\(type) \(layout.name)")
      #expect(reader.frameCount == 10000)
      let back = try readAll(reader)
      for channel in 0..<layout.channelCount {
        #expect(back.channels[channel] == sound.channels[channel] + sound.channels[channel])
      }
    }
  }

  @Test func typesFollowExtensions() {
    #expect(AudioFileType(path: "a/b.WAV") == .wav)
    #expect(AudioFileType(path: "x.aif") == .aiff)
    #expect(AudioFileType(path: "a.flac/x") == nil)
    #expect(AudioFileType(path: "x.m4a") == nil)
  }

  @Test func equalSoundGivesEqualFiles() throws {
    let folder = try Folder()
    let sound = tone(.stereo, frames: 100)
    var files: [[UInt8]] = []
    for name in ["a.wav", "b.wav"] {
      let writer = try AudioFileWriter(path: folder.file(name), .wav, sound.format, .float32)
      try writer.write(sound)
      try writer.close()
      files.append(try bytes(folder.file(name)))
    }
    #expect(files[0] == files[1])
  }

  @Test func surroundKeepsItsMask() throws {
    let folder = try Folder()
    let side = ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lowFrequency, .sideLeft, .sideRight])
    for layout in [side, .quad, .surround40, .surround50] {
      let sound = tone(layout, frames: 10)
      let writer = try AudioFileWriter(path: folder.file("x.wav"), .wav, sound.format)
      try writer.write(sound)
      try writer.close()
      #expect(try AudioFileReader(path: folder.file("x.wav")).format.layout == layout)
      try? FileManager.default.removeItem(atPath: folder.file("x.wav"))
    }
  }

  @Test func flacRefusesFloat() throws {
    let format = PCMFormat(sampleRate: 44100, layout: .stereo)
    let error = #expect(throws: AudioFileError.self) {
      try AudioFileWriter(path: "/nowhere/x.flac", .flac, format, .float32)
    }
    #expect(error?.description.contains("24-bit") == true)
  }

  @Test func otherFormatsAreRefused() throws {
    let folder = try Folder()
    let writer = try AudioFileWriter(
      path: folder.file("x.wav"), .wav, PCMFormat(sampleRate: 44100, layout: .mono))
    #expect(throws: AudioFileError.self) { try writer.write(tone(.stereo, frames: 10)) }
    try writer.close()
    #expect(throws: AudioFileError.self) { try writer.write(tone(.mono, frames: 10)) }
  }

  @Test func clippingIsCounted() throws {
    let folder = try Folder()
    let format = PCMFormat(sampleRate: 44100, layout: .mono)
    let writer = try AudioFileWriter(path: folder.file("x.wav"), .wav, format)
    try writer.write(PCMBuffer(format: format, channels: [[0.5, 1.5, -1.5, 0.99]]))
    try writer.close()
    #expect(writer.clippedCount == 2)
  }
}

@Suite struct BadAudioFileTests {
  private func reason(_ path: String) -> AudioFileError.Reason? {
    do throws(AudioFileError) {
      _ = try AudioFileReader(path: path)
      return nil
    } catch { return error.reason }
  }

  @Test func reasons() throws {
    let folder = try Folder()
    try write([], to: folder.file("empty.wav"))
    try write([UInt8]("This is a text, not a sound.\n".utf8), to: folder.file("text.wav"))
    try write([0, 0, 0, 24] + [UInt8]("ftypM4A xxxxxxxx".utf8), to: folder.file("x.m4a"))
    try write([0xFF, 0xF1, 0x50, 0x80, 1, 2, 3, 4, 5, 6, 7, 8, 9], to: folder.file("x.aac"))
    #expect(reason(folder.file("empty.wav")) == .empty)
    #expect(reason(folder.path) == .isDirectory)
    #expect(reason(folder.file("missing.wav")) == .cannotOpen("No such file or directory"))
    #expect(reason(folder.file("text.wav")) == .notAudio("a text"))
    #expect(reason(folder.file("x.m4a")) == .notAudio("an MP4 file: see aac decode"))
    #expect(reason(folder.file("x.aac")) == .notAudio("an ADTS stream: see aac decode"))
  }

  @Test func messagesNameTheFileAndTheRemedy() throws {
    let error = #expect(throws: AudioFileError.self) { try AudioFileReader(path: "/no/such.wav") }
    #expect(error?.description == "/no/such.wav: cannot be opened: No such file or directory")
    #expect(error?.advice == "check the path and its permissions")
  }

  /// Headers with random bytes are read or refused, never trapped on.
  @Test func randomHeaders() throws {
    let folder = try Folder()
    let sound = tone(.surround51, frames: 20)
    let writer = try AudioFileWriter(path: folder.file("x.wav"), .wav, sound.format)
    try writer.write(sound)
    try writer.close()
    let whole = try bytes(folder.file("x.wav"))
    var random = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0...(.max), using: &random)
    var state = seed | 1
    func next(_ bound: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state >> 33) % bound
    }
    for _ in 0..<500 {
      var changed = whole
      for _ in 0...next(3) { changed[next(68)] = [0, 1, 0x7F, 0x80, 0xFF, UInt8(next(256))][next(6)] }
      try write(changed, to: folder.file("y.wav"))
      for reader in [
        try? AudioFileReader(path: folder.file("y.wav")), try? AudioFileReader(descriptor: pipe(changed)),
      ] {
        guard let reader else { continue }
        #expect(reader.format.channelCount > 0, "seed \(seed)")
        _ = try? readAll(reader)
      }
    }
  }

  /// Every cut through a WAV file is read or refused, never trapped on.
  @Test func everyCut() throws {
    let folder = try Folder()
    let sound = tone(.stereo, frames: 20)
    let writer = try AudioFileWriter(path: folder.file("x.wav"), .wav, sound.format)
    try writer.write(sound)
    try writer.close()
    let whole = try bytes(folder.file("x.wav"))
    for count in 1..<whole.count {
      let part = [UInt8](whole.prefix(count))
      try write(part, to: folder.file("y.wav"))
      if let reader = try? AudioFileReader(path: folder.file("y.wav")) {
        #expect(try readAll(reader).frameCount <= 20)
      }
      if let reader = try? AudioFileReader(descriptor: pipe(part)) {
        #expect(try readAll(reader).frameCount == max(0, count - 44) / 4)
      }
    }
  }
}

@Suite struct LargeFileTests {
  @Test func longWAVFilesAreRF64() throws {
    let folder = try Folder()
    let sound = tone(.stereo, frames: 100)
    for (frames, mark) in [(Int64(100), "RIFF"), (2_000_000_000, "RF64")] {
      let writer = try AudioFileWriter(
        path: folder.file("\(mark).wav"), .wav, sound.format, expectedFrames: frames)
      try writer.write(sound)
      try writer.close()
      #expect(try bytes(folder.file("\(mark).wav")).prefix(4).elementsEqual(mark.utf8))
      #expect(try readAll(AudioFileReader(path: folder.file("\(mark).wav"))).channels == sound.channels)
    }
  }

  /// A header that cannot tell the length is never written.
  @Test func theLimitIsKept() throws {
    let folder = try Folder()
    let sound = tone(.stereo, frames: 100)
    for (type, isLimited) in [(AudioFileType.wav, true), (.aiff, true), (.w64, false)] {
      let descriptor = try openForWriting(folder.file("x"))
      let writer = try SoundFileWriter(
        descriptor: descriptor, path: "x", type, sound.format, .int16, dither: false, largestSize: 900)
      try writer.write(sound)
      try writer.write(sound)
      if isLimited {
        let error = #expect(throws: AudioFileError.self) { try writer.write(sound) }
        #expect(error?.reason == .tooLong(type.rawValue.uppercased()))
        #expect(error?.frame == 200)
      } else {
        try writer.write(sound)
      }
    }
  }
}
