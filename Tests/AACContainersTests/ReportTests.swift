import AAC
import PCM
import Testing

@testable import AACContainers

/// Faults that other AAC software had with containers; the numbers are those of `Documentation/Reports.md`.
@Suite struct ReportTests {
  /// Long frames in every container and back.
  @Test func b003_longFramesInEveryContainer() throws {
    let configuration = try TestStream.configuration(layout: .surround51)
    let packets = try TestStream.packets(8, configuration, sizes: 2040...4600)
    let data = packets.map(\.data)
    #expect(data.contains { $0.count > 4095 })
    #expect(try MP4Reader(MemorySource(m4a(packets, configuration))).all().map(\.data) == data)
    #expect(try MP4Reader(MemorySource(fragmented(packets, configuration))).all().map(\.data) == data)
    #expect(
      try TransportStreamReader(MemorySource(transport(packets, configuration))).all().map(\.data) == data)
  }

  /// The number in the header is the standard's, not the count of channels.
  @Test func b010_channelNumbersInHeaders() throws {
    let table: [(layout: ChannelLayout, number: Int)] = [
      (.mono, 1), (.stereo, 2), (.surround30, 3), (.surround40, 4), (.surround50, 5), (.surround51, 6),
      (.surround71Front, 7), (.surround61, 11), (.surround71, 12),
    ]
    for (layout, number) in table {
      let configuration = try TestStream.configuration(layout: layout)
      let bytes = configuration.bytes
      #expect(bytes[1] >> 3 & 15 == UInt8(number), "\(layout)")
      let header = try adts(TestStream.packets(2, configuration), configuration)
      // Three bits: what does not fit travels as a program config.
      let written = Int(header[2] & 1) << 2 | Int(header[3] >> 6)
      #expect(written == (number < 8 ? number : 0), "\(layout)")
      let reader = try ADTSReader(MemorySource(header))
      #expect(reader.info.configuration.elements.layout == layout)
    }
  }

  /// Text, a picture and sound of other kinds are errors; what is read has no impossible values.
  @Test func b016_noImpossibleValues() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(20, configuration)
    for bytes in [try m4a(packets, configuration), try adts(packets, configuration)] {
      let reader = try openPacketReader(MemorySource(bytes))
      #expect(reader.info.timeRate == 44100 && reader.info.priming >= 0 && reader.info.padding >= 0)
      #expect(try reader.survey()?.packetCount == 20)
    }
    let picture = [0x89] + Array("PNG\r\n".utf8) + [UInt8](repeating: 0xFF, count: 500)
    let text = Array(String(repeating: "no sound at all. ", count: 60).utf8)
    for bytes in [picture, text, [], [0xFF, 0xF1]] {
      #expect(throws: ContainerError.self) { _ = try openPacketReader(MemorySource(bytes)) }
    }
  }

  /// A rate that there is not is no header.
  @Test func b027_reservedRates() throws {
    let stream = try ADTSFaultTests.stream(20)
    for index in 13...15 {
      var bytes = stream.bytes
      for place in stream.places { bytes[place + 2] = bytes[place + 2] & 0xC3 | UInt8(index << 2) }
      #expect(throws: ContainerError.self, "index \(index)") { _ = try ADTSReader(MemorySource(bytes)) }
      #expect(try Probe.identify(MemorySource(bytes)) != .container(.adts))
    }
  }

  /// Priming shifts no clock below zero: the first times are those of the start, and they grow.
  @Test(arguments: [1024, 2112]) func b081_timesBeginAtTheStart(priming: Int) throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(30, configuration, priming: priming)
    let reader = try TransportStreamReader(MemorySource(transport(packets, configuration)))
    let times = try reader.all().map(\.presentationTime)
    #expect(times == (0..<30).map { Int64($0 * 1024) })
    // A decode time has no sign.
    let bytes = try fragmented(packets, configuration)
    #expect(Self.numbers(of: "tfdt", in: bytes, width: 8, skip: 4).first == 0)
  }

  /// However many access units came in a packet, each is a sample.
  @Test func b083_oneAccessUnitInASample() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(100, configuration)
    for unitsPerFrame in 1...4 {
      var bytes: [UInt8] = []
      for start in stride(from: 0, to: 100, by: unitsPerFrame) {
        let end = min(100, start + unitsPerFrame)
        bytes += ADTSFaultTests.frame(packets[start..<end].map(\.data), checksums: false)
      }
      let read = try ADTSReader(MemorySource(bytes)).all()
      let written = try fragmented(read, configuration)
      #expect(Self.numbers(of: "trun", in: written, width: 4, skip: 4).reduce(0, +) == 100)
      let back = try MP4Reader(MemorySource(written)).all()
      #expect(back.map(\.data) == packets.map(\.data) && back.allSatisfy { $0.duration == 1024 })
    }
  }

  /// Clocks of long streams: 32 bits are not enough.
  @Test(arguments: [Int64(1) << 31, 1 << 32]) func b110_clocksOfLongStreams(start: Int64) throws {
    let configuration = try TestStream.configuration()
    var packets = try TestStream.packets(6, configuration)
    var options = TransportStreamWriter.Options()
    options.startTime = start
    let bytes = try transport(packets, configuration, options)
    let reader = try TransportStreamReader(MemorySource(bytes))
    #expect(try reader.all().map(\.data) == packets.map(\.data))
    #expect(reader.warnings.count == 0)
    for index in packets.indices { packets[index].presentationTime += start * 1024 }
    let read = try MP4Reader(MemorySource(fragmented(packets, configuration))).all()
    #expect(read.map(\.data) == packets.map(\.data))
    #expect(read.map(\.duration).reduce(0, +) == 6 * 1024)
  }

  /// Access units without their borders are no ADTS stream, and that is said.
  @Test func b115_unitsWithoutBorders() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(8, configuration)
    let blob = packets.flatMap(\.data)
    #expect(throws: ContainerError.self) { _ = try openPacketReader(MemorySource(blob)) }
    // With the configuration the syntax tells where each ends.
    let reader = try RawReader(MemorySource(blob), configurationBytes: configuration.bytes)
    #expect(try reader.all().map(\.data) == packets.map(\.data))
  }

  /// Players that read from the front find the tables first.
  @Test func b147_tablesComeFirst() throws {
    let configuration = try TestStream.configuration()
    let bytes = try m4a(TestStream.packets(50, configuration), configuration)
    var order: [String] = []
    var place = 0
    while place + 8 <= bytes.count {
      order.append(String(decoding: bytes[place + 4..<place + 8], as: UTF8.self))
      let size = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      #expect(size >= 8)
      place += max(8, size)
    }
    #expect(order.firstIndex(of: "moov") ?? .max < order.firstIndex(of: "mdat") ?? 0, "\(order)")
    #expect(order.first == "ftyp" && place == bytes.count)
  }

  /// Who joins late waits for the configuration; who never gets one is told.
  @Test func b149_soundBeforeItsConfiguration() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(9, configuration).map(\.data)
    var maker = FLVMaker()
    for packet in packets.prefix(5) { maker.unit(packet) }
    let error = containerError { _ = try FLVReader(MemorySource(maker.bytes)) }
    #expect(error?.description.contains("without a configuration") == true)
    maker.configuration(configuration.bytes)
    for packet in packets.suffix(4) { maker.unit(packet) }
    let reader = try FLVReader(MemorySource(maker.bytes))
    #expect(reader.info.configuration == configuration)
    #expect(try reader.all().map(\.data) == Array(packets.suffix(4)))
  }

  /// The rate in the tag has two bits; that of the configuration counts, whatever the tag says.
  @Test(arguments: SamplingRate.indexed) func b159_rateOfTheConfiguration(rate: Int) throws {
    let configuration = try TestStream.configuration(rate: rate)
    let packets = try TestStream.packets(3, configuration).map(\.data)
    for first: UInt8 in [0xAF, 0xA2, 0xA0] {
      var maker = FLVMaker()
      maker.tag(8, [first, 0] + configuration.bytes)
      for packet in packets { maker.tag(8, [first, 1] + packet) }
      let reader = try FLVReader(MemorySource(maker.bytes))
      #expect(reader.info.timeRate == rate && reader.info.configuration == configuration)
      #expect(try reader.all().map(\.data) == packets)
    }
  }

  private func transport(
    _ packets: [Packet], _ configuration: AudioSpecificConfig,
    _ options: TransportStreamWriter.Options = .init()
  ) throws -> [UInt8] {
    let sink = MemorySink(seekable: false)
    let writer = try TransportStreamWriter(sink, configuration: configuration, options: options)
    for packet in packets { try writer.write(packet) }
    try writer.finish()
    return sink.bytes
  }

  /// The number of `width` bytes, `skip` bytes behind the type, in each box of a type.
  static func numbers(of type: String, in bytes: [UInt8], width: Int, skip: Int) -> [Int] {
    let name = Array(type.utf8)
    return bytes.indices.dropLast(4 + skip + width).filter { bytes[$0..<$0 + 4].elementsEqual(name) }.map {
      bytes[$0 + 4 + skip..<$0 + 4 + skip + width].reduce(0) { $0 << 8 | Int($1) }
    }
  }
}
