import AAC
import PCM
import Testing

@testable import AACContainers

@Suite struct M4ARoundTripTests {
  @Test(arguments: [0, 1, 2, 42, 43, 44, 86, 500])
  func packetsComeBack(count: Int) throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(count, configuration)
    let reader = try MP4Reader(MemorySource(m4a(packets, configuration)))
    #expect(reader.info.container == .m4a)
    #expect(reader.info.configuration == configuration)
    #expect(reader.info.packetCount == Int64(count))
    #expect(try reader.all() == packets)
    #expect(reader.warnings.count == 0)
  }

  /// Priming and padding of any size give back exactly the frames between.
  @Test(arguments: [0, 1, 1000, 1024, 2048, 2112, 3000], [0, 1, 464, 1023, 1024, 2000])
  func trimsAreExact(priming: Int, padding: Int) throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(10, configuration, priming: priming, padding: padding)
    let reader = try MP4Reader(MemorySource(m4a(packets, configuration)))
    #expect(reader.info.priming == priming)
    #expect(reader.info.padding == padding)
    #expect(reader.info.validFrames == Int64(10 * 1024 - priming - padding))
    let back = try reader.all()
    #expect(back == packets)
    #expect(back.reduce(0) { $0 + $1.validFrames } == 10 * 1024 - priming - padding)
  }

  @Test func everyConfigurationComesBack() throws {
    var configurations: [AudioSpecificConfig] = []
    for rate in SamplingRate.indexed + [47250, 50000, 1, 0xFF_FFFF] {
      configurations.append(try TestStream.configuration(rate: rate))
    }
    for number in ChannelConfiguration.numbers {
      let layout = try #require(ChannelConfiguration.elements(of: number)).layout
      configurations.append(try TestStream.configuration(layout: layout))
    }
    configurations.append(
      try TestStream.configuration(layout: ChannelLayout([.frontLeft, .frontRight, .lowFrequency])))
    var wide = try TestStream.configuration(rate: 24000)
    wide.sbrPresent = true
    wide.extensionSamplingRate = try SamplingRate(48000)
    for signalling in [AudioSpecificConfig.Signalling.backwardCompatible, .hierarchical] {
      wide.signalling = signalling
      if signalling == .hierarchical { wide.psPresent = false }
      configurations.append(wide)
    }
    for configuration in configurations {
      let packets = try TestStream.packets(3, configuration, priming: 100)
      let reader = try MP4Reader(MemorySource(m4a(packets, configuration)))
      #expect(reader.info.configuration == configuration)
      #expect(reader.info.timeRate == configuration.outputRate)
      #expect(try reader.all() == packets, "\(configuration)")
    }
  }

  @Test func tagsComeBack() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(3, configuration)
    let tags = Tags([
      ("title", "Höhe über Null"), ("artist", "A"), ("album", "B"), ("albumArtist", "C"), ("composer", "D"),
      ("date", "2026-01-02"), ("genre", "Jazz"), ("comment", "line\nline"), ("track", "3/12"), ("disc", "1"),
      ("copyright", "©"), ("grouping", "g"), ("lyrics", "la"), ("description", "d"), ("encoder", "swift-aac"),
      ("bpm", "120"), ("compilation", "1"), ("MyKey", "mine"), ("org.example:Other", "theirs"),
    ])
    let reader = try MP4Reader(MemorySource(m4a(packets, configuration, options: .init(tags: tags))))
    #expect(reader.info.tags == tags)
    #expect(reader.warnings.count == 0)
  }

  @Test func bitRatesAreTold() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(430, configuration, sizes: 372...372)
    let size = packets[0].data.count
    let reader = try MP4Reader(MemorySource(m4a(packets, configuration)))
    let expected = Double(size) * 8 * 44100 / 1024
    #expect(abs(Double(reader.info.declaredBitRate ?? 0) - expected) < 1)
    #expect(reader.info.declaredMaximumBitRate ?? 0 >= reader.info.declaredBitRate ?? 0)
    let survey = try #require(try reader.survey())
    #expect(survey.packetCount == 430)
    #expect(survey.byteCount == Int64(size * 430))
  }

  @Test func pipesAreRefused() throws {
    let configuration = try TestStream.configuration()
    let error = containerError {
      _ = try M4AWriter(MemorySink(seekable: false), configuration: configuration)
    }
    guard case .needsSeeking = error?.reason else {
      Issue.record("an M4A writer on a pipe should be refused")
      return
    }
  }

  @Test func filesWork() throws {
    let path = temporaryPath("m4a")
    defer { removeFile(path) }
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(2000, configuration, priming: 2112, padding: 77)
    let sink = try FileSink(path: path)
    let writer = try M4AWriter(sink, configuration: configuration)
    for packet in packets { try writer.write(packet) }
    try writer.finish()
    try sink.close(synchronize: true)
    #expect(try MP4Reader(FileSource(path: path)).all() == packets)
    #expect(try openPacketReader(FileSource(path: path)).all() == packets)
    #expect(containerError { _ = try FileSink(path: path) } != nil, "an existing file must not be replaced")
  }
}
