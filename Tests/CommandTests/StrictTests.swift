import AAC
import AACContainers
import Foundation
import PCM
import Testing

@testable import AACCommand

/// Each kind of damage: told and got over, or an error with --strict.
@Suite struct StrictTests {
  /// Decodes `name` either way.
  private func check(
    _ folder: Folder, _ name: String, frames: Int?, key: String, told: String, strict: [String],
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let outcome = aac("decode", "-f", "s16le", "--progress", "json", folder.file(name), "-")
    #expect(outcome.status == 0, "\(outcome.errors)", sourceLocation: location)
    if let frames {
      #expect(outcome.data.count == frames, "\(outcome.errors)", sourceLocation: location)
    }
    #expect(outcome.errors.contains(told), "\(outcome.errors)", sourceLocation: location)
    let lines = outcome.errors.split(separator: "\n").filter { $0.contains("\"done\":true") }
    let last = try JSONSerialization.jsonObject(with: Data((lines.last ?? "{}").utf8)) as? [String: Any]
    let damage = last?["damage"] as? [String: Any]
    if !key.isEmpty {
      #expect((damage?[key] as? Int ?? 0) > 0, "\(outcome.errors)", sourceLocation: location)
    }
    let before = folder.names
    let error = aac("decode", "--strict", folder.file(name), folder.file("strict.wav"))
    #expect(error.status == 1, "\(error.errors)", sourceLocation: location)
    for words in strict { #expect(error.errors.contains(words), "\(error.errors)", sourceLocation: location) }
    #expect(folder.names == before, sourceLocation: location)
  }

  private func write(
    _ packets: [[UInt8]], _ layout: ChannelLayout, rate: Int, _ folder: Folder, _ name: String
  ) throws {
    let configuration = try AudioSpecificConfig(samplingRate: try SamplingRate(rate), layout: layout)
    let sink = MemorySink()
    let writer = try ADTSWriter(sink, configuration: configuration)
    for data in packets { try writer.write(Packet(data: data, presentationTime: 0, duration: 1024)) }
    try writer.finish()
    try folder.write(sink.bytes, to: name)
  }

  private func silent(_ layout: ChannelLayout, rate: Int = 44100) throws -> [UInt8] {
    let configuration = try AudioSpecificConfig(samplingRate: try SamplingRate(rate), layout: layout)
    return try #require(SilentPacket.data(for: configuration))
  }

  /// Start and end of each ADTS frame.
  private func frames(_ bytes: [UInt8]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var place = 0
    while place + 7 <= bytes.count {
      let length = Int(bytes[place + 3] & 3) << 11 | Int(bytes[place + 4]) << 3 | Int(bytes[place + 5] >> 5)
      ranges.append(place..<place + length)
      place += max(7, length)
    }
    return ranges
  }

  private func encoded(_ folder: Folder, _ name: String, _ options: [String] = []) throws -> [UInt8] {
    try folder.tone("tone.wav", frames: 44100, layout: .mono)
    #expect(
      aac(["encode", "-q", "-b", "64k"] + options + [folder.file("tone.wav"), folder.file(name)]).status == 0)
    return try folder.read(name)
  }

  @Test func aBrokenAccessUnit() throws {
    let folder = try Folder()
    var bytes = try encoded(folder, "x.aac")
    let all = frames(bytes)
    for index in all[10].dropFirst(7) { bytes[index] = 0xFF }
    try folder.write(bytes, to: "y.aac")
    try check(
      folder, "y.aac", frames: all.count * 2048, key: "broken", told: "1 broken",
      strict: ["y.aac", "0.232 s", "fetch it again"])
  }

  @Test func aMissingPacket() throws {
    let folder = try Folder()
    var bytes = try encoded(folder, "x.m4a")
    let table = try #require(Data(bytes).range(of: Data("stsz".utf8))).lowerBound
    let entry = table + 16 + 4 * 9
    for index in entry..<entry + 4 { bytes[index] = 0 }
    try folder.write(bytes, to: "y.m4a")
    try check(
      folder, "y.m4a", frames: 44100 * 2, key: "missing", told: "missing or with a wrong checksum",
      strict: ["y.m4a", "missing", "fetch it again"])
  }

  @Test func aWrongChecksum() throws {
    let folder = try Folder()
    var bytes = try encoded(folder, "x.aac", ["--crc"])
    let all = frames(bytes)
    bytes[all[10].lowerBound + 7] ^= 1  // The checksum itself: the packet stays whole.
    try folder.write(bytes, to: "y.aac")
    try check(
      folder, "y.aac", frames: all.count * 2048, key: "checksums", told: "1 checksums did not fit",
      strict: ["y.aac", "checksum", "at byte \(all[10].lowerBound)"])
  }

  @Test func missingChannels() throws {
    let folder = try Folder()
    var packets = [[UInt8]](repeating: try silent(.surround51), count: 12)
    packets[6] = try silent(.surround50)
    try write(packets, .surround51, rate: 44100, folder, "y.aac")
    try check(
      folder, "y.aac", frames: 12 * 1024 * 12, key: "incomplete", told: "1 without all channels",
      strict: ["y.aac", "lacks channels", "0.139 s"])
  }

  @Test func aNoiseBurst() throws {
    let folder = try Folder()
    let bytes = try encoded(folder, "x.aac")
    var packets = frames(bytes).map { Array(bytes[$0.dropFirst(7)]) }
    // The global gain, behind the kind of the element and its tag.
    let gain = Int(packets[12][0] & 1) << 7 | Int(packets[12][1] >> 1)
    let louder = gain + 60
    packets[12][0] = packets[12][0] & 0xFE | UInt8(louder >> 7 & 1)
    packets[12][1] = packets[12][1] & 1 | UInt8(louder & 0x7F) << 1
    try write(packets, .mono, rate: 44100, folder, "y.aac")
    try check(
      folder, "y.aac", frames: packets.count * 2048, key: "implausible", told: "1 louder than any sound",
      strict: ["y.aac", "louder than any sound", "0.279 s"])
  }

  @Test func brokenReplicationData() throws {
    let folder = try Folder()
    var unit = BitWriter()
    unit.put(0, 3)  // ID_SCE
    unit.put(0, 4)
    unit.put(0, 8)
    unit.put(0, 14)
    unit.put(6, 3)  // ID_FIL
    unit.put(4, 4)
    unit.put(14, 4)  // EXT_SBR_DATA_CRC
    unit.put(0x2AA, 10)
    unit.put(0x3FFFF, 18)
    unit.put(7, 3)
    unit.alignToByte()
    try write([[UInt8]](repeating: unit.bytes, count: 5), .mono, rate: 22050, folder, "y.aac")
    try check(
      folder, "y.aac", frames: nil, key: "replication", told: "broken replication data",
      strict: ["y.aac", "spectral band replication is damaged"])
  }

  @Test func framesThatHadToBeFoundAgain() throws {
    let folder = try Folder()
    var bytes = try encoded(folder, "x.aac")
    let all = frames(bytes)
    for index in all[10] { bytes[index] = 0 }
    try folder.write(bytes, to: "y.aac")
    try check(
      folder, "y.aac", frames: all.count * 2048, key: "resynchronisations", told: "found again 1 times",
      strict: ["y.aac", "passed over", "at byte \(all[10].lowerBound)"])
  }

  @Test func dataThatIsCutOff() throws {
    let folder = try Folder()
    let bytes = try encoded(folder, "x.aac")
    let all = frames(bytes)
    try folder.write(Array(bytes[..<(all[30].lowerBound + 20)]), to: "y.aac")
    try check(
      folder, "y.aac", frames: 30 * 2048, key: "", told: "the last frame has 20 of",
      strict: ["y.aac", "the last frame has 20 of", "fetch it again"])
    let movie = try encoded(folder, "x.m4a")
    try folder.write(Array(movie.dropLast(1000)), to: "z.m4a")
    try check(folder, "z.m4a", frames: nil, key: "", told: "cut off", strict: ["z.m4a", "fetch it again"])
  }

  /// Without damage there is nothing to tell, and --strict changes nothing.
  @Test func whatIsWholePasses() throws {
    let folder = try Folder()
    _ = try encoded(folder, "x.m4a")
    let outcome = aac("decode", "--strict", folder.file("x.m4a"), folder.file("x.wav"))
    #expect(outcome.status == 0)
    #expect(!outcome.errors.contains("aac:"), "\(outcome.errors)")
  }
}
