import AAC
import Testing

@testable import AACContainers

@Suite struct ChapterTests {
  static func file(
    _ chapters: [Chapter], packets count: Int = 100, priming: Int = 1024, padding: Int = 100
  ) throws -> (bytes: [UInt8], packets: [Packet]) {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(count, configuration, priming: priming, padding: padding)
    var options = M4AWriter.Options()
    options.chapters = chapters
    return (try m4a(packets, configuration, options: options), packets)
  }

  private static func expectSame(_ found: [Chapter], _ asked: [Chapter], within: Double) {
    #expect(found.map(\.title) == asked.map(\.title))
    for (one, other) in zip(found, asked) {
      #expect(abs(one.start - other.start) <= within, "\(one) \(other)")
    }
  }

  @Test func chaptersComeBack() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed)
    for count in [1, 2, 60, 255, 256, 700] {
      for first in [0.0, 0.25] {
        let chapters = (0..<count).map { index in
          Chapter(
            start: first + Double(index) * 2 / Double(count),
            title: "\(index) " + String(TagTests.text(&random).filter { $0 != "\u{301}" }))
        }
        let (bytes, packets) = try Self.file(chapters)
        let reader = try MP4Reader(MemorySource(bytes))
        Self.expectSame(reader.info.chapters, chapters, within: 0.51 / 44100)
        #expect(try reader.all() == packets, "seed \(seed)")
        #expect(reader.warnings.count == 0)
        // Through a pipe there is the list only.
        let pipe = try MP4Reader(OnceSource(bytes))
        Self.expectSame(pipe.info.chapters, chapters, within: 1e-7)
        #expect(try pipe.all() == packets)
      }
    }
  }

  /// Without a list the track is enough, without a track the list.
  @Test func eitherFormIsEnough() throws {
    let chapters = [Chapter(start: 0, title: "Ä"), Chapter(start: 1.5, title: "Zwei")]
    let bytes = try Self.file(chapters).bytes
    for name in ["chpl", "chap"] {
      var damaged = bytes
      let place = try #require(damaged.firstRange(of: Array(name.utf8)))
      damaged.replaceSubrange(place, with: Array("free".utf8))
      Self.expectSame(try MP4Reader(MemorySource(damaged)).info.chapters, chapters, within: 1e-4)
    }
  }

  @Test func longTitlesAreCutInTheListOnly() throws {
    let title = String(repeating: "日", count: 100)
    let bytes = try Self.file([Chapter(start: 0, title: title)]).bytes
    #expect(try MP4Reader(MemorySource(bytes)).info.chapters.first?.title == title)
    let list = try MP4Reader(OnceSource(bytes)).info.chapters
    #expect(list.first?.title == String(repeating: "日", count: 85))
  }

  @Test func wrongChaptersAreRefused() throws {
    for start in [-1, .nan, .infinity, 1e12] {
      #expect(containerError { _ = try Self.file([Chapter(start: start, title: "x")]) } != nil)
    }
    let many = [Chapter](repeating: Chapter(start: 0, title: ""), count: Chapter.countLimit + 1)
    #expect(containerError { _ = try Self.file(many) } != nil)
    // Behind the end there is nothing to name.
    let bytes = try Self.file([Chapter(start: 0, title: "a"), Chapter(start: 99, title: "b")]).bytes
    #expect(try MP4Reader(MemorySource(bytes)).info.chapters.map(\.title) == ["a"])
  }

  @Test func fragmentsHaveTheList() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(100, configuration)
    var options = FragmentedMP4Writer.Options()
    options.chapters = [Chapter(start: 0.5, title: "b"), Chapter(start: 0, title: "a")]
    let bytes = try fragmented(packets, configuration, options: options)
    let reader = try MP4Reader(MemorySource(bytes))
    #expect(reader.info.chapters.map(\.title) == ["a", "b"])
    #expect(try reader.all() == packets)
  }

  /// The oldest lists have a version of 0 and a count of one byte.
  @Test func oldLists() {
    let chapters = ChapterList.read(
      [0, 0, 0, 0, 2] + [0, 0, 0, 0, 0, 0, 0, 0, 1, 65] + [0, 0, 0, 0, 0, 0x98, 0x96, 0x80, 2, 66, 67])
    #expect(chapters == [Chapter(start: 0, title: "A"), Chapter(start: 1, title: "BC")])
    #expect(ChapterList.read([]).isEmpty)
    #expect(ChapterList.read([1, 0, 0, 0, 0, 0, 0, 0, 9, 1]).isEmpty)
  }

  /// B141: all lengths in a file with chapters, and in a part of it, are those of the sound.
  @Test func b141_chaptersLeaveTheLengthsAlone() throws {
    for count in [50, 100] {
      let bytes = try Self.file(
        [Chapter(start: 0, title: "a"), Chapter(start: 1, title: "b")], packets: count
      ).bytes
      let frames = Int64(count * 1024 - 1124)
      let window = ByteWindow(MemorySource(bytes))
      let opened = try MP4Opening(window)
      #expect(opened.movie.tracks.count == 2)
      #expect(try MP4Reader(MemorySource(bytes)).info.validFrames == frames)
      func duration(of type: String, at offset: Int, after start: Int = 0) throws -> Int64 {
        let place = try #require(bytes[start...].firstRange(of: Array(type.utf8))).upperBound
        return Int64(BoxSlice.number(bytes, place + offset, 4))
      }
      #expect(try duration(of: "mvhd", at: 16) == frames)
      #expect(try duration(of: "tkhd", at: 20) == frames)
      #expect(try duration(of: "elst", at: 8) == frames)
      #expect(try duration(of: "mdhd", at: 16) == Int64(count * 1024))
      let text = try #require(bytes.firstRange(of: Array("stco".utf8))).upperBound
      #expect(try duration(of: "tkhd", at: 24 + 8, after: text) == frames)
      #expect(try duration(of: "mdhd", at: 20 + 8, after: text) == frames)
    }
  }
}

/// A source that cannot go back.
final class OnceSource: ByteSource {
  private let inner: MemorySource
  let isSeekable = false
  var length: Int64? { inner.length }
  init(_ bytes: [UInt8]) { inner = MemorySource(bytes) }
  func read(
    at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>, atLeast minimum: Int
  ) throws(ContainerError) -> Int {
    try inner.read(at: offset, into: &buffer, range, atLeast: minimum)
  }
}
