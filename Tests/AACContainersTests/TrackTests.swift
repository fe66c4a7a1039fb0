import AAC
import Testing

@testable import AACContainers

/// Files with several tracks: which is read, which can be chosen, and what is told of them.
@Suite struct TrackTests {
  /// `deu` as in `mdhd`.
  static func letters(_ text: String) -> Int { text.utf8.reduce(0) { $0 << 5 | (Int($1) - 0x60) } }

  static func sound(
    _ id: UInt32, _ language: String, enabled: Bool, count: Int = 12, rate: Int = 44100, seed: UInt64
  ) throws -> MP4Maker {
    let configuration = try TestStream.configuration(rate: rate)
    var maker = MP4Maker(configuration, try TestStream.packets(count, configuration, seed: seed))
    maker.trackID = id
    maker.trackFlags = enabled ? 7 : 6
    maker.language = letters(language)
    maker.mediaScale = UInt32(rate)
    maker.movieScale = UInt32(rate)
    return maker
  }

  /// Video, German (not enabled), English, Apple Lossless, a text.
  static func film() throws -> (maker: MP4Maker, german: MP4Maker, english: MP4Maker) {
    let configuration = try TestStream.configuration()
    var video = MP4Maker(configuration, try TestStream.packets(5, configuration, sizes: 500...900, seed: 9))
    video.trackID = 11
    video.trackFlags = 7
    video.handler = "vide"
    video.entryType = "avc1"
    let german = try sound(12, "deu", enabled: false, seed: 2)
    let english = try sound(13, "eng", enabled: true, count: 20, rate: 48000, seed: 3)
    var lossless = try sound(14, "fra", enabled: true, seed: 4)
    lossless.entryType = "alac"
    var text = try sound(15, "und", enabled: true, count: 2, seed: 5)
    text.handler = "sbtl"
    text.entryType = "tx3g"
    var maker = video
    maker.others = [german, english, lossless, text]
    return (maker, german, english)
  }

  @Test func theFirstEnabledOneIsUsual() throws {
    let (maker, german, english) = try Self.film()
    let reader = try MP4Reader(MemorySource(maker.bytes))
    #expect(reader.info.track == 3)
    #expect(reader.info.timeRate == 48000)
    #expect(try reader.all().map(\.data) == english.packets)
    #expect(reader.warnings.items.map(\.text) == ["the file has 3 tracks of sound; track 3 is read"])
    // Where none is enabled it is the first one.
    var all = maker
    all.others[1].trackFlags = 6
    #expect(try MP4Reader(MemorySource(all.bytes)).all().map(\.data) == german.packets)
  }

  /// Scalable AAC is enabled and in front, but cannot be decoded.
  @Test func whatCannotBeDecodedIsNotUsual() throws {
    var maker = try Self.sound(1, "eng", enabled: true, seed: 1)
    maker.configuration.objectType = .scalableSampleRate
    let second = try Self.sound(2, "deu", enabled: false, seed: 2)
    maker.others = [second]
    let reader = try MP4Reader(MemorySource(maker.bytes))
    #expect(reader.info.track == 2)
    #expect(reader.info.tracks.map(\.isReadable) == [false, true])
    #expect(try reader.all().map(\.data) == second.packets)
    // Alone it is opened all the same: it can be copied.
    maker.others = []
    #expect(try MP4Reader(MemorySource(maker.bytes)).all().map(\.data) == maker.packets)
  }

  @Test func oneIsChosen() throws {
    let (maker, german, english) = try Self.film()
    for order in [MP4Maker.Order.moovFirst, .moovLast] {
      var maker = maker
      maker.order = order
      for (number, track) in [(2, german), (3, english)] {
        let reader = try MP4Reader(MemorySource(maker.bytes), track: number)
        #expect(reader.info.track == number)
        #expect(reader.info.timeRate == track.configuration.samplingRate.hertz)
        #expect(reader.warnings.count == 0)
        let survey = try #require(try reader.survey())
        #expect(survey.packetCount == Int64(track.packets.count), "the survey is of the same track")
        #expect(try reader.all().map(\.data) == track.packets)
      }
    }
    let reader = try openPacketReader(
      MemorySource(maker.bytes), options: PacketReadingOptions(track: 2))
    #expect(try reader.all().map(\.data) == german.packets)
  }

  @Test func theyAreListed() throws {
    let tracks = try MP4Reader(MemorySource(Self.film().maker.bytes)).info.tracks
    #expect(tracks.map(\.number) == [1, 2, 3, 4, 5])
    #expect(tracks.map(\.id) == [11, 12, 13, 14, 15])
    #expect(tracks.map(\.kind) == [.video, .audio, .audio, .audio, .text])
    #expect(
      tracks.map(\.codec) == [
        "H.264 video (avc1)", "AAC LC", "AAC LC", "Apple Lossless audio (alac)", "text (tx3g)",
      ])
    #expect(tracks.map(\.language) == [nil, "deu", "eng", "fra", nil])
    #expect(tracks.map(\.isEnabled) == [true, false, true, true, true])
    #expect(tracks.map(\.isReadable) == [false, true, true, false, false])
    let durations = tracks.map { (($0.duration ?? 0) * 1000).rounded() }
    #expect(durations == [116, 279, 427, 279, 46], "by the tables, whatever the headers say")
    // A file with one track has nothing to choose from.
    let alone = try Self.sound(1, "eng", enabled: true, seed: 1)
    #expect(try MP4Reader(MemorySource(alone.bytes)).info.tracks.isEmpty)
    #expect(try MP4Reader(MemorySource(alone.bytes), track: 1).all().count == 12)
  }

  @Test(arguments: [
    (0, "there is no track 0"), (6, "there is no track 6"), (1, "track 1 is H.264 video (avc1)"),
    (4, "track 4 is Apple Lossless audio (alac)"), (5, "track 5 is text (tx3g)"),
  ])
  func whatIsNotThereIsRefused(number: Int, words: String) throws {
    let bytes = try Self.film().maker.bytes
    let error = containerError { _ = try MP4Reader(MemorySource(bytes), track: number) }
    guard case .noTrack(let text) = error?.reason else {
      Issue.record("got \(String(describing: error))")
      return
    }
    #expect(text.contains(words))
    #expect(text.contains("2 (AAC LC, deu, not enabled), 3 (AAC LC, eng)"))
  }

  /// A damaged track says what is wrong with it.
  @Test func aDamagedOneIsExplained() throws {
    var maker = try Self.sound(1, "eng", enabled: true, seed: 1)
    var other = try Self.sound(2, "deu", enabled: true, seed: 2)
    other.entryBoxes = []
    maker.others = [other]
    let error = containerError { _ = try MP4Reader(MemorySource(maker.bytes), track: 2) }
    #expect(error?.description.contains("no esds box") == true, "\(String(describing: error))")
  }

  @Test func otherContainersHaveOne() throws {
    let configuration = try TestStream.configuration()
    let bytes = try adts(TestStream.packets(5, configuration), configuration)
    let first = try openPacketReader(MemorySource(bytes), options: PacketReadingOptions(track: 1))
    #expect(try first.all().count == 5)
    let error = containerError {
      _ = try openPacketReader(MemorySource(bytes), options: PacketReadingOptions(track: 2))
    }
    guard case .noTrack = error?.reason else {
      Issue.record("got \(String(describing: error))")
      return
    }
  }

  @Test func languagesOfEveryForm() throws {
    var maker = try Self.sound(1, "eng", enabled: true, seed: 1)
    var other = try Self.sound(2, "und", enabled: true, seed: 2)
    for (letters, expected) in [
      (Self.letters("und"), nil), (0, nil), (0x7FFF, nil), (5, nil), (Self.letters("swa"), "swa"),
      (0xFFFF, nil),
    ] as [(Int, String?)] {
      other.language = letters
      maker.others = [other]
      #expect(try MP4Reader(MemorySource(maker.bytes)).info.tracks[1].language == expected, "\(letters)")
    }
  }

  /// Fragments in which every track has its part.
  @Test func inFragments() throws {
    let english = try Self.sound(5, "eng", enabled: true, seed: 1)
    let german = try Self.sound(9, "deu", enabled: false, count: 15, seed: 2)
    var maker = english
    maker.packets = []
    maker.mvexForFragments = true
    var other = german
    other.packets = []
    maker.others = [other]
    var bytes = ByteBuilder()
    bytes.append(Array(maker.bytes.dropLast(8)))
    for part in 0..<3 {
      let parts = [english, german].map { track in
        (
          id: track.trackID,
          packets: Array(track.packets[part * track.packets.count / 3..<(part + 1) * track.packets.count / 3])
        )
      }
      var sizeOfHead = 0
      for pass in 0..<2 {
        var fragment = ByteBuilder()
        fragment.box("moof") {
          $0.fullBox("mfhd") { $0.uint32(Int64(part + 1)) }
          var place = sizeOfHead + 8
          for (id, packets) in parts {
            $0.box("traf") {
              $0.fullBox("tfhd", flags: 0x2_0000) { $0.uint32(Int64(id)) }
              $0.fullBox("trun", flags: 0x201) {
                $0.uint32(Int64(packets.count))
                $0.uint32(Int64(place))
                for packet in packets { $0.uint32(Int64(packet.count)) }
              }
            }
            place += packets.reduce(0) { $0 + $1.count }
          }
        }
        sizeOfHead = fragment.count
        guard pass == 1 else { continue }
        bytes.append(fragment.bytes)
        bytes.box("mdat") { for packet in parts.flatMap(\.packets) { $0.append(packet) } }
      }
    }
    let usual = try MP4Reader(MemorySource(bytes.bytes))
    #expect(usual.info.container == .fmp4)
    #expect(usual.info.tracks.map(\.language) == ["eng", "deu"])
    #expect(try usual.all().map(\.data) == english.packets)
    let chosen = try MP4Reader(MemorySource(bytes.bytes), track: 2)
    #expect(try chosen.survey()?.packetCount == 15)
    #expect(try chosen.all().map(\.data) == german.packets)
  }

  /// Where a track's data begins depends on the sizes that `trex` tells for the track in front of it.
  @Test func dataBehindThatOfAnotherTrack() throws {
    var maker = try Self.sound(5, "eng", enabled: true, seed: 1)
    var other = try Self.sound(9, "deu", enabled: false, seed: 2)
    let parts = [[UInt8](repeating: 1, count: 50), [UInt8](repeating: 2, count: 70)]
    (maker.packets, maker.mvexForFragments, maker.defaultSize) = ([], true, 50)
    (other.packets, other.defaultSize) = ([], 70)
    maker.others = [other]
    var bytes = ByteBuilder()
    bytes.append(Array(maker.bytes.dropLast(8)))
    let start = bytes.count
    func moof(_ builder: inout ByteBuilder, dataStart: Int) {
      builder.box("moof") {
        $0.fullBox("mfhd") { $0.uint32(1) }
        for id in [5, 9] as [Int64] {
          $0.box("traf") {
            $0.fullBox("tfhd") { $0.uint32(id) }
            // The second run lies behind the first, without a word.
            $0.fullBox("trun", flags: id == 5 ? 1 : 0) {
              $0.uint32(3)
              if id == 5 { $0.uint32(Int64(dataStart)) }
            }
          }
        }
      }
    }
    var probe = ByteBuilder()
    moof(&probe, dataStart: 0)
    moof(&bytes, dataStart: probe.count + 8)
    #expect(bytes.count == start + probe.count)
    bytes.box("mdat") { for packet in parts { for _ in 0..<3 { $0.append(packet) } } }
    for (track, part) in parts.enumerated() {
      let reader = try MP4Reader(MemorySource(bytes.bytes), track: track + 1)
      #expect(try reader.all().map(\.data) == [part, part, part])
    }
  }
}
