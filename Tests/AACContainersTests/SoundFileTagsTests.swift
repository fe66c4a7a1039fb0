import Foundation
import Testing

@testable import AACContainers

/// What FLAC, WAV and AIFF files say of themselves.
@Suite struct SoundFileTagsTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
  private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 9, count: 500)

  private func number(_ value: Int, _ count: Int, isBig: Bool = true) -> [UInt8] {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isBig ? bytes.reversed() : bytes
  }

  private func chunk(_ name: String, _ body: [UInt8], isBig: Bool, size: Int? = nil) -> [UInt8] {
    Array(name.utf8) + number(size ?? body.count, 4, isBig: isBig) + body + (body.count % 2 == 1 ? [0] : [])
  }

  private func comments(_ list: [String]) -> [UInt8] {
    func text(_ text: String) -> [UInt8] { number(text.utf8.count, 4, isBig: false) + Array(text.utf8) }
    return text("a maker") + number(list.count, 4, isBig: false) + list.flatMap { text($0) }
  }

  private func picture(_ data: [UInt8], kind: Int) -> [UInt8] {
    number(kind, 4) + number(9, 4) + Array("image/png".utf8) + number(2, 4) + Array("ü".utf8)
      + [UInt8](repeating: 0, count: 16) + number(data.count, 4) + data
  }

  /// Blocks of a FLAC file behind its stream information.
  private func flac(_ blocks: [(type: UInt8, body: [UInt8])]) -> [UInt8] {
    var bytes = Array("fLaC".utf8) + [0] + number(34, 3) + [UInt8](repeating: 1, count: 34)
    for (index, block) in blocks.enumerated() {
      bytes +=
        [block.type | (index == blocks.count - 1 ? 0x80 : 0)] + number(block.body.count, 3) + block.body
    }
    return bytes + [0xFF, 0xF8, 0x69]
  }

  private func read(_ bytes: [UInt8]) throws -> Tags { try SoundFileTags.read(MemorySource(bytes)) }

  @Test func commentsAndPicturesOfFLAC() throws {
    let list = [
      "TITLE=Höhe", "artist=A", "ARTIST=B", "AlbumArtist=Band", "TRACKNUMBER=3", "TRACKTOTAL=12",
      "DISCNUMBER=1/2",
      "DATE=2026-11-30", "REPLAYGAIN_TRACK_GAIN=-3.10 dB", "MUSICBRAINZ_ALBUMID=x-y", "ENCODER=somebody",
      "METADATA_BLOCK_PICTURE=AAAA", "EMPTY=", "no sign", "=no name", "BPM=fast", "TITLE=Höhe",
    ]
    let tags = try read(
      flac([
        (4, comments(list)), (6, picture(Self.jpeg, kind: 4)), (1, [0, 0]), (6, picture(Self.png, kind: 3)),
      ]))
    #expect(tags["title"] == "Höhe" && tags.values(of: "title").count == 1)
    #expect(tags.values(of: "artist") == ["A", "B"])
    #expect(tags["albumArtist"] == "Band" && tags["track"] == "3/12" && tags["disc"] == "1/2")
    #expect(tags["date"] == "2026-11-30" && tags["replaygain_track_gain"] == "-3.10 dB")
    #expect(tags["MUSICBRAINZ_ALBUMID"] == "x-y")
    #expect(tags.count == 9, "\(tags.items)")
    #expect(tags.artwork.map(\.data) == [Self.png, Self.jpeg], "the front cover first")
  }

  @Test(arguments: ["RIFF", "RF64", "FORM"]) func chunksOfWAVAndAIFF(kind: String) throws {
    let isBig = kind == "FORM"
    var maker = ID3Maker(version: 3)
    maker.add("TIT2", [1] + ID3Encoding.utf16.bytes("Höhe"))
    maker.add("TPE2", [0] + Array("Band".utf8))
    maker.addPicture(Self.png, kind: 3, description: "front", .latin1)
    let form: String = isBig ? "AIFF" : "WAVE"
    var bytes = Array(kind.utf8) + [0xFF, 0xFF, 0xFF, 0xFF] + Array(form.utf8)
    let sound = [UInt8](repeating: 5, count: 1001)
    if kind == "RF64" {
      bytes += chunk("ds64", number(0, 8, isBig: false) + number(1001, 8, isBig: false), isBig: false)
      bytes += chunk("data", sound, isBig: false, size: Int(UInt32.max))
    } else {
      bytes += chunk(isBig ? "SSND" : "data", sound, isBig: isBig)
    }
    bytes += chunk(isBig ? "ID3 " : "id3 ", maker.bytes, isBig: isBig)
    let tags = try read(bytes)
    #expect(tags["title"] == "Höhe" && tags["albumArtist"] == "Band")
    #expect(tags.artwork.map(\.data) == [Self.png])
  }

  @Test func filesWithoutTags() throws {
    #expect(try read([]).isEmpty)
    #expect(try read(Array("OggS, whatever it is".utf8)).isEmpty)
    #expect(try read(Array("RIFF".utf8) + [1, 2, 3]).isEmpty)
    #expect(try read(flac([])).isEmpty)
  }

  /// A block that claims more than the file has is not loaded: no source is asked for so much.
  @Test func claimsBeyondTheFile() throws {
    let claim = [0xFF, 0xFF, 0xFF] as [UInt8]
    let files: [[UInt8]] = [
      Array("fLaC".utf8) + [6] + claim + picture(Self.png, kind: 3),
      Array("fLaC".utf8) + [4] + [0x0F, 0xFF, 0xFF] + comments(["TITLE=A"]),
      Array("RIFF".utf8) + number(0, 4) + Array("WAVEid3 ".utf8) + claim + [0x7F] + Array("ID3".utf8),
    ]
    for file in files {
      let source = LargestRead(file)
      #expect(try SoundFileTags.read(source).isEmpty)
      #expect(source.largest <= 1 << 17)
    }
    let tag = Array("ID3".utf8) + [4, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F, 0, 0]
    let source = LargestRead(tag)
    #expect(try ID3Tags.read(in: ByteWindow(source)).isEmpty)
    #expect(source.largest <= 1 << 17)
  }

  /// Sizes that lie cost tags and nothing else.
  @Test func damage() throws {
    let seed =
      ProcessInfo.processInfo.environment["AAC_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...(.max))
    print("AAC_SEED=\(seed)")
    var generator = SplitMix(seed)
    var maker = ID3Maker(version: 4)
    maker.addPicture(Self.png, kind: 3, description: "x", .utf8)
    let wholes = [
      flac([(4, comments(["TITLE=A", "TRACKNUMBER=1"])), (6, picture(Self.png, kind: 3))]),
      Array("RIFF".utf8) + number(0, 4) + Array("WAVE".utf8) + chunk("data", [1, 2, 3], isBig: false)
        + chunk("id3 ", maker.bytes, isBig: false),
    ]
    for whole in wholes {
      #expect(try !read(whole).isEmpty)
      for _ in 0..<2000 {
        var damaged = whole
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
          damaged[Int.random(in: 0..<damaged.count, using: &generator)] = .random(
            in: 0...255, using: &generator)
        }
        damaged.removeLast(Int.random(in: 0..<damaged.count, using: &generator) / 4)
        let tags = try read(damaged)
        #expect(tags.artwork.allSatisfy { $0.data.count <= damaged.count })
      }
    }
  }
}
