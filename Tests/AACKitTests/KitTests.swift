import AAC
import AACKit
import AudioFiles
import Foundation
import PCM
import Testing

@Suite struct AtomicFileTests {
  @Test func appearsWhenWhole() throws {
    let folder = try Folder()
    let file = try AtomicFile(folder.file("x"), replacing: false)
    try Data([1]).write(to: URL(filePath: file.writingPath))
    #expect(!FileManager.default.fileExists(atPath: folder.file("x")))
    try file.commit()
    #expect(folder.names == ["x"])
    #expect(try Data(contentsOf: URL(filePath: folder.file("x"))) == Data([1]))
  }

  @Test func isGoneWithItsObject() throws {
    let folder = try Folder()
    do {
      let file = try AtomicFile(folder.file("x"), replacing: false)
      #expect(folder.names.count == 1)
      _ = file
    }
    #expect(folder.names.isEmpty)
  }

  @Test func doesNotReplaceWhatCameUpMeanwhile() throws {
    let folder = try Folder()
    let file = try AtomicFile(folder.file("x"), replacing: false)
    try Data([9]).write(to: URL(filePath: folder.file("x")))
    let error = #expect(throws: AACKitError.self) { try file.commit() }
    #expect(error?.reason == .exists)
    #expect(try Data(contentsOf: URL(filePath: folder.file("x"))) == Data([9]))
    #expect(folder.names == ["x"])
  }

  @Test func relativePathsAndReplacing() throws {
    let folder = try Folder()
    try Data([9]).write(to: URL(filePath: folder.file("x")))
    let file = try AtomicFile(folder.file("x"), replacing: true)
    try Data([1, 2]).write(to: URL(filePath: file.writingPath))
    #expect(try Data(contentsOf: URL(filePath: folder.file("x"))) == Data([9]))
    try file.commit()
    #expect(try Data(contentsOf: URL(filePath: folder.file("x"))) == Data([1, 2]))
    #expect(throws: AACKitError.self) { try AtomicFile("", replacing: true) }
  }
}

@Suite struct CodingLayoutTests {
  @Test func sideAndBack() {
    let side = ChannelLayout([.frontLeft, .frontRight, .frontCenter, .lowFrequency, .sideLeft, .sideRight])
    #expect(side.codingLayout == .surround51)
    let flac = ChannelLayout([
      .frontLeft, .frontRight, .frontCenter, .lowFrequency, .backCenter, .sideLeft, .sideRight,
    ])
    #expect(flac.codingLayout == .surround61)
    for layout in [ChannelLayout.mono, .stereo, .surround51, .surround71, .surround512] {
      #expect(layout.codingLayout == layout)
    }
    #expect(ChannelLayout.discrete(2).codingLayout == .stereo)
    #expect(ChannelLayout.discrete(9).codingLayout == .discrete(9))
    #expect(ChannelLayout.quad.codingLayout == .quad)
  }
}

@Suite struct ConvertingReaderTests {
  @Test(arguments: [(44100, 48000), (48000, 16000), (44100, 44100)]) func lengths(from: Int, to: Int) throws {
    let sound = noise(frames: 30001, layout: .surround51, seed: 5, rate: from)
    let reader = ConvertingReader(BufferReader(sound), to: PCMFormat(sampleRate: to, layout: .stereo))
    var count = 0
    var buffer = PCMBuffer(format: reader.format)
    while try reader.read(1000, into: &buffer) > 0 {
      #expect(buffer.format == reader.format)
      count += buffer.frameCount
    }
    #expect(count == (30001 * to + from / 2) / from)
    #expect(reader.frameCount == Int64(count))
  }
}

@Suite struct StandardBitRateTests {
  @Test func values() {
    func rate(_ sampleRate: Int, _ channels: Int) -> Int {
      EncodeOptions.standardBitRate(sampleRate: sampleRate, channelCount: channels)
    }
    #expect(rate(44100, 2) == 128_000)
    #expect(rate(48000, 2) == 128_000)
    #expect(rate(44100, 1) == 64000)
    #expect(rate(22050, 2) == 76000)
    #expect(rate(8000, 1) == 18000)
    #expect(rate(96000, 2) == 215_000)
    #expect(EncodeOptions.standardBitRate(sampleRate: 48000, channelCount: 6, lowFrequency: true) == 336_000)
    // Never beyond what the standard allows.
    for sampleRate in SamplingRate.indexed {
      #expect(rate(sampleRate, 1) <= 6 * sampleRate)
    }
  }
}

@Suite struct TranscoderTests {
  @Test func fileToFile() throws {
    let folder = try Folder()
    let sound = noise(frames: 9000, seed: 6)
    let writer = try AudioFileWriter(path: folder.file("x.wav"), .wav, sound.format)
    try writer.write(sound)
    try writer.close()
    var steps = 0
    let summary = try Transcoder.encode(folder.file("x.wav"), to: folder.file("x.aac")) { _ in steps += 1 }
    #expect(summary.frames == 9000)
    #expect(steps == 2)
    try AudioFile.encode(sound, to: folder.file("x.m4a"))
    let decoded = try Transcoder.decode(folder.file("x.m4a"), to: folder.file("y.flac"), .int24)
    #expect(decoded.frames == 9000)
    #expect(decoded.concealedCount == 0)
    #expect(try AudioFile.decode(folder.file("y.flac")).frameCount == 9000)
    for body in [
      { try Transcoder.encode(folder.file("x.wav"), to: folder.file("x.aac")) } as () throws -> Any,
      { try Transcoder.decode(folder.file("x.m4a"), to: folder.file("y.flac")) },
      { try AudioFile.encode(sound, to: folder.file("x.m4a")) },
    ] {
      let error = #expect(throws: AACKitError.self) { try body() }
      #expect(error?.reason == .exists)
    }
    #expect(folder.names == ["x.aac", "x.m4a", "x.wav", "y.flac"])
  }
}
