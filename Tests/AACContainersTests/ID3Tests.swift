import AAC
import Foundation
import PCM
import Testing

@testable import AACContainers

/// Texts of ID3 tags around ADTS.
@Suite struct ID3Tests {
  private func stream() throws -> [UInt8] {
    let configuration = try AudioSpecificConfig(samplingRate: try SamplingRate(44100), layout: .stereo)
    let sink = MemorySink()
    let writer = try ADTSWriter(sink, configuration: configuration)
    let silence = try #require(SilentPacket.data(for: configuration))
    for index in 0..<4 {
      try writer.write(Packet(data: silence, presentationTime: Int64(index) * 1024, duration: 1024))
    }
    return sink.bytes
  }

  private func tags(_ front: [UInt8], _ back: [UInt8] = []) throws -> Tags {
    let reader = try ADTSReader(MemorySource(front + stream() + back))
    var count = 0
    while try reader.nextPacket() != nil { count += 1 }
    #expect(count == 4)
    return reader.info.tags
  }

  @Test(arguments: [2, 3, 4], [false, true]) func everyVersionAndEncoding(version: Int, scrambles: Bool)
    throws
  {
    for encoding in ID3Encoding.allCases {
      var maker = ID3Maker(version: UInt8(version), scrambles: scrambles && version < 4)
      let isShort = version == 2
      let title = encoding == .latin1 ? "Prélude ÿ" : "Prélude — 前奏 ÿ"
      maker.add(isShort ? "TT2" : "TIT2", [encoding.rawValue] + encoding.bytes(title))
      // A picture, which looks like much else.
      maker.add(isShort ? "PIC" : "APIC", [0xFF, 0xF1, 0x50, 0x80] + [UInt8](repeating: 0xFF, count: 300))
      maker.add(
        isShort ? "TP1" : "TPE1",
        [encoding.rawValue] + encoding.bytes("A") + encoding.zero + encoding.bytes("B"))
      maker.add(isShort ? "TRK" : "TRCK", [0] + Array("3/12".utf8) + [0])
      maker.add(isShort ? "TCO" : "TCON", [0] + Array("(17)".utf8))
      maker.add(
        isShort ? "COM" : "COMM",
        [encoding.rawValue] + Array("eng".utf8) + encoding.bytes("iTunNORM") + encoding.zero
          + encoding.bytes("no"))
      maker.add(
        isShort ? "COM" : "COMM",
        [encoding.rawValue] + Array("eng".utf8) + encoding.zero + encoding.bytes("Why"))
      maker.add(
        isShort ? "TXX" : "TXXX",
        [encoding.rawValue] + encoding.bytes("replaygain_track_gain") + encoding.zero
          + encoding.bytes("-3 dB"))
      let tags = try tags(maker.bytes)
      #expect(tags["title"] == title)
      #expect(tags["artist"] == "A; B")
      #expect(tags["track"] == "3/12")
      #expect(tags["genre"] == "Rock")
      #expect(tags["comment"] == "Why")
      #expect(tags["replaygain_track_gain"] == "-3 dB")
      #expect(tags.count == 6)
    }
  }

  /// Pictures of every version and text encoding, the front cover first, whatever the order.
  @Test(arguments: [2, 3, 4], [false, true]) func pictures(version: Int, scrambles: Bool) throws {
    for encoding in ID3Encoding.allCases {
      var maker = ID3Maker(version: UInt8(version), scrambles: scrambles && version < 4)
      let back = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 0xFF, count: 70_000)
      let front = Array("\u{89}PNG".unicodeScalars.map { UInt8($0.value) }) + [0x0D, 0x0A, 0x1A, 0x0A, 1, 2]
      maker.addPicture(back, kind: 4, description: "Rück", encoding)
      maker.addPicture(front, kind: 3, description: "", encoding)
      maker.addPicture(Array("no picture".utf8), kind: 3, description: "", encoding)
      maker.add(version == 2 ? "TT2" : "TIT2", [0] + Array("T".utf8))
      let tags = try tags(maker.bytes)
      #expect(tags.artwork.map(\.data) == [front, back], "\(encoding)")
      #expect(tags["title"] == "T")
    }
  }

  @Test func versionOne() throws {
    func field(_ text: String, _ count: Int) -> [UInt8] {
      Array(text.utf8) + [UInt8](repeating: 0, count: count - text.utf8.count)
    }
    let back =
      Array("TAG".utf8) + field("Song", 30) + field("Someone", 30) + field("", 30) + field("1999", 4)
      + field("Words", 28) + [0, 7, 0]
    let tags = try tags([], back)
    #expect(tags["title"] == "Song" && tags["artist"] == "Someone" && tags["album"] == nil)
    #expect(
      tags["date"] == "1999" && tags["comment"] == "Words" && tags["track"] == "7" && tags["genre"] == "Blues"
    )
    var maker = ID3Maker()
    maker.add("TIT2", [3] + Array("Longer name of the song".utf8))
    let both = try self.tags(maker.bytes, back)
    #expect(both["title"] == "Longer name of the song" && both["artist"] == "Someone")
  }

  /// Damage costs tags and nothing else.
  @Test func damage() throws {
    let seed =
      ProcessInfo.processInfo.environment["AAC_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...(.max))
    print("AAC_SEED=\(seed)")
    var generator = SplitMix(seed)
    var maker = ID3Maker(version: 3)
    for name in ["TIT2", "TPE1", "COMM", "TXXX", "USLT", "TCON"] {
      maker.add(
        name,
        [1] + Array("eng".utf8) + ID3Encoding.utf16.bytes("text") + [0, 0] + ID3Encoding.utf16.bytes("more"))
    }
    let whole = maker.bytes
    for _ in 0..<2000 {
      var damaged = whole
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        // The tag's own size stays: it tells where the frames begin.
        let place = Int.random(in: 10..<damaged.count, using: &generator)
        damaged[place] = .random(in: 0...255, using: &generator)
      }
      damaged[3] = UInt8.random(in: 2...4, using: &generator)
      damaged[5] = UInt8.random(in: 0...15, using: &generator) << 4 & 0xC0
      _ = try tags(damaged)
    }
  }
}
