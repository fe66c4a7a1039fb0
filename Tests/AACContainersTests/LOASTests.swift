import AAC
import Foundation
import PCM
import Testing

@testable import AACContainers

/// The stream of packets as LOAS.
func loas(
  _ packets: [Packet], _ configuration: AudioSpecificConfig, options: LOASWriter.Options = .init()
) throws -> [UInt8] {
  let sink = MemorySink()
  let writer = try LOASWriter(sink, configuration: configuration, options: options)
  for packet in packets { try writer.write(packet) }
  try writer.finish()
  return sink.bytes
}

@Suite struct LOASTests {
  /// Plain, hierarchical and backward-compatible signalling, program configs, odd rates, 960 samples.
  static func configurations() throws -> [AudioSpecificConfig] {
    var hierarchical = try TestStream.configuration(rate: 24000)
    hierarchical.signalling = .hierarchical
    hierarchical.sbrPresent = true
    hierarchical.psPresent = false
    hierarchical.extensionSamplingRate = try SamplingRate(48000)
    var compatible = hierarchical
    compatible.signalling = .backwardCompatible
    compatible.psPresent = nil
    var short = try TestStream.configuration(rate: 48000, layout: .mono)
    short.frameLengthFlag = true
    var commented = try TestStream.configuration(layout: .quad)
    commented.programConfig?.comment = Array("a remark of some length, to be read in place".utf8)
    return [
      try TestStream.configuration(), hierarchical, compatible, short, commented,
      try TestStream.configuration(rate: 12345, layout: .surround51),
    ]
  }

  @Test(arguments: [1, 2, 5, 64]) func unitsComeBack(unitsPerElement: Int) throws {
    for configuration in try Self.configurations() {
      let sizes = unitsPerElement == 64 ? 20...60 : 20...700
      let packets = try TestStream.packets(67, configuration, sizes: sizes)
      for (version, hasSync) in [(nil, true), (1, true), (nil, false), (1, false)] as [(Int?, Bool)] {
        var options = LOASWriter.Options()
        options.version = version
        options.hasSync = hasSync
        options.unitsPerElement = unitsPerElement
        let source = MemorySource(try loas(packets, configuration, options: options))
        let reader: any PacketReader = hasSync ? try LOASReader(source) : try LATMReader(source)
        #expect(reader.info.configuration == configuration)
        #expect(reader.info.configurationBytes == configuration.bytes)
        let read = try reader.all()
        #expect(read.map(\.data) == packets.map(\.data))
        let length = Int64(configuration.outputFrameLength)
        #expect(read.map(\.presentationTime) == (0..<67).map { $0 * length })
        #expect(reader.configurationChanges == 0)
        #expect(reader.warnings.count == 0)
        #expect(reader.info.packetCount == 67)
        #expect(reader.info.validFrames == 67 * length)
        let survey = try #require(try reader.survey())
        #expect(survey.packetCount == 67)
        #expect(survey.byteCount == packets.reduce(0) { $0 + Int64($1.data.count) })
        #expect(try Probe.identify(source) == .container(.loas))
        #expect(try openPacketReader(source).all().map(\.data) == packets.map(\.data))
      }
    }
  }

  /// The configuration comes again about twice a second, and a stream can be joined there.
  @Test func configurationIsRepeated() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(100, configuration)
    let bytes = try loas(packets, configuration)
    var place = 0
    var told: [Int] = []
    for index in 0..<100 {
      if bytes[place + 3] & 0x80 == 0 { told.append(index) }
      place += 3 + (Int(bytes[place + 1] & 0x1F) << 8 | Int(bytes[place + 2]))
    }
    #expect(place == bytes.count)
    #expect(told == [0, 21, 42, 63, 84])
    let cut = Array(bytes[1000...])
    let reader = try LOASReader(MemorySource(cut))
    let read = try reader.all().map(\.data)
    #expect(read == packets.suffix(read.count).map(\.data))
    #expect([79, 58].contains(read.count))
    #expect(reader.warnings.items.map(\.kind) == [.junk, .ignored])
  }

  @Test func anySizeFits() throws {
    let configuration = try TestStream.configuration()
    var random = SplitMix(3)
    var packets: [Packet] = []
    for size in [20, 254, 255, 256, 509, 510, 511, 765, 6000, 8150] {
      var data = try TestStream.unit(configuration, size: size, random: &random)
      while data.count < size { data.append(0) }
      packets.append(Packet(data: data, presentationTime: 0, duration: 1024))
    }
    let reader = try LOASReader(MemorySource(loas(packets, configuration)))
    #expect(try reader.all().map(\.data) == packets.map(\.data))
    let large = Packet(data: [UInt8](repeating: 1, count: 8190), presentationTime: 0, duration: 1024)
    let error = containerError { _ = try loas([large], configuration) }
    guard case .cannotCarry = error?.reason else {
      Issue.record("got \(String(describing: error))")
      return
    }
  }

  @Test func writerRefuses() throws {
    let configuration = try Self.configurations()[2]
    var options = LOASWriter.Options()
    options.version = 0
    let error = containerError { _ = try loas([], configuration, options: options) }
    #expect(error?.description.contains("sync extension") == true)
    let packets = try TestStream.packets(1, configuration)
    let framed = Packet(data: try loas(packets, configuration), presentationTime: 0, duration: 1024)
    let again = containerError { _ = try loas([framed], configuration) }
    #expect(again?.description.contains("LOAS header") == true)
  }

  static func anyConfig(_ random: inout SplitMix, timeFraming: Bool? = nil) throws -> StreamMuxConfig {
    let choices = try configurations()
    var config = StreamMuxConfig(streams: [])
    config.version = random.below(2)
    if config.version == 1 { config.totalBufferFullness = Int(random.next() & 0xFFFF_FFFF) }
    config.hasSameTimeFraming = timeFraming ?? (random.below(2) == 0)
    config.subFrameCount = 1 + random.below(4)
    for program in 0..<1 + random.below(3) {
      for layer in 0..<1 + random.below(3) {
        let configuration = choices[random.below(choices.count)]
        var stream = try #require(
          StreamMuxConfig(configuration, version: config.version).streams.first)
        if config.version == 0, configuration.signalling == .backwardCompatible {
          stream = try #require(StreamMuxConfig(choices[0], version: 0).streams.first)
        }
        if let previous = config.streams.last, random.below(3) == 0 {
          stream = previous
          stream.isConfigurationShared = true
        } else {
          stream.isConfigurationShared = false
        }
        stream.program = program
        stream.layer = layer
        stream.framing =
          random.below(2) == 0
          ? .told(bufferFullness: random.below(256)) : .constant(byteCount: 20 + random.below(300))
        config.streams.append(stream)
      }
    }
    if random.below(2) == 0 { config.otherDataBitCount = Int(random.next() >> UInt64(42 + random.below(22))) }
    if random.below(2) == 0 { config.checksum = random.below(256) }
    return config
  }

  /// Several programs, layers, chunks and other data: the first program's units come out whole.
  @Test func multiplexesAreTakenApart() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed)
    for round in 0..<40 {
      var config = try Self.anyConfig(&random)
      if let count = config.otherDataBitCount { config.otherDataBitCount = count % 3000 }
      var maker = MultiplexMaker(config)
      var bytes: [UInt8] = []
      for index in 0..<6 { bytes += maker.element(tellsConfig: index % 3 == 0, &random) }
      maker.end()
      let reader = try LATMReader(MemorySource(bytes))
      #expect(try reader.all().map(\.data) == maker.units, "seed \(seed), round \(round)")
      #expect(reader.muxConfig == config, "seed \(seed), round \(round)")
    }
  }

  @Test func inBandChanges() throws {
    let first = try TestStream.configuration()
    let second = try TestStream.configuration(rate: 48000, layout: .mono)
    let packets = try TestStream.packets(20, first)
    let others = try TestStream.packets(30, second)
    for hasSync in [true, false] {
      var options = LOASWriter.Options()
      options.hasSync = hasSync
      let bytes = try loas(packets, first, options: options) + loas(others, second, options: options)
      let reader: any PacketReader =
        hasSync ? try LOASReader(MemorySource(bytes)) : try LATMReader(MemorySource(bytes))
      var changes: [Int] = []
      var count = 0
      while let packet = try reader.nextPacket() {
        #expect(packet.data == (count < 20 ? packets[count] : others[count - 20]).data)
        if reader.configurationChanges > changes.count { changes.append(count) }
        count += 1
      }
      #expect(count == 50)
      #expect(changes == [20])
      #expect(reader.info.configuration == second)
      #expect(reader.warnings.items.map(\.kind) == [.configurationChange])
    }
  }

  /// Elements without any configuration, as RTP has them, with one that was told otherwise.
  @Test func outOfBandConfiguration() throws {
    let configuration = try TestStream.configuration()
    var maker = MultiplexMaker(StreamMuxConfig(configuration))
    maker.hasConfig = false
    var random = SplitMix(8)
    var bytes: [UInt8] = []
    for _ in 0..<20 { bytes += maker.element(tellsConfig: false, &random) }
    let reader = try LATMReader(MemorySource(bytes), muxConfig: StreamMuxConfig(configuration))
    #expect(try reader.all().map(\.data) == maker.units)
    #expect(try reader.survey()?.packetCount == 20)
  }

  @Test("B018") func feedsAndPipes() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(60, configuration)
    for hasSync in [true, false] {
      var options = LOASWriter.Options()
      options.hasSync = hasSync
      let bytes = try loas(packets, configuration, options: options)
      let fed = try readInPieces(bytes, seed: 5) {
        if hasSync { return try LOASReader($0) }
        return try LATMReader($0)
      }
      #expect(fed.map(\.data) == packets.map(\.data))
      let pipe = try PipeEnds()
      let group = pipe.write(bytes)
      let read = try openPacketReader(FileSource(descriptor: pipe.readEnd)).all()
      #expect(read.map(\.data) == packets.map(\.data))
      group.wait()
      pipe.closeReadEnd()
    }
  }
}

/// Makes elements of any multiplex.
struct MultiplexMaker {
  let config: StreamMuxConfig
  var hasConfig = true
  /// Access units of the first stream.
  private(set) var units: [[UInt8]] = []
  private var partial: [UInt8] = []

  init(_ config: StreamMuxConfig) { self.config = config }

  mutating func element(tellsConfig: Bool, _ random: inout SplitMix) -> [UInt8] {
    var bits = BitWriter()
    if hasConfig { bits.put(!tellsConfig) }
    if tellsConfig { config.write(to: &bits) }
    for _ in 0..<config.subFrameCount {
      var chunks: [(stream: Int, data: [UInt8], ends: Bool)] = []
      let count = config.hasSameTimeFraming ? config.streams.count : 1 + random.below(16)
      for index in 0..<count {
        let stream = config.hasSameTimeFraming ? index : random.below(config.streams.count)
        var size = random.below(600)
        var ends = config.hasSameTimeFraming || random.below(2) == 0
        if case .constant(let byteCount) = config.streams[stream].framing {
          size = byteCount
          ends = true
        }
        chunks.append((stream, (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }, ends))
      }
      write(chunks, to: &bits)
    }
    for _ in 0..<(config.otherDataBitCount ?? 0) { bits.put(random.below(2), 1) }
    bits.alignToByte()
    return bits.bytes
  }

  private mutating func write(
    _ chunks: [(stream: Int, data: [UInt8], ends: Bool)], to bits: inout BitWriter
  ) {
    if !config.hasSameTimeFraming { bits.put(chunks.count - 1, 4) }
    for chunk in chunks {
      if !config.hasSameTimeFraming { bits.put(chunk.stream, 4) }
      guard case .told = config.streams[chunk.stream].framing else { continue }
      for _ in 0..<chunk.data.count / 255 { bits.put(255, 8) }
      bits.put(chunk.data.count % 255, 8)
      if !config.hasSameTimeFraming { bits.put(chunk.ends) }
    }
    for chunk in chunks {
      for byte in chunk.data { bits.put(Int(byte), 8) }
      guard chunk.stream == 0 else { continue }
      partial += chunk.data
      guard chunk.ends else { continue }
      if !partial.isEmpty { units.append(partial) }
      partial = []
    }
  }

  mutating func end() { partial = [] }
}
