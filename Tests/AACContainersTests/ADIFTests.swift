import AAC
import PCM
import Testing

@testable import AACContainers

@Suite struct ADIFTests {
  static func adif(_ packets: [Packet], _ configuration: AudioSpecificConfig, seekable: Bool = true) throws
    -> [UInt8]
  {
    let sink = MemorySink(seekable: seekable)
    let writer = try ADIFWriter(sink, configuration: configuration)
    for packet in packets { try writer.write(packet) }
    try writer.finish()
    return sink.bytes
  }

  @Test(arguments: [
    ChannelLayout.mono, .stereo, .surround30, .surround51, .surround71, .surround71Front, .surround61,
    .surround512, .quad,
  ])
  func everyLayoutComesBack(layout: ChannelLayout) throws {
    for rate in [7350, 44100, 96000] {
      let configuration = try TestStream.configuration(rate: rate, layout: layout)
      let packets = try TestStream.packets(20, configuration)
      let reader = try openPacketReader(MemorySource(Self.adif(packets, configuration)))
      #expect(reader.info.container == .adif)
      #expect(reader.info.configuration.elements.layout == layout)
      #expect(reader.info.timeRate == rate)
      #expect(try reader.survey()?.packetCount == 20)
      #expect(try reader.all() == packets)
      #expect(reader.warnings.count == 0)
    }
  }

  @Test func manyBlocksAndPieces() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(300, configuration, sizes: 200...900)
    let bytes = try Self.adif(packets, configuration, seekable: false)
    #expect(bytes.count > 1 << 16)
    #expect(try ADIFReader(MemorySource(bytes)).all() == packets)
    #expect(try readInPieces(bytes, seed: 1, most: 3000) { try ADIFReader($0) } == packets)
  }

  @Test func endsOfEveryKind() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(10, configuration)
    let bytes = try Self.adif(packets, configuration)
    let padded = try ADIFReader(MemorySource(bytes + [UInt8](repeating: 0, count: 100)))
    #expect(try padded.all().prefix(10).elementsEqual(packets))
    let cut = try ADIFReader(MemorySource(Array(bytes.dropLast(2))))
    #expect(try cut.all() == Array(packets.dropLast()))
    #expect(cut.warnings.items.map(\.kind) == [.cutOff])
    for length in 0..<40 { _ = try? ADIFReader(MemorySource(Array(bytes.prefix(length)))).all() }
  }

  @Test func damageIsToldWithItsPlace() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(10, configuration, sizes: 50...60)
    let bytes = try Self.adif(packets, configuration)
    let broken = bytes.count - packets[9].data.count - packets[8].data.count
    var damaged = bytes
    // A coupling channel with nonsense behind it.
    for index in 0..<20 { damaged[broken + index] = 0x5F }
    let reader = try ADIFReader(MemorySource(damaged))
    var count = 0
    let error = containerError { while try reader.nextPacket() != nil { count += 1 } }
    #expect(count >= 8)
    if let error { #expect(error.byteOffset ?? 0 >= Int64(broken)) }
    #expect(try reader.nextPacket() == nil)
  }

  @Test func whatDoesNotFitIsRefused() throws {
    var odd = try TestStream.configuration()
    odd.samplingRate = try SamplingRate(47250)
    var short = try TestStream.configuration()
    short.frameLengthFlag = true
    var lowDelay = try TestStream.configuration()
    lowDelay.objectType = .lowDelay
    for configuration in [odd, short, lowDelay] {
      let error = containerError { _ = try ADIFWriter(MemorySink(), configuration: configuration) }
      guard case .cannotCarry = error?.reason else {
        Issue.record("got \(String(describing: error))")
        continue
      }
    }
  }
}
