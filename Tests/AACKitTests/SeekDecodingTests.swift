import AACKit
import Foundation
import Testing

/// Sound from any place on is that of the whole, and what lies in front is not read.
@Suite struct SeekDecodingTests {
  /// A file in memory that counts the bytes that are asked for.
  private final class CountingSource: ByteSource {
    private let bytes: [UInt8]
    let isSeekable = true
    var length: Int64? { Int64(bytes.count) }
    private(set) var count = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func read(
      at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>, atLeast minimum: Int
    ) throws(ContainerError) -> Int {
      let got = Int(max(0, min(Int64(range.count), Int64(bytes.count) - offset)))
      guard got > 0 else { return 0 }
      let start = Int(offset)
      buffer.replaceSubrange(range.lowerBound..<range.lowerBound + got, with: bytes[start..<start + got])
      count += got
      return got
    }
  }

  /// Without noise substitution, whose noise depends on all that was drawn before.
  private static func coded(_ sound: PCMBuffer, _ container: ContainerFormat) throws -> [UInt8] {
    var options = EncodeOptions()
    options.effort = .min
    options.tools = .all.subtracting(.noiseSubstitution)
    options.rate = .constant(128_000)
    options.output = PacketOutput(container)
    let sink = MemorySink(seekable: container == .m4a)
    _ = try Transcoder.encode(BufferReader(sound), to: sink, options)
    return sink.bytes
  }

  private static func read(_ reader: AACReader, _ count: Int) throws -> [[Float]] {
    var buffer = PCMBuffer(format: reader.format)
    var channels = [[Float]](repeating: [], count: reader.format.channelCount)
    while channels[0].count < count, try reader.read(count - channels[0].count, into: &buffer) > 0 {
      for channel in channels.indices {
        channels[channel] += buffer.channels[channel].prefix(buffer.frameCount)
      }
    }
    return channels
  }

  @Test(arguments: [ContainerFormat.m4a, .fmp4, .adts, .loas])
  func anyPlaceIsExact(container: ContainerFormat) throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    var random = SystemRandomNumberGenerator()
    let frames = 60_000
    let bytes = try Self.coded(noise(frames: frames, seed: seed), container)
    let whole = try Self.read(AACReader(CountingSource(bytes)), .max)
    #expect(whole[0].count >= frames)
    var places = [1, 1023, 1024, 1025, 2048, 20_000, whole[0].count - 1, whole[0].count]
    for _ in 0..<12 { places.append(Int.random(in: 0..<whole[0].count, using: &random)) }
    for place in places {
      let reader = try AACReader(CountingSource(bytes))
      try reader.skip(to: Int64(place))
      let count = min(3000, whole[0].count - place)
      #expect(
        try Self.read(reader, count) == whole.map { Array($0[place..<place + count]) },
        "\(place), seed \(seed)")
    }
    let behind = try AACReader(CountingSource(bytes))
    try behind.skip(to: Int64(whole[0].count) + 5000)
    #expect(try Self.read(behind, 100)[0].isEmpty)
  }

  /// Of ten minutes of silence and noise in tables, a second is read: by the bytes, it is the same wherever it is.
  @Test(arguments: [ContainerFormat.m4a, .fmp4]) func theWayIsNotRead(container: ContainerFormat) throws {
    let packets = try Self.packets(of: Self.coded(noise(frames: 50_000, seed: 7), .m4a))
    let sink = MemorySink(seekable: container == .m4a)
    let output = PacketOutput(container)
    let writer = try output.open(sink, sidecar: nil, configuration: packets.configuration)
    for index in 0..<6000 {
      try writer.write(
        Packet(
          data: packets.units[index % packets.units.count], presentationTime: Int64(index) * 1024,
          duration: 1024))
    }
    try writer.finish()
    #expect(sink.bytes.count > 2_000_000)
    var counts: [Int] = []
    for seconds in [20, 70, 130] {
      let source = CountingSource(sink.bytes)
      let reader = try AACReader(source)
      try reader.skip(to: Int64(seconds * 44100))
      _ = try Self.read(reader, 4410)
      counts.append(source.count)
    }
    let tables = container == .m4a ? 6000 * 4 : 0
    #expect(counts.allSatisfy { $0 < 400_000 + tables }, "\(counts) of \(sink.bytes.count)")
  }

  private static func packets(
    of bytes: [UInt8]
  ) throws -> (units: [[UInt8]], configuration: AudioSpecificConfig) {
    let reader = try openPacketReader(CountingSource(bytes))
    var units: [[UInt8]] = []
    while let packet = try reader.nextPacket() { units.append(packet.data) }
    return (units, reader.info.configuration)
  }
}
