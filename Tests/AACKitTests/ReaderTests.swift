import AAC
import AACContainers
import AACKit
import AudioFiles
import PCM
import Testing

@Suite struct AACReaderTests {
  private func silence(_ layout: ChannelLayout, _ rate: Int, packets: Int) throws -> [UInt8] {
    let configuration = try AudioSpecificConfig(samplingRate: try SamplingRate(rate), layout: layout)
    let sink = MemorySink()
    let writer = try ADTSWriter(sink, configuration: configuration)
    for index in 0..<packets {
      try writer.write(
        Packet(
          data: SilentPacket.data(for: configuration) ?? [], presentationTime: Int64(index) * 1024,
          duration: 1024))
    }
    try writer.finish()
    return sink.bytes
  }

  /// A stream whose format changes on the way comes out in the format that it starts with.
  @Test func changingStreams() throws {
    let bytes =
      try silence(.stereo, 44100, packets: 20) + silence(.mono, 22050, packets: 20)
      + silence(.surround51, 48000, packets: 20)
    let reader = try AACReader(MemorySource(bytes))
    var buffer = PCMBuffer(format: reader.format)
    var count = 0
    while try reader.read(5000, into: &buffer) > 0 {
      #expect(buffer.format == PCMFormat(sampleRate: 44100, layout: .stereo))
      count += buffer.frameCount
    }
    let expected = 20480.0 * (1 + 2 + 44100.0 / 48000)
    #expect(abs(Double(count) - expected) <= 2)
    #expect(reader.concealedCount == 0)
    #expect(reader.warnings.count == 2)
  }

  @Test func smallReads() throws {
    let reader = try AACReader(MemorySource(try silence(.mono, 44100, packets: 3)))
    var buffer = PCMBuffer(format: reader.format)
    var count = 0
    while try reader.read(100, into: &buffer) > 0 {
      #expect(buffer.frameCount <= 100)
      count += buffer.frameCount
    }
    #expect(count == 3072)
  }

  @Test func oneCall() throws {
    let folder = try Folder()
    let sink = try FileSink(path: folder.file("x.aac"))
    try sink.append(try silence(.surround51, 48000, packets: 10))
    try sink.close()
    let sound = try AudioFile.decode(folder.file("x.aac"), sampleRate: 16000, channelCount: 1)
    #expect(sound.format == PCMFormat(sampleRate: 16000, layout: .mono))
    #expect(sound.frameCount == (10240 * 16000 + 24000) / 48000)
    #expect(throws: AACKitError.self) { try AudioFile.decode(folder.file("no.aac")) }
  }

  /// Everything damaged: an error, not an empty sound.
  @Test func hopelessStreams() throws {
    var bytes = try silence(.stereo, 44100, packets: 4)
    let length = bytes.count / 4
    for packet in 0..<4 {
      for index in 7..<length { bytes[packet * length + index] = 0xFF }
    }
    #expect(throws: (any Error).self) {
      let reader = try AACReader(MemorySource(bytes))
      var buffer = PCMBuffer(format: reader.format)
      while try reader.read(5000, into: &buffer) > 0 {}
    }
  }
}
