import AAC
import PCM
import Testing

@testable import AACContainers

@Suite struct ADTSRoundTripTests {
  @Test(arguments: SamplingRate.indexed)
  func everyRateComesBack(rate: Int) throws {
    let configuration = try TestStream.configuration(rate: rate)
    let packets = try TestStream.packets(20, configuration)
    let reader = try ADTSReader(MemorySource(adts(packets, configuration)))
    #expect(reader.info.configuration == configuration)
    #expect(reader.info.timeRate == rate)
    #expect(try reader.all().map(\.data) == packets.map(\.data))
    #expect(reader.warnings.count == 0)
    #expect(reader.info.packetCount == 20)
    #expect(reader.info.validFrames == 20_480)
  }

  @Test func packetsHaveTimes() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(5, configuration)
    let reader = try ADTSReader(MemorySource(adts(packets, configuration)))
    #expect(try reader.all().map(\.presentationTime) == [0, 1024, 2048, 3072, 4096])
  }

  @Test(arguments: [
    ChannelLayout.mono, .stereo, .surround30, .surround40, .surround50, .surround51, .surround71Front,
  ])
  func numberedLayoutsComeBack(layout: ChannelLayout) throws {
    let configuration = try TestStream.configuration(layout: layout)
    let packets = try TestStream.packets(4, configuration)
    let reader = try ADTSReader(MemorySource(adts(packets, configuration)))
    #expect(reader.info.configuration.elements.layout == layout)
    #expect(reader.info.configuration.channelConfiguration == configuration.channelConfiguration)
    #expect(try reader.all().map(\.data) == packets.map(\.data))
  }

  /// Configurations 11, 12 and 14 have no 3-bit number, and 2.1 has none at all.
  @Test(arguments: [
    ChannelLayout.surround61, .surround71, .surround512,
    ChannelLayout([.frontLeft, .frontRight, .lowFrequency]), .quad,
  ])
  func otherLayoutsTravelAsProgramConfig(layout: ChannelLayout) throws {
    let configuration = try TestStream.configuration(layout: layout)
    let packets = try TestStream.packets(4, configuration)
    let bytes = try adts(packets, configuration, checksums: true)
    #expect(try ADTSHeader(parsing: bytes).channelConfiguration == 0)
    let reader = try ADTSReader(MemorySource(bytes))
    #expect(reader.info.configuration.elements.layout == layout)
    let back = try reader.all()
    #expect(reader.mismatchCount == 0)
    #expect(reader.checkedCount == 4)
    for (packet, original) in zip(back, packets) {
      #expect(packet.data.suffix(original.data.count).elementsEqual(original.data))
      #expect(ProgramConfig(leading: packet.data)?.elements.layout == layout)
    }
    // Written again, the element is not put there twice.
    #expect(try adts(back, reader.info.configuration, checksums: true) == bytes)
  }

  /// The element names the tags that the encoder used, whatever they are.
  @Test func unusualTags() throws {
    let configuration = try TestStream.configuration(layout: .surround71)
    var random = SplitMix(1)
    let plain = try TestStream.unit(configuration, size: 30, random: &random)
    // Tags of the five elements, 0 0 1 2 0, become 1 2 3 4 5.
    var reader = BitReader(plain)
    var writer = BitWriter()
    let sizes = [22, 45, 45, 45, 22]
    for (index, size) in sizes.enumerated() {
      writer.put(try reader.uint(3), 3)
      _ = try reader.uint(4)
      writer.put(index + 1, 4)
      for _ in 0..<size { writer.put(try reader.flag()) }
    }
    while reader.remaining > 0 { writer.put(try reader.flag()) }
    let packet = Packet(data: writer.bytes, presentationTime: 0, duration: 1024)
    let stream = try ADTSReader(MemorySource(adts([packet, packet], configuration)))
    let config = try #require(stream.info.configuration.programConfig)
    #expect(config.front.map(\.tag) == [1, 2])
    #expect(config.side.map(\.tag) == [3])
    #expect(config.back.map(\.tag) == [4])
    #expect(config.lowFrequencyTags == [5])
    #expect(config.elements.layout == .surround71)
  }

  @Test func checksumsComeBack() throws {
    let configuration = try TestStream.configuration(layout: .surround51)
    let packets = try TestStream.packets(30, configuration)
    let bytes = try adts(packets, configuration, checksums: true)
    let reader = try ADTSReader(MemorySource(bytes))
    #expect(try reader.all().map(\.data) == packets.map(\.data))
    #expect(reader.checkedCount == 30)
    #expect(reader.mismatchCount == 0)
    #expect(reader.info.hasChecksums)
  }

  @Test func mpeg2ComesBack() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(3, configuration)
    let bytes = try adts(packets, configuration, mpeg2: true)
    #expect(bytes[1] == 0xF9)
    #expect(try ADTSReader(MemorySource(bytes)).info.isMPEG2)
  }

  @Test func whatDoesNotFitIsRefused() throws {
    let good = try TestStream.configuration()
    var odd = good
    odd.samplingRate = try SamplingRate(47250)
    var short = good
    short.frameLengthFlag = true
    var lowDelay = good
    lowDelay.objectType = .lowDelay
    for configuration in [odd, short, lowDelay] {
      let error = containerError { _ = try ADTSWriter(MemorySink(), configuration: configuration) }
      guard case .cannotCarry = error?.reason else {
        Issue.record("\(configuration) should be refused, got \(String(describing: error))")
        continue
      }
    }
    let writer = try ADTSWriter(MemorySink(), configuration: good)
    var random = SplitMix(1)
    try writer.write(
      Packet(data: TestStream.unit(good, size: 8170, random: &random), presentationTime: 0, duration: 1024))
    let large = try TestStream.unit(good, size: 8300, random: &random)
    let error = containerError { try writer.write(Packet(data: large, presentationTime: 0, duration: 1024)) }
    guard case .cannotCarry = error?.reason else {
      Issue.record("a frame of \(large.count) bytes should be refused")
      return
    }
  }

  @Test func surveyCountsWithoutDisturbing() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(100, configuration)
    let reader = try ADTSReader(MemorySource(adts(packets, configuration)))
    _ = try reader.nextPacket()
    let survey = try #require(try reader.survey())
    #expect(survey.packetCount == 100)
    #expect(survey.byteCount == Int64(packets.reduce(0) { $0 + $1.data.count }))
    #expect(survey.smallestPacket == packets.map(\.data.count).min())
    #expect(survey.largestPacket == packets.map(\.data.count).max())
    #expect(survey.validFrames == 102_400)
    #expect(try reader.all().count == 99)
  }
}
