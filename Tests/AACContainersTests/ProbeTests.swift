import AAC
import Testing

@testable import AACContainers

@Suite struct ProbeTests {
  static func identify(_ bytes: [UInt8]) throws -> Probe.Content { try Probe.identify(MemorySource(bytes)) }

  @Test("B016, B027") func contentDecides() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(20, configuration)
    #expect(try Self.identify(m4a(packets, configuration)) == .container(.m4a))
    #expect(try Self.identify(fragmented(packets, configuration)) == .container(.m4a))
    #expect(try Self.identify(adts(packets, configuration)) == .container(.adts))
    let adif = MemorySink()
    let writer = try ADIFWriter(adif, configuration: configuration)
    for packet in packets { try writer.write(packet) }
    #expect(try Self.identify(adif.bytes) == .container(.adif))
    #expect(try Self.identify([]) == .empty)
  }

  @Test("B027") func otherFilesAreNamed() throws {
    var random = SplitMix(5)
    let noise = (0..<2000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    for (start, name) in [
      (Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WAVEfmt ".utf8), "WAV"),
      (Array("FORM".utf8), "AIFF"), (Array("fLaC".utf8), "FLAC"), (Array("OggS".utf8), "Ogg"),
      ([0x89] + Array("PNG\r\n".utf8), "PNG"), ([0xFF, 0xD8, 0xFF, 0xE0], "JPEG"),
      ([0x50, 0x4B, 3, 4], "ZIP"), ([0x1A, 0x45, 0xDF, 0xA3], "Matroska"),
      (Array("caff".utf8), "CAF"), (Array("%PDF".utf8), "PDF"), (Array("#EXTM3U".utf8), "M3U"),
    ] as [([UInt8], String)] {
      guard case .other(let text) = try Self.identify(start + noise) else {
        Issue.record("\(name) was not named")
        continue
      }
      #expect(text.contains(name))
      let error = containerError { _ = try openPacketReader(MemorySource(start + noise)) }
      #expect(error?.description.contains(name) == true)
    }
    #expect(try Self.identify(Array("Dear reader,\nthis is no music.\n".utf8)) == .other("text"))
    #expect(try Self.identify([UInt8](repeating: 0, count: 4000)) == .unknown)
    #expect(try Self.identify([UInt8](repeating: 0xFF, count: 4000)) == .unknown)
    var packets = [UInt8](repeating: 0, count: 188 * 5)
    for index in 0..<5 { packets[index * 188] = 0x47 }
    #expect(try Self.identify(packets) == .container(.ts))
  }

  @Test func mp3IsNotADTS() throws {
    // 128 kbit/s, 44.1 kHz, layer III: frames of 417 bytes.
    var bytes: [UInt8] = []
    for _ in 0..<10 { bytes += [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0x55, count: 413) }
    #expect(try Self.identify(bytes) == .other("MP1, MP2 or MP3 audio"))
    let tag = Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4]
    #expect(try Self.identify(tag + bytes) == .other("MP1, MP2 or MP3 audio"))
  }

  @Test("B027") func noiseIsNothing() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed)
    for _ in 0..<100 {
      let bytes = (0..<random.below(5000)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      if case .container(let format) = try Self.identify(bytes) {
        Issue.record("noise was taken for \(format), seed \(seed)")
      }
    }
  }

  @Test func extensionsOfOutputs() {
    for (name, format) in [
      ("m4a", .m4a), ("MP4", .m4a), ("m4b", .m4a), ("aac", .adts), ("adif", .adif), ("loas", .loas),
      ("latm", .loas), ("raw", .raw), ("ts", .ts), ("flv", .flv),
    ] as [(String, ContainerFormat)] {
      #expect(ContainerFormat(fileExtension: name) == format)
    }
    #expect(ContainerFormat(fileExtension: "wav") == nil)
  }

  @Test func missingFilesAreExplained() {
    let error = containerError { _ = try FileSource(path: "/nonexistent/x.m4a") }
    guard case .system(let text, _) = error?.reason else {
      Issue.record("got \(String(describing: error))")
      return
    }
    #expect(text.contains("cannot open /nonexistent/x.m4a"))
    #expect(error?.advice == .checkPath)
  }
}
