import AAC
import Foundation
import Testing

@testable import AACContainers

/// Every form that has a writer and a reader, by one test. Whole files have theirs: `M4ARoundTripTests`, `TagTests`, …
@Suite struct BoxRoundTripTests {
  @Test(
    arguments: RoundTrip.boxes + RoundTrip.tracks + RoundTrip.fragments + RoundTrip.metadata
      + RoundTrip.streams)
  func comesBack(form: RoundTrip) throws {
    let seed =
      ProcessInfo.processInfo.environment["AAC_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...(.max))
    print("AAC_SEED=\(seed)")
    var random = SplitMix(seed)
    for _ in 0..<200 { try form.run(&random, seed: seed) }
  }
}

private struct NamedBox: Equatable {
  var type: FourCC
  var content: [UInt8]
}

extension RoundTrip {
  static let boxes: [RoundTrip] = [
    RoundTrip(
      "box header",
      any: { random in
        NamedBox(type: FourCC(UInt32(1 + random.number(31))), content: random.bytes(random.below(40)))
      },
      write: { value in built { $0.box(value.type) { $0.append(value.content) } } },
      read: { bytes in
        let (box, window) = try firstBox(bytes)
        return NamedBox(type: box.type, content: try window.bytes(Int(box.contentSize), at: box.content))
      }),
    RoundTrip(
      "box in memory",
      any: { random in
        NamedBox(type: FourCC(UInt32(1 + random.number(31))), content: random.bytes(random.below(40)))
      },
      write: {
        var parts = EditParts()
        BoxNode($0.type, content: $0.content).write(to: &parts)
        return try parts.bytes(0..<parts.count, of: MemorySource([]))
      },
      read: { bytes in BoxNode(bytes).map { NamedBox(type: $0.type, content: $0.content) } }),
    RoundTrip(
      "elst",
      any: { random in
        (0...random.below(5)).map { _ in
          EditList.Edit(duration: random.number(40), mediaTime: Int64(random.number(40)))
        }
      },
      write: { value in built { EditList.write(value, to: &$0) } },
      read: { bytes in
        let (edts, window) = try firstBox(bytes)
        var cursor = BoxCursor(edts)
        return try cursor.next(in: window).map { try EditList($0, in: window).edits }
      }),
    RoundTrip(
      "esds",
      any: { random in
        var value = ESDescriptor()
        value.objectTypeIndication = random.below(256)
        value.streamType = random.below(64)
        value.bufferSize = Int(random.number(24))
        value.maximumBitRate = UInt32(random.number(32))
        value.averageBitRate = UInt32(random.number(32))
        value.decoderSpecificInfo = random.bytes(random.below(300))
        return value
      },
      write: { (value: ESDescriptor) in built { value.write(to: &$0) } },
      read: { bytes in
        let (box, window) = try firstBox(bytes)
        return try ESDescriptor(parsing: window.parser(of: box))
      }),
    RoundTrip(
      "stsd",
      any: { random in
        let choices = try LOASTests.configurations()
        return choices[random.below(choices.count)].bytes
      },
      write: { value in
        let header = try MovieHeader(
          AudioSpecificConfig(parsing: value), bytes: value, timescale: nil, mpeg2: false)
        return built { header.writeSampleDescription(to: &$0) }
      },
      read: { bytes in
        let (box, window) = try firstBox(bytes)
        guard case .aac(_, let configuration) = try SampleDescription(box, in: window).content else {
          return nil
        }
        return configuration
      }),
  ]
}

// MARK: Tracks

private struct TrackHead: Equatable {
  var timescale: Int
  var duration: Int64
}

/// Sizes and durations of a track's samples, and where the first one is.
private struct Samples: Equatable {
  var sizes: [Int]
  var padding: Int
}

extension RoundTrip {
  static func movie(_ bytes: [UInt8]) throws -> Movie {
    let (box, window) = try firstBox(bytes)
    return try Movie(box, in: window)
  }

  private static func header(timescale: Int) throws -> MovieHeader {
    MovieHeader(try TestStream.configuration(), bytes: nil, timescale: timescale, mpeg2: false)
  }

  static let tracks: [RoundTrip] = [
    RoundTrip(
      "mvhd",
      any: { random in TrackHead(timescale: 1 + Int(random.number(31)), duration: Int64(random.number(40))) },
      write: { value in
        let header = try header(timescale: value.timescale)
        return built { $0.box("moov") { header.writeMovieHeader(duration: value.duration, to: &$0) } }
      },
      // Its duration is not read.
      read: { bytes in
        guard bytes.count >= 116 else { return nil }
        let version = bytes[16]
        return TrackHead(
          timescale: Int(try movie(bytes).timescale),
          duration: Int64(clamping: BoxSlice.number(bytes, version == 1 ? 40 : 32, version == 1 ? 8 : 4)))
      }),
    RoundTrip(
      "tkhd, mdhd, hdlr, elst in trak",
      any: { random in [1 + Int64(random.number(31)), 1 + Int64(random.number(40)), Int64(random.number(40))]
      },
      write: { value in
        let header = try header(timescale: Int(value[0]))
        let edit = EditList.Edit(duration: UInt64(value[1]), mediaTime: value[2])
        return built {
          $0.box("moov") {
            $0.box("trak") {
              header.writeTrackHeader(duration: value[1], to: &$0)
              EditList.write([edit], to: &$0)
              $0.box("mdia") { header.writeMediaHeader(duration: value[1], to: &$0) }
            }
          }
        }
      },
      read: { bytes in
        guard let track = try movie(bytes).tracks.first, track.id == 1, track.handler == "soun",
          let edit = track.edits?.firstUseful
        else { return nil }
        return [Int64(track.timescale), Int64(clamping: edit.duration), edit.mediaTime]
      }),
    // The tables of M4AWriter have two chunks at least where there are more than 43 samples.
    RoundTrip(
      "stts, stsc, stsz, stco",
      any: { random in
        Samples(sizes: (0..<random.below(100)).map { _ in 20 + random.below(30) }, padding: 0)
      },
      write: { value in
        let configuration = try TestStream.configuration()
        return try m4a(
          value.sizes.map {
            Packet(data: [UInt8](repeating: 1, count: $0), presentationTime: 0, duration: 1024)
          },
          configuration)
      },
      read: { bytes in
        guard var table = try MP4Opening(ByteWindow(MemorySource(bytes))).table else { return nil }
        let times = try table.sumTimes()
        guard times.total == 1024 * UInt64(table.sampleCount) else { return nil }
        var sizes: [Int] = []
        var end: Int64?
        while let sample = try table.next() {
          guard end ?? sample.offset == sample.offset else { return nil }
          end = sample.offset + Int64(sample.size)
          sizes.append(sample.size)
        }
        return Samples(sizes: sizes, padding: 0)
      }),
    RoundTrip(
      "tref, chapter track with stco or co64",
      any: { random in
        // Chapters on whole frames, within their sound.
        let starts = Set((0..<1 + random.below(6)).map { _ in random.below(1 << 20) }).sorted()
        return [random.below(2) == 0 ? "stco" : "co64"] + starts.map { "\($0) \(TagTests.text(&random))" }
      },
      write: { value in
        let chapters = value.dropFirst().map { text in
          let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
          return Chapter(start: Double(parts[0]).map { $0 / 44100 } ?? 0, title: String(parts[1]))
        }
        let track = ChapterTrack(
          Array(chapters), duration: 1 << 20, rate: 44100, movieDuration: 1 << 20, movieScale: 44100)
        let header = try header(timescale: 44100)
        return built {
          $0.append(track.data)
          let offset: Int64 = 8
          let data = track.data
          $0.removeAll()
          $0.box("free") { $0.append(data) }
          $0.box("moov") {
            header.writeMovieHeader(duration: 1 << 20, to: &$0)
            $0.box("trak") {
              header.writeTrackHeader(duration: 1 << 20, to: &$0)
              $0.box("tref") { $0.box("chap") { $0.uint32(2) } }
            }
            track.write(id: 2, offset: offset, usesLargeOffsets: value[0] == "co64", to: &$0)
          }
        }
      },
      read: { bytes in
        let source = MemorySource(bytes)
        let window = ByteWindow(source)
        var cursor = BoxCursor(from: 0, to: nil, in: nil)
        _ = try cursor.next(in: window)
        guard let moov = try cursor.next(in: window) else { return nil }
        let movie = try Movie(moov, in: window)
        guard let track = movie.tracks.first, movie.tracks.count == 2 else { return nil }
        let chapters = ChapterTrack.read(of: track, in: movie, source: source)
        let isLarge = movie.tracks[1].tables.offsets?.type == "co64"
        return [isLarge ? "co64" : "stco"]
          + chapters.map { "\(Int(exactly: ($0.start * 44100).rounded()) ?? -1) \($0.title)" }
      }),
  ]

  // MARK: Fragments

  static let fragments: [RoundTrip] = [
    RoundTrip(
      "sidx",
      any: { random in
        SegmentIndex(
          trackID: UInt32(random.number(32)), timescale: UInt32(random.number(32)),
          earliestTime: random.number(64), firstOffset: random.number(64),
          references: (0..<random.below(30)).map { _ in
            SegmentIndex.Reference(
              size: UInt32(random.number(31)), duration: UInt32(random.number(32)),
              isIndex: random.below(3) == 0)
          })
      },
      write: { value in
        let bytes = built { value.write(to: &$0) }
        #expect(bytes.count == SegmentIndex.byteCount(value.references.count))
        return bytes
      },
      read: { bytes in
        let (box, window) = try firstBox(bytes)
        return try SegmentIndex(box, in: window)
      }),
    RoundTrip(
      "mehd",
      any: { random in random.number(62) },
      write: { value in
        let sink = MemorySink()
        try sink.append(built { $0.box("moov") { $0.box("mvex") { MovieHeader.reserveDuration(in: &$0) } } })
        try MovieHeader.fillDuration(Int64(value), sink, at: 16)
        return sink.bytes
      },
      read: { bytes in try movie(bytes).fragmentDuration }),
    RoundTrip(
      "trex, moof, tfhd, tfdt, trun",
      any: { random in
        let sizes = (0..<1 + random.below(100)).map { _ in 20 + random.below(30) }
        return Samples(sizes: sizes, padding: random.below(sizes.count > 4 ? 4000 : 1024))
      },
      write: { value in
        let count = value.sizes.count
        let packets = value.sizes.enumerated().map { index, size in
          let left = value.padding - (count - 1 - index) * 1024
          return Packet(
            data: [UInt8](repeating: 1, count: size), presentationTime: 0, duration: 1024,
            padding: min(1024, max(0, left)))
        }
        return try fragmented(packets, TestStream.configuration())
      },
      read: { bytes in
        let window = ByteWindow(MemorySource(bytes))
        let opened = try MP4Opening(window)
        guard var walk = opened.fragments, opened.movie.defaults.first?.duration == 1024 else { return nil }
        var sizes: [Int] = []
        var media: Int64 = 0
        while let sample = try walk.next(in: window) {
          guard let time = walk.decodeTime, time <= 1024 * UInt64(sizes.count) else { return nil }
          sizes.append(sample.size)
          media += Int64(sample.duration)
        }
        return Samples(sizes: sizes, padding: sizes.count * 1024 - Int(media))
      }),
  ]
}
