import AAC
import Testing

@testable import AACContainers

/// What containers know of damage: which access unit it is, how long it lasts, how often it happened.
@Suite struct DamageKnowledgeTests {
  private static func dropping(_ bytes: [UInt8]) throws -> (reader: ADTSReader, packets: [[UInt8]]) {
    var options = ADTSReader.Options()
    options.dropsDamagedPackets = true
    let reader = try ADTSReader(MemorySource(bytes), options: options)
    return (reader, try reader.all().map(\.data))
  }

  /// Of several access units in a frame only the one whose checksum does not fit is given up.
  @Test(arguments: 2...4) func oneBlockOfAFrame(count: Int) throws {
    let stream = try ADTSFaultTests.stream(12, sizes: 40...80)
    var bytes: [UInt8] = []
    var places: [Int] = []
    for start in stride(from: 0, to: 12, by: count) {
      places.append(bytes.count)
      bytes += ADTSFaultTests.frame(Array(stream.packets[start..<start + count]), checksums: true)
    }
    for bad in 0..<count {
      // The second frame; its first access unit begins behind the header.
      var place = places[1] + 7 + 2 * count
      for unit in stream.packets[count..<count + bad] { place += unit.count + 2 }
      var broken = bytes
      broken[place + 2] ^= 0x10
      let (reader, packets) = try Self.dropping(broken)
      #expect(reader.mismatchCount == 1 && packets.count == 12)
      for index in 0..<12 {
        #expect(
          packets[index] == (index == count + bad ? [] : stream.packets[index]), "\(bad), packet \(index)")
      }
      // Without the option all are given as they are.
      #expect(try ADTSFaultTests.read(broken).packets.allSatisfy { !$0.isEmpty })
    }
  }

  /// A wrong table of positions: where frames always had so many access units, the time of all goes on.
  @Test func positionsThatMakeNoSense() throws {
    let stream = try ADTSFaultTests.stream(12, sizes: 40...80)
    var bytes: [UInt8] = []
    var second = 0
    for start in stride(from: 0, to: 12, by: 3) {
      if start == 3 { second = bytes.count }
      bytes += ADTSFaultTests.frame(Array(stream.packets[start..<start + 3]), checksums: true)
    }
    bytes[second + 7] = 0x7F
    let (reader, packets) = try Self.dropping(bytes)
    #expect(packets.count == 12)
    #expect(packets[3..<6].allSatisfy { $0.isEmpty })
    #expect(packets.prefix(3).elementsEqual(stream.packets.prefix(3)))
    #expect(packets.suffix(6).elementsEqual(stream.packets.suffix(6)))
    #expect(reader.warnings.count(of: .irregular) == 1)
  }

  /// Without checksums a broken access unit hides those behind it in its frame, and no others.
  @Test func aBrokenBlockWithoutChecksums() throws {
    let stream = try ADTSFaultTests.stream(12, sizes: 40...80)
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: 12, by: 3) {
      var units = Array(stream.packets[start..<start + 3])
      if start == 3 { units[1] = [UInt8](repeating: 0x9F, count: units[1].count) }
      bytes += ADTSFaultTests.frame(units, checksums: false)
    }
    let (_, packets) = try Self.dropping(bytes)
    #expect(packets.count == 12)
    for index in [0, 1, 2, 3, 6, 7, 8, 9, 10, 11] { #expect(packets[index] == stream.packets[index]) }
  }

  /// Checksums that never fit are another encoder's idea of them.
  @Test func checksumsThatNeverFit() throws {
    var stream = try ADTSFaultTests.stream(20, checksums: true)
    for place in stream.places { stream.bytes[place + 7] ^= 0x55 }
    let (reader, packets) = try Self.dropping(stream.bytes)
    #expect(packets == stream.packets)
    #expect(reader.warnings.count(of: .checksum) == 20)
  }

  @Test func warningsAreCountedByKind() throws {
    let stream = try ADTSFaultTests.stream(300, sizes: 100...100)
    var bytes = stream.bytes
    for frame in stride(from: 10, to: 290, by: 2) {
      for index in stream.places[frame]..<stream.places[frame] + 107 { bytes[index] = 0 }
    }
    let (reader, packets) = try ADTSFaultTests.read(bytes)
    #expect(reader.warnings.skippedBytes >= 107 * 100)
    let count = ContainerWarning.Kind.allCases.reduce(0) { $0 + reader.warnings.count(of: $1) }
    #expect(count == reader.warnings.count)
    #expect(packets.count > 20)
  }

  /// The time stamps of a transport stream tell how many packets are missing.
  @Test(arguments: [1, 3, 40]) func gapsOfTransportStreamsAreFilled(lost: Int) throws {
    let configuration = try TestStream.configuration(rate: 48000)
    let packets = try TestStream.packets(120, configuration, sizes: 100...200)
    var maker = TransportStreamMaker()
    maker.tables()
    for index in packets.indices where !(30..<30 + lost).contains(index) {
      maker.pes(try adts([packets[index]], configuration), timestamp: 1000 + Int64(index) * 1920)
    }
    var options = TransportStreamReader.Options()
    options.fillsGaps = true
    let reader = try TransportStreamReader(MemorySource(maker.bytes), options: options)
    let read = try reader.all()
    #expect(read.count == 120)
    for index in read.indices {
      #expect(read[index].data == ((30..<30 + lost).contains(index) ? [] : packets[index].data))
      #expect(read[index].presentationTime == Int64(index) * 1024)
    }
    #expect(reader.warnings.items.map(\.kind) == [.lost])
    // Far ahead is another recording.
    var second = TransportStreamMaker()
    second.tables()
    for index in packets.indices {
      let jump: Int64 = index < 60 ? 0 : 900_000
      second.pes(try adts([packets[index]], configuration), timestamp: Int64(index) * 1920 + jump)
    }
    let other = try TransportStreamReader(MemorySource(second.bytes), options: options)
    #expect(try other.all().count == 120)
  }
}
