import AAC
import PCM
import Testing

@testable import AACContainers

@Suite struct RawTests {
  static func raw(_ packets: [Packet], _ configuration: AudioSpecificConfig, tags: Tags = Tags()) throws -> (
    data: [UInt8], sidecar: [UInt8]
  ) {
    let data = MemorySink(seekable: false)
    let sidecar = MemorySink(seekable: false)
    let writer = try RawWriter(data, sidecar: sidecar, configuration: configuration, tags: tags)
    for packet in packets { try writer.write(packet) }
    try writer.finish()
    return (data.bytes, sidecar.bytes)
  }

  @Test(arguments: [0, 1, 15, 16, 17, 500])
  func packetsComeBack(count: Int) throws {
    let configuration = try TestStream.configuration(layout: .surround51)
    let packets = try TestStream.packets(
      count, configuration, priming: count > 4 ? 2112 : 0, padding: count > 4 ? 100 : 0)
    let tags = Tags([("title", "a \"quoted\"\n\\ ü"), ("encoder", "x")])
    let (data, sidecar) = try Self.raw(packets, configuration, tags: tags)
    let reader = try RawReader(MemorySource(data), sidecar: MemorySource(sidecar))
    #expect(reader.info.configuration == configuration)
    #expect(reader.info.tags == tags)
    #expect(reader.info.packetCount == Int64(count))
    #expect(try reader.survey()?.packetCount == Int64(count))
    #expect(try reader.all() == packets)
    #expect(reader.warnings.count == 0)
  }

  @Test func sidecarsByHand() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(12, configuration)
    let (data, _) = try Self.raw(packets, configuration)
    let digits = RawSidecar.hexadecimal(configuration.bytes)
    // Any order, unknown keys, no sizes: the syntax tells the borders.
    let text =
      "{\"x\": [1, {\"y\": null}, \"z\", -1.5e3, true], \"configuration\":\"\(digits.uppercased())\"}"
    let reader = try RawReader(MemorySource(data), sidecar: MemorySource(Array(text.utf8)))
    #expect(try reader.all().map(\.data) == packets.map(\.data))
    let bare = try RawReader(MemorySource(data), configurationBytes: configuration.bytes)
    #expect(try bare.all().map(\.data) == packets.map(\.data))
  }

  @Test func wrongSidecarsAreExplained() throws {
    let configuration = try TestStream.configuration()
    let (data, sidecar) = try Self.raw(TestStream.packets(3, configuration), configuration)
    for text in [
      "", "{", "{}", "[]", "{\"configuration\": 12}", "{\"configuration\": \"1\"}",
      "{\"configuration\": \"zz\"}",
      "{\"format\": \"other\"}", "{\"configuration\": \"1210\", \"sizes\": [-1]}",
      "{\"configuration\": \"1210\", \"sizes\": [0]}", "{\"configuration\": \"1210\", \"sizes\": [1,]}",
      "{\"configuration\": \"1210\", \"sizes\": [99999999999999999999999]}",
      "{\"configuration\": \"1210\" \"sizes\": []}", String(repeating: "[", count: 1000),
      "{\"x\":" + String(repeating: "[", count: 1000),
    ] {
      let error = containerError {
        _ = try RawReader(MemorySource(data), sidecar: MemorySource(Array(text.utf8)))
      }
      #expect(error != nil, "\(text)")
    }
    // Sizes that do not fit the data.
    let short = try RawReader(MemorySource(Array(data.dropLast(1))), sidecar: MemorySource(sidecar))
    #expect(containerError { _ = try short.all() }?.reason == .truncated("the data, in the access unit 3,"))
    let long = try RawReader(MemorySource(data + [1]), sidecar: MemorySource(sidecar))
    #expect(try long.all().count == 3)
    #expect(long.warnings.items.map(\.kind) == [.junk])
  }
}
