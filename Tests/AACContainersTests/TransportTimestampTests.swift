import AAC
import PCM
import Testing

@testable import AACContainers

@Suite struct TransportTimestampTests {
  @Test(arguments: [0, 1, 126_000, (1 << 33) - 1]) func roundTrip(value: Int64) {
    let stamp = TransportTimestamp(value)
    #expect(stamp.value == value)
    #expect(TransportTimestamp(tag: stamp.tag) == stamp)
    #expect(TransportTimestamp(tag: stamp.tag + [0xFF, 0xF1]) == stamp)
  }

  @Test func b087_wraps() { #expect(TransportTimestamp((1 << 33) + 5).value == 5) }

  /// The bytes that the standard tells, by hand.
  @Test func bytes() {
    let tag = TransportTimestamp(0x1_0203_0405).tag
    #expect(Array(tag.prefix(10)) == [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 63])
    #expect(Array(tag[10..<20]) == [0x50, 0x52, 0x49, 0x56, 0, 0, 0, 53, 0, 0])
    #expect(Array(tag.suffix(9)) == [0, 0, 0, 0, 1, 2, 3, 4, 5])
    #expect(tag.count == 73)
  }

  @Test func otherTagsAndDamage() {
    let tag = TransportTimestamp(77).tag
    #expect(TransportTimestamp(tag: []) == nil)
    for count in 0..<tag.count { #expect(TransportTimestamp(tag: Array(tag.prefix(count))) == nil) }
    for index in tag.indices {
      var damaged = tag
      damaged[index] ^= 0x80
      _ = TransportTimestamp(tag: damaged)
    }
    // Behind another frame.
    var other: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 63 + 12]
    other += Array("TIT2".utf8) + [0, 0, 0, 2, 0, 0, 3, 0x41] + tag.dropFirst(10)
    #expect(TransportTimestamp(tag: other) == TransportTimestamp(77))
  }

  /// Packed audio: the tag and then frames, which every reader finds.
  @Test func packedAudio() throws {
    let configuration = try AudioSpecificConfig(samplingRate: try SamplingRate(48000), layout: .stereo)
    let sink = MemorySink()
    var options = ADTSWriter.Options()
    options.timestamp = TransportTimestamp(900_000)
    let writer = try ADTSWriter(sink, configuration: configuration, options: options)
    let silence = try #require(SilentPacket.data(for: configuration))
    for index in 0..<5 {
      try writer.write(Packet(data: silence, presentationTime: Int64(index) * 1024, duration: 1024))
    }
    try writer.finish()
    #expect(TransportTimestamp(tag: sink.bytes) == TransportTimestamp(900_000))
    let reader = try openPacketReader(MemorySource(sink.bytes))
    var count = 0
    while try reader.nextPacket() != nil { count += 1 }
    #expect(count == 5)
  }
}
