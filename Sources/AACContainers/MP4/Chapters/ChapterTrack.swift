/// QuickTime's chapters: a track of texts that the sound's track refers to (`tref/chap`).
struct ChapterTrack {
  private let starts: [Int64]
  private let scale: Int
  /// In the track's own time scale, and in the movie's.
  private let duration: Int64
  private let movieDuration: Int64
  private let movieScale: Int
  private let samples: [[UInt8]]

  /// - Parameters:
  ///   - chapters: in order, all of them in the sound.
  ///   - duration: of the sound in frames of `rate`, `movieDuration` the same in the movie's time scale.
  init(_ chapters: [Chapter], duration: Int64, rate: Int, movieDuration: Int64, movieScale: Int) {
    // Durations of texts have 32 bits.
    let isLong = duration > Int64(UInt32.max)
    let scale = isLong ? 1000 : max(1, rate)
    self.scale = scale
    let end = isLong ? TrackTiming.scale(UInt64(duration), 1000, UInt32(clamping: rate)) : duration
    self.duration = end
    self.movieDuration = movieDuration
    self.movieScale = movieScale
    starts = chapters.map { min(Int64(($0.start * Double(scale)).rounded()), end) }
    samples = chapters.map { chapter in
      let title = chapter.titleBytes(atMost: 0xFFFF)
      // The box says that this is UTF-8.
      return [UInt8(title.count >> 8), UInt8(title.count & 0xFF)] + title
        + [0, 0, 0, 12, 0x65, 0x6E, 0x63, 0x64, 0, 0, 1, 0]
    }
  }

  /// The texts, to be put somewhere into an `mdat`.
  var data: [UInt8] { samples.flatMap { $0 } }

  /// Appends the `trak` box.
  ///
  /// - Parameter offset: where `data` is in the file.
  func write(id: Int, offset: Int64, usesLargeOffsets: Bool, to bytes: inout ByteBuilder) {
    bytes.box("trak") {
      writeHeader(id, to: &$0)
      writeEdits(to: &$0)
      $0.box("mdia") {
        $0.fullBox("mdhd", version: 1) {
          $0.zeros(16)
          $0.uint32(Int64(scale))
          $0.uint64(duration - (starts.first ?? 0))
          $0.uint16(0x55C4)  // und
          $0.uint16(0)
        }
        $0.fullBox("hdlr") {
          $0.uint32(0)
          $0.fourCC("text")
          $0.zeros(13)
        }
        $0.box("minf") {
          Self.writeMediaHeader(to: &$0)
          $0.box("dinf") {
            $0.fullBox("dref") {
              $0.uint32(1)
              $0.fullBox("url ", flags: 1) { _ in }
            }
          }
          $0.box("stbl") {
            Self.writeDescription(to: &$0)
            writeTables(offset, usesLargeOffsets, to: &$0)
          }
        }
      }
    }
  }

  /// It is not enabled: nothing of it is to be shown beside the chapters' names.
  private func writeHeader(_ id: Int, to bytes: inout ByteBuilder) {
    bytes.fullBox("tkhd", version: 1, flags: 2) {
      $0.zeros(16)
      $0.uint32(Int64(id))
      $0.uint32(0)
      $0.uint64(movieDuration)
      $0.zeros(16)  // layer, group, volume
      for value in [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000] as [Int64] { $0.uint32(value) }
      $0.zeros(8)
    }
  }

  /// An empty edit stands for the time in front of the first chapter.
  private func writeEdits(to bytes: inout ByteBuilder) {
    guard let first = starts.first, first > 0 else { return }
    let gap = min(TrackTiming.scale(UInt64(first), movieScale, UInt32(clamping: scale)), movieDuration)
    bytes.box("edts") {
      $0.fullBox("elst", version: 1) {
        $0.uint32(2)
        for (length, time) in [(gap, -1), (movieDuration - gap, 0)] as [(Int64, Int64)] {
          $0.uint64(length)
          $0.uint64(time)
          $0.uint32(0x1_0000)
        }
      }
    }
  }

  private static func writeMediaHeader(to bytes: inout ByteBuilder) {
    bytes.box("gmhd") {
      $0.fullBox("gmin") {
        $0.uint16(0x40)  // mode: copy with dither
        for _ in 0..<3 { $0.uint16(0x8000) }
        $0.zeros(4)
      }
      $0.box("text") {
        for value in [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000] as [Int64] { $0.uint32(value) }
      }
    }
  }

  private static func writeDescription(to bytes: inout ByteBuilder) {
    bytes.fullBox("stsd") {
      $0.uint32(1)
      $0.box("text") {
        $0.zeros(6)
        $0.uint16(1)  // data_reference_index
        $0.uint32(1)  // flags: not to be scaled
        $0.uint32(1)  // centred
        $0.zeros(6)  // background
        $0.zeros(8)  // box
        $0.zeros(8)
        $0.zeros(4)  // font, face
        $0.zeros(3)
        $0.zeros(6)  // foreground
        $0.zeros(1)  // no name of a font
      }
    }
  }

  private func writeTables(_ offset: Int64, _ usesLargeOffsets: Bool, to bytes: inout ByteBuilder) {
    bytes.fullBox("stts") {
      $0.uint32(Int64(starts.count))
      for (index, start) in starts.enumerated() {
        let end = index + 1 < starts.count ? starts[index + 1] : duration
        $0.uint32(1)
        $0.uint32(max(0, end - start))
      }
    }
    bytes.fullBox("stsc") {
      $0.uint32(1)
      for value in [1, samples.count, 1] { $0.uint32(Int64(value)) }
    }
    bytes.fullBox("stsz") {
      $0.uint32(0)
      $0.uint32(Int64(samples.count))
      for sample in samples { $0.uint32(Int64(sample.count)) }
    }
    bytes.fullBox(usesLargeOffsets ? "co64" : "stco") {
      $0.uint32(1)
      $0.put(UInt64(offset), usesLargeOffsets ? 8 : 4)
    }
  }
}

/// Reading.
extension ChapterTrack {
  static let handlers: Set<FourCC> = ["text", "sbtl", "tx3g"]
  private static let largestText = 1 << 16
  private static let mostBytes = 4 << 20

  /// The chapters that `track` refers to; empty where there are none, or they cannot be read.
  static func read(of track: Track, in movie: Movie, source: any ByteSource) -> [Chapter] {
    guard source.isSeekable else { return [] }
    for id in track.chapterTracks {
      guard let texts = movie.tracks.first(where: { $0.id == id && handlers.contains($0.handler) }),
        let parent = texts.tableBox,
        let table = try? SampleTable(texts.tables, source: source, parent: parent),
        let chapters = try? read(table, texts, movieScale: movie.timescale, source: source), !chapters.isEmpty
      else { continue }
      return chapters
    }
    return []
  }

  private static func read(
    _ table: SampleTable, _ track: Track, movieScale: UInt32, source: any ByteSource
  ) throws(ContainerError) -> [Chapter] {
    var table = table
    var chapters: [Chapter] = []
    var time: UInt64 = 0
    var left = Int(min(Int64(mostBytes), 4 * min(source.length ?? 0, Int64(mostBytes))))
    let silence = Double(track.edits?.leadingSilence ?? 0) / Double(max(1, movieScale))
    let skipped = track.edits?.firstUseful?.mediaTime ?? 0
    while chapters.count < Chapter.countLimit, let sample = try table.next() {
      guard sample.size <= largestText, sample.size <= left else { break }
      left -= sample.size
      let bytes = try source.read(at: sample.offset, count: sample.size)
      let ticks = Double(time) - Double(skipped)
      chapters.append(
        Chapter(start: silence + max(0, ticks / Double(max(1, track.timescale))), title: text(bytes)))
      time &+= UInt64(sample.duration)
    }
    return Chapter.sorted(chapters)
  }

  /// A length, then UTF-8, or UTF-16 behind its mark.
  private static func text(_ bytes: [UInt8]) -> String {
    guard bytes.count > 2 else { return "" }
    let length = Int(bytes[0]) << 8 | Int(bytes[1])
    let text = bytes[2..<min(bytes.count, 2 + length)]
    let isLittle = text.starts(with: [0xFF, 0xFE])
    guard isLittle || text.starts(with: [0xFE, 0xFF]) else { return String(decoding: text, as: UTF8.self) }
    let units = stride(from: text.startIndex + 2, to: text.endIndex - 1, by: 2).map { index in
      let (low, high) = isLittle ? (text[index], text[index + 1]) : (text[index + 1], text[index])
      return UInt16(high) << 8 | UInt16(low)
    }
    return String(decoding: units, as: UTF16.self)
  }
}
