import AAC
import Testing

@testable import AACContainers

/// Edit lists and durations of every kind, right and wrong. 20 packets of 1024 frames.
@Suite struct EditListTests {
  private static let total: Int64 = 20 * 1024

  private struct Case: CustomTestStringConvertible {
    var testDescription: String
    var edits: [(UInt64, Int64)]
    var priming = 0
    var frames = total
    var remarks: [String] = []
  }

  private static let cases: [Case] = [
    Case(testDescription: "an edit of everything", edits: [(20480, 0)]),
    Case(
      testDescription: "an edit to the end, without a duration", edits: [(0, 2112)], priming: 2112,
      frames: total - 2112),
    Case(
      testDescription: "silence in front is left out, as by FFmpeg", edits: [(4410, -1), (10_000, 2112)],
      priming: 2112, frames: 10_000, remarks: ["the edit list starts with silence, which is left out"]),
    Case(
      testDescription: "much silence in several edits", edits: [(4410, -1), (4410, -1), (10_000, 0)],
      frames: 10_000,
      remarks: ["the edit list starts with silence, which is left out"]),
    Case(
      testDescription: "silence of no length is none", edits: [(0, -1), (10_000, 2112)], priming: 2112,
      frames: 10_000),
    Case(
      testDescription: "silence alone", edits: [(4410, -1)],
      remarks: ["the edit list plays nothing, and is left out"]),
    Case(
      testDescription: "edits that go on where the first ends",
      edits: [(5000, 2112), (3000, 7112), (2000, 10_112)],
      priming: 2112, frames: 10_000),
    Case(
      testDescription: "a second edit elsewhere", edits: [(5000, 2112), (3000, 9000)], priming: 2112,
      frames: 8000),
    Case(
      testDescription: "stretches that meet in a packet", edits: [(5000, 2112), (3000, 7150)], priming: 2112,
      frames: 5000, remarks: ["only the first edit of the edit list is played"]),
    Case(
      testDescription: "an earlier stretch", edits: [(5000, 9000), (3000, 2112)], priming: 9000,
      frames: 5000, remarks: ["only the first edit of the edit list is played"]),
    Case(
      testDescription: "the same edit again", edits: [(5000, 2112), (5000, 2112)], priming: 2112,
      frames: 5000,
      remarks: ["only the first edit of the edit list is played"]),
    Case(
      testDescription: "silence behind", edits: [(5000, 2112), (3000, -1)], priming: 2112, frames: 5000,
      remarks: ["only the first edit of the edit list is played"]),
    Case(
      testDescription: "many that meet in packets",
      edits: [(1000, 0)] + (0..<20).map { (10, Int64($0) * 700 + 5000) },
      frames: 1000, remarks: ["only the first edit of the edit list is played"]),
    Case(
      testDescription: "longer than the sound", edits: [(1_000_000, 2112)], priming: 2112,
      frames: total - 2112),
    Case(
      testDescription: "begins behind the end", edits: [(5000, 30_000)],
      remarks: ["the edit list starts behind the end and is left out"]),
    Case(
      testDescription: "a time below -1 is silence too", edits: [(5000, -2)],
      remarks: ["the edit list plays nothing, and is left out"]),
    Case(testDescription: "no edits", edits: []),
  ]

  @Test(arguments: cases.indices) func everyList(index: Int) throws {
    let test = Self.cases[index]
    for (version, order) in [(0, MP4Maker.Order.moovFirst), (1, .moovLast)] {
      var maker = try GaplessTests.maker()
      maker.edits = test.edits
      maker.editVersion = version
      maker.order = order
      let reader = try MP4Reader(MemorySource(maker.bytes))
      let frames = try reader.all().reduce(Int64(0)) { $0 + Int64($1.validFrames) }
      #expect(reader.info.priming == test.priming, "\(test.testDescription)")
      #expect(frames == test.frames, "\(test.testDescription)")
      #expect(reader.info.validFrames == test.frames, "\(test.testDescription)")
      #expect(reader.warnings.items.map(\.text) == test.remarks, "\(test.testDescription)")
    }
  }

  @Test(arguments: [0, 0x8000, 0x2_0000, 0xFFFF_0000] as [UInt32]) func otherSpeeds(rate: UInt32) throws {
    var maker = try GaplessTests.maker()
    maker.edits = [(10_000, 2112)]
    maker.editRate = rate
    let reader = try MP4Reader(MemorySource(maker.bytes))
    #expect(try reader.all().reduce(0) { $0 + $1.validFrames } == 10_000)
    #expect(reader.warnings.items.map(\.text) == ["the edit list asks for another speed, which is left out"])
  }

  /// Several stretches: each packet tells what is to be dropped of it, wherever reading begins.
  @Test func stretchesTrimTheirPackets() throws {
    var maker = try GaplessTests.maker()
    maker.edits = [(5000, 2112), (3000, 9000)]
    let reader = try MP4Reader(MemorySource(maker.bytes))
    let packets = try reader.all()
    var heard: [Range<Int>] = []
    for (index, packet) in packets.enumerated() where packet.validFrames > 0 {
      heard.append(index * 1024 + packet.priming..<(index + 1) * 1024 - packet.padding)
      #expect(
        packet.presentationTime + Int64(packet.priming) == heard.dropLast().reduce(0) { $0 + Int64($1.count) }
      )
    }
    #expect(heard.flatMap { Array($0) } == Array(2112..<7112) + Array(9000..<12_000))
    #expect(reader.info.padding == 20 * 1024 - 12_000)
    for (time, index) in [(0, 2), (4999, 6), (5000, 8), (7999, 11), (-1, 2)] as [(Int64, Int64)] {
      #expect(try reader.seek(to: time) == index, "\(time)")
      #expect(try reader.all() == Array(packets[Int(index)...]), "\(time)")
    }
    // Written again it is the same.
    let sink = MemorySink()
    let writer = try M4AWriter(sink, configuration: reader.info.configuration)
    for packet in packets { try writer.write(packet) }
    try writer.finish()
    #expect(try MP4Reader(MemorySource(sink.bytes)).all() == packets)
  }

  /// Edits that go on by a coarse clock.
  @Test func coarseClocks() throws {
    var maker = try GaplessTests.maker()
    maker.movieScale = 600
    maker.edits = [(68, 2112), (68, 2112 + 5000), (80, 2112 + 10_000)]
    let (info, frames) = try GaplessTests.lengths(maker)
    #expect(info.priming == 2112)
    #expect(abs(frames - 15_876) <= 1, "216 ticks of 1/600 s")
  }

  // MARK: Durations

  /// Durations in headers are not what is played.
  @Test(arguments: [0, 1, 20480, 0xFFFF_FFFF] as [UInt32]) func durationsInHeaders(told: UInt32) throws {
    for place in 0..<4 {
      var maker = try GaplessTests.maker()
      if place == 0 || place == 3 { maker.movieDuration = told }
      if place == 1 || place == 3 { maker.trackDuration = told }
      if place == 2 || place == 3 { maker.mediaDuration = told }
      for edits in [nil, [(UInt64(GaplessTests.valid), Int64(2112))]] as [[(UInt64, Int64)]?] {
        maker.edits = edits
        let (info, frames) = try GaplessTests.lengths(maker)
        #expect(frames == (edits == nil ? Self.total : GaplessTests.valid))
        #expect(info.validFrames == frames)
      }
      // The listing goes by the tables as well.
      maker.edits = nil
      maker.others = [try GaplessTests.maker()]
      let duration = try MP4Reader(MemorySource(maker.bytes)).info.tracks[0].duration ?? 0
      #expect(abs(duration - 20480.0 / 44100) < 1e-9)
    }
  }

  @Test func timeScalesOfZero() throws {
    var maker = try GaplessTests.maker()
    maker.mediaScale = 0
    maker.edits = [(UInt64(GaplessTests.valid), 2112)]
    let reader = try MP4Reader(MemorySource(maker.bytes))
    #expect(try reader.all().reduce(Int64(0)) { $0 + Int64($1.validFrames) } == GaplessTests.valid)
    #expect(reader.warnings.items.map(\.text) == ["the file tells no time scale; the sampling rate is taken"])
    maker.mediaScale = 44100
    maker.movieScale = 0
    let (info, frames) = try GaplessTests.lengths(maker)
    #expect(info.priming == 2112)
    #expect(frames == Self.total - 2112, "without the movie's clock the edit's length is not known")
  }

  /// `stts` that does not fit `stsz`.
  @Test func tablesOfDurationsThatLie() throws {
    for (times, remark) in [
      ([(19, 1024)], "19 packets"), ([(30, 1024)], "30 packets"), ([(20, 0)], ""),
      ([(0, 1024), (20, 1024)], ""),
      ([(1, 1024)], "1 packets"), ([(20, .max)], ""), ([(10, 1024), (10, 4096)], ""), ([(20, 1)], ""),
      ([(.max, .max)], "4294967295 packets"),
    ] as [([(UInt32, UInt32)], String)] {
      var maker = try GaplessTests.maker()
      maker.times = times
      let reader = try MP4Reader(MemorySource(maker.bytes))
      let packets = try reader.all()
      #expect(packets.map(\.data) == maker.packets, "\(times)")
      #expect(packets.reduce(Int64(0)) { $0 + Int64($1.validFrames) } == Self.total, "\(times)")
      #expect(reader.warnings.count == (remark.isEmpty ? 0 : 1), "\(times)")
      if !remark.isEmpty { #expect(reader.warnings.items.first?.text.contains(remark) == true) }
    }
    // No entries at all.
    var maker = try GaplessTests.maker()
    maker.replacedTables["stts"] = [0, 0, 0, 0, 0, 0, 0, 0]
    let (_, frames) = try GaplessTests.lengths(maker)
    #expect(frames == Self.total)
  }
}
