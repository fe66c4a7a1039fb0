import AAC
import PCM
import Testing

@testable import AACContainers

/// Streams whose headers say SSR: LC where the access units are, refused by name otherwise.
@Suite struct ADTSProfileTests {
  /// A stream with SSR in its headers; `gainControl` tells which packets have gain control data.
  private static func stream(
    _ count: Int = 20, behind: [UInt8] = [], gainControl: (Int) -> Bool = { _ in false }
  ) throws -> (packets: [[UInt8]], bytes: [UInt8]) {
    let configuration = try TestStream.configuration()
    var random = SplitMix(7)
    var packets: [[UInt8]] = []
    var bytes: [UInt8] = []
    for index in 0..<count {
      let unit =
        try TestStream.unit(
          configuration, size: 20 + random.below(100), gainControl: gainControl(index), random: &random)
        + behind
      packets.append(unit)
      var header = ADTSHeader(
        samplingRateIndex: 4, channelConfiguration: 2, frameLength: ADTSHeader.byteCount + unit.count)
      header.profile = 2
      bytes += header.bytes + unit
    }
    return (packets, bytes)
  }

  @Test func lowComplexityIsReadAsSuch() throws {
    let (packets, bytes) = try Self.stream()
    #expect(bytes[2] >> 6 == 2)
    let reader = try ADTSReader(MemorySource(bytes))
    #expect(reader.info.configuration.objectType == .lowComplexity)
    #expect(reader.info.configurationBytes == (try TestStream.configuration()).bytes)
    #expect(reader.warnings.items.map(\.kind) == [.irregular])
    #expect(reader.warnings.items.first?.text.contains("SSR") == true)
    #expect(try reader.all().map(\.data) == packets)
    #expect(reader.configurationChanges == 0)
  }

  @Test func gainControlIsNot() throws {
    for place in [0, 5] {
      let (packets, bytes) = try Self.stream { $0 == place }
      let reader = try ADTSReader(MemorySource(bytes))
      #expect(reader.info.configuration.objectType == .scalableSampleRate)
      #expect(reader.warnings.count == 0)
      #expect(try reader.all().map(\.data) == packets)
      #expect(throws: AACError.self) { try AACDecoder(reader.info.configuration) }
    }
  }

  @Test func otherSyntaxIsNot() throws {
    // An access unit that ends before its frame does is none of LC's.
    let (_, bytes) = try Self.stream(behind: [0, 0])
    let reader = try ADTSReader(MemorySource(bytes))
    #expect(reader.info.configuration.objectType == .scalableSampleRate)
  }

  /// One frame alone, and a change in the middle of a stream.
  @Test func shortAndLate() throws {
    let (packets, bytes) = try Self.stream(1)
    let reader = try ADTSReader(MemorySource(bytes))
    #expect(reader.info.configuration.objectType == .lowComplexity)
    #expect(try reader.all().map(\.data) == packets)

    let other = try TestStream.configuration(rate: 32000)
    let front = try adts(try TestStream.packets(10, other), other)
    let joined = try ADTSReader(MemorySource(front + (try Self.stream()).bytes))
    #expect(try joined.all().count == 30)
    #expect(joined.configurationChanges == 1)
    #expect(joined.info.configuration.objectType == .lowComplexity)
  }
}
