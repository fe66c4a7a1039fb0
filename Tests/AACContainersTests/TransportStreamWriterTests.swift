import AAC
import Foundation
import PCM
import Testing

@testable import AACContainers

/// Transport streams that we write, taken apart by hand, by our reader and by FFmpeg.
@Suite struct TransportStreamWriterTests {
  /// One transport packet, taken apart.
  private struct Piece {
    var pid: Int
    var startsUnit: Bool
    var counter: Int
    var clock: Int64?
    var payload: [UInt8]

    init(_ bytes: ArraySlice<UInt8>) {
      let bytes = Array(bytes)
      pid = Int(bytes[1] & 0x1F) << 8 | Int(bytes[2])
      startsUnit = bytes[1] & 0x40 != 0
      counter = Int(bytes[3] & 15)
      var place = 4
      if bytes[3] & 0x20 != 0 {
        let length = Int(bytes[4])
        if length > 6, bytes[5] & 0x10 != 0 {
          clock = bytes[6..<10].reduce(0) { $0 << 8 | Int64($1) } << 1 | Int64(bytes[10] >> 7)
        }
        place = 5 + length
      }
      payload = Array(bytes[place...])
    }
  }

  private func pieces(_ bytes: [UInt8]) -> [Piece] {
    #expect(bytes.count % 188 == 0)
    return stride(from: 0, to: bytes.count, by: 188).map { start in
      #expect(bytes[start] == 0x47)
      return Piece(bytes[start..<start + 188])
    }
  }

  private func configuration(_ rate: Int, _ layout: ChannelLayout = .stereo) throws -> AudioSpecificConfig {
    try AudioSpecificConfig(samplingRate: try SamplingRate(rate), layout: layout)
  }

  private func write(
    _ sizes: [Int], rate: Int = 48000, _ options: TransportStreamWriter.Options = .init()
  ) throws -> (bytes: [UInt8], packets: [Packet]) {
    let sink = MemorySink(seekable: false)
    let writer = try TransportStreamWriter(sink, configuration: try configuration(rate), options: options)
    let packets = sizes.enumerated().map { index, size in
      Packet(
        data: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ index &* 7) & 0x7F },
        presentationTime: Int64(index - 1) * 1024, duration: 1024, priming: index == 0 ? 1024 : 0)
    }
    for packet in packets { try writer.write(packet) }
    try writer.finish()
    return (sink.bytes, packets)
  }

  /// Access units from 1 to 2000 bytes come back whole: the ADTS header tells the whole frame, not a packet's part.
  @Test(arguments: [1, 4, 16]) func b154_framesCrossPackets(framesPerUnit: Int) throws {
    var options = TransportStreamWriter.Options()
    options.framesPerUnit = framesPerUnit
    let (bytes, packets) = try write(Array(stride(from: 1, through: 2000, by: 7)), options)
    var counters: [Int: Int] = [:]
    for piece in pieces(bytes) {
      if let last = counters[piece.pid] { #expect(piece.counter == (last + 1) & 15) }
      counters[piece.pid] = piece.counter
    }
    #expect(Set(counters.keys) == [0, TransportTables.mapPID, TransportTables.audioPID])
    let reader = try TransportStreamReader(MemorySource(bytes))
    var read: [[UInt8]] = []
    while let packet = try reader.nextPacket() { read.append(packet.data) }
    #expect(read == packets.map(\.data))
    #expect(reader.warnings.count == 0)
  }

  /// Every time is that of its frame to the nearest tick, however long the stream is; the clock runs in front of it.
  @Test(arguments: [44100, 48000, 11025]) func b080_timesAreExact(rate: Int) throws {
    var options = TransportStreamWriter.Options()
    options.framesPerUnit = 3
    options.startTime = (1 << 33) - 90_000
    let (bytes, _) = try write([Int](repeating: 40, count: 400), rate: rate, options)
    var unit = 0
    var lastTables = -1.0
    for piece in pieces(bytes) {
      let seconds = Double(unit * 3 * 1024) / Double(rate)
      if piece.pid == 0 {
        #expect(lastTables < 0 || seconds - lastTables <= 0.5)
        lastTables = seconds
      }
      guard piece.pid == TransportTables.audioPID, piece.startsUnit else { continue }
      let stamp = piece.payload[9..<14].map { Int64($0) }
      let time =
        (stamp[0] >> 1 & 7) << 30 | stamp[1] << 22 | (stamp[2] >> 1) << 15 | stamp[3] << 7 | stamp[4] >> 1
      let exact = (Double(unit * 3 * 1024) * 90_000 / Double(rate)).rounded()
      #expect(time == (options.startTime + Int64(exact)) & ((1 << 33) - 1))
      #expect(piece.clock == (options.startTime + Int64(exact) - 63_000) & ((1 << 33) - 1))
      unit += 1
    }
    #expect(unit == 134)
    #expect(lastTables > 1)
  }

  @Test func tablesAreWhole() throws {
    for section in [TransportTables.association, TransportTables.map] {
      #expect(SectionAssembler.checksum(section) == 0)
      #expect(Int(section[1] & 15) << 8 | Int(section[2]) == section.count - 3)
    }
  }

  /// What ADTS cannot say is refused, and so is writing behind the end.
  @Test func refusals() throws {
    var configuration = try configuration(48000)
    configuration.objectType = .enhancedLowDelay
    #expect(throws: ContainerError.self) {
      try TransportStreamWriter(MemorySink(), configuration: configuration)
    }
    let writer = try TransportStreamWriter(MemorySink(), configuration: try self.configuration(48000))
    try writer.finish()
    try writer.finish()
    #expect(throws: ContainerError.self) {
      try writer.write(Packet(data: [1], presentationTime: 0, duration: 1024))
    }
  }

  /// FFmpeg reads the same bytes and times, and complains about nothing.
  @Test func ffmpegAgrees() throws {
    let configuration = try configuration(44100)
    let sink = MemorySink()
    let writer = try TransportStreamWriter(sink, configuration: configuration)
    let silence = try #require(SilentPacket.data(for: configuration))
    for index in 0..<100 {
      try writer.write(Packet(data: silence, presentationTime: Int64(index) * 1024, duration: 1024))
    }
    try writer.finish()
    let folder = FileManager.default.temporaryDirectory.appending(path: "aac-ts-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "x.ts")
    try Data(sink.bytes).write(to: path)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "ffprobe", "-v", "warning", "-show_entries", "packet=pts", "-of", "csv=p=0", path.path,
    ]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == "")
    let times = text.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
    #expect(times.count == 100)
    for (index, time) in times.enumerated() {
      // Every fourth is a stamp of ours; FFmpeg reckons from it to those that share it.
      let error = abs(Double(time) - 126_000 - Double(index) * 1024 * 90_000 / 44100)
      #expect(error <= (index % 4 == 0 ? 0.501 : 2))
    }
  }
}
