import AudioFiles
import Foundation
import PCM
import Testing

/// WAV headers as pipes and careless writers make them.
@Suite struct WAVPipeTests {
  static let sound = tone(.stereo, frames: 3000)

  private func number(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  /// A 16-bit stereo WAV with any sizes, and chunks around the samples.
  private func wav(_ size: UInt32, before: [UInt8] = [], after: [UInt8] = [], cut: Int = 0) -> [UInt8] {
    var writer = SampleWriter(.s16le)
    var samples: [UInt8] = []
    let count = writer.write(Self.sound, 0..<3000, into: &samples)
    let format: [UInt8] = [1, 0, 2, 0] + number(44100) + number(176400) + [4, 0, 16, 0]
    return [UInt8]("RIFF".utf8) + number(size == 0 ? 0 : size &+ 36) + [UInt8]("WAVEfmt ".utf8)
      + number(16) + format + before + [UInt8]("data".utf8) + number(size) + samples.prefix(count - cut)
      + after
  }

  private func list(_ size: Int) -> [UInt8] {
    [UInt8]("LIST".utf8) + number(UInt32(size)) + [UInt8](repeating: 0x41, count: size + size % 2)
  }

  private func check(_ bytes: [UInt8], frames: Int, _ comment: Comment) throws {
    let folder = try Folder()
    try write(bytes, to: folder.file("x.wav"))
    for reader in [
      try AudioFileReader(path: folder.file("x.wav")), try AudioFileReader(descriptor: pipe(bytes)),
    ] {
      #expect(reader.format == Self.sound.format, comment)
      let back = try readAll(reader)
      #expect(back.frameCount == frames, comment)
      for channel in 0..<2 {
        #expect(back.channels[channel] == [Float](Self.sound.channels[channel].prefix(frames)), comment)
      }
    }
  }

  @Test("B120") func trailingChunksAreNotSound() throws {
    try check(wav(12000, after: list(501)), frames: 3000, "LIST behind")
    try check(wav(12000, before: list(501), after: list(7)), frames: 3000, "odd LIST in front")
  }

  @Test func b121_openSizes() throws {
    for size: UInt32 in [0, 0xFFFF_FFFF, 0x7FFF_FFFF, 0x7FFF_F000, 0xFFFF_FFDB] {
      try check(wav(size), frames: 3000, "size \(size)")
    }
  }

  @Test("B120") func wrongSizes() throws {
    try check(wav(4000, after: list(8)), frames: 1000, "too small")
    try check(wav(24000), frames: 3000, "too large")
    try check(wav(12000, cut: 2), frames: 2999, "cut within a frame")
    try check(wav(11999), frames: 2999, "odd")
  }

  /// A pipe that drips: frames come in pieces, and what is there comes out at once.
  @Test func drippingPipes() throws {
    let bytes = wav(0xFFFF_FFFF)
    let pipe = Pipe()
    let descriptor = dup(pipe.fileHandleForReading.fileDescriptor)
    Thread.detachNewThread {
      var start = 0
      var size = 1
      while start < bytes.count {
        let end = min(bytes.count, start + size)
        try? pipe.fileHandleForWriting.write(contentsOf: Data(bytes[start..<end]))
        start = end
        size = size % 61 + 3
        if start < 300 { usleep(500) }
      }
      try? pipe.fileHandleForWriting.close()
    }
    let reader = try AudioFileReader(descriptor: descriptor)
    let back = try readAll(reader, block: 2000)
    #expect(back.channels == Self.sound.channels)
    #expect(reader.warnings.isEmpty)
  }

  @Test func shortPipeWarns() throws {
    let reader = try AudioFileReader(descriptor: pipe(wav(24000)))
    _ = try readAll(reader)
    #expect(reader.warnings == ["the input ends 3000 frames before the length in its header"])
  }

  @Test func headerOnly() throws {
    let header = [UInt8](wav(0).prefix(44))
    let folder = try Folder()
    try write(header, to: folder.file("x.wav"))
    #expect(try readAll(AudioFileReader(path: folder.file("x.wav"))).frameCount == 0)
    #expect(try readAll(AudioFileReader(descriptor: pipe(header))).frameCount == 0)
    try write(header + list(20), to: folder.file("y.wav"))
    #expect(try readAll(AudioFileReader(path: folder.file("y.wav"))).frameCount == 0)
  }

  @Test("B126, B127", arguments: [ChannelLayout.mono, .stereo, .surround51, .surround71])
  func writtenToAPipe(layout: ChannelLayout) throws {
    for encoding in SampleEncoding.allCases {
      let sound = tone(layout, rate: 22050, frames: 700)
      let bytes = try collect { descriptor in
        let writer = try AudioFileWriter(descriptor: descriptor, .wav, sound.format, encoding)
        try writer.write(sound)
        try writer.close()
      }
      let header = layout.channelCount <= 2 ? 44 : 68
      #expect(bytes.count == header + 700 * layout.channelCount * encoding.bytesPerSample)
      let folder = try Folder()
      try write(bytes, to: folder.file("x.wav"))
      for reader in [
        try AudioFileReader(path: folder.file("x.wav")), try AudioFileReader(descriptor: pipe(bytes)),
      ] {
        #expect(reader.format == sound.format)
        #expect(try readAll(reader).channels == sound.channels)
      }
    }
  }

  /// Types that cannot be streamed go through a nameless file, both ways.
  @Test(arguments: [AudioFileType.aiff, .flac, .caf, .w64, .rf64])
  func otherTypesThroughPipes(type: AudioFileType) throws {
    let sound = tone(.stereo, frames: 5000)
    let bytes = try collect { descriptor in
      let writer = try AudioFileWriter(descriptor: descriptor, type, sound.format)
      try writer.write(sound)
      try writer.close()
    }
    let reader = try AudioFileReader(descriptor: pipe(bytes))
    #expect(reader.format == sound.format)
    #expect(try readAll(reader).channels == sound.channels)
  }

  @Test("B127") func closedPipeIsAnError() throws {
    signal(SIGPIPE, SIG_IGN)
    let pipe = Pipe()
    let descriptor = dup(pipe.fileHandleForWriting.fileDescriptor)
    try pipe.fileHandleForReading.close()
    let error = #expect(throws: AudioFileError.self) {
      let writer = try AudioFileWriter(descriptor: descriptor, .wav, Self.sound.format)
      try writer.close()
    }
    #expect(error?.reason == .pipeClosed)
  }
}
