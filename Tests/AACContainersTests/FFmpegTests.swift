import AAC
import Foundation
import PCM
import Testing

@testable import AACContainers

/// What FFmpeg makes of the files written here, and the other way round; left out where it is not installed.
@Suite(.enabled(if: run("ffmpeg", ["-version"]) != nil && run("ffprobe", ["-version"]) != nil))
struct FFmpegTests {
  /// Frames that FFmpeg decodes from a file.
  static func decodedFrames(_ path: String, channels: Int) throws -> Int {
    let arguments = ["-v", "error", "-i", path, "-f", "s16le", "-"]
    return try #require(run("ffmpeg", arguments)).count / 2 / channels
  }

  static func probe(_ path: String, _ entries: String) throws -> String {
    let arguments = ["-v", "error", "-count_packets", "-show_entries", entries, "-of", "default=nk=0", path]
    return String(decoding: try #require(run("ffprobe", arguments)), as: UTF8.self)
  }

  static func write(_ bytes: [UInt8], _ suffix: String) throws -> String {
    let path = temporaryPath(suffix)
    let sink = try FileSink(path: path)
    try sink.append(bytes)
    try sink.close()
    return path
  }

  /// FFmpeg 5 takes off the priming and leaves the padding; later ones take off both.
  @Test("B031", arguments: [(0, 0), (1024, 100), (2112, 1000)])
  func m4aIsTrimmed(delay: (priming: Int, padding: Int)) throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(
      50, configuration, sizes: 20...60, priming: delay.priming, padding: delay.padding)
    let path = try Self.write(m4a(packets, configuration), "m4a")
    defer { removeFile(path) }
    let frames = try Self.decodedFrames(path, channels: 2)
    let trimmed = 50 * 1024 - delay.priming
    #expect(frames == trimmed || frames == trimmed - delay.padding)
    let valid = Double(trimmed - delay.padding) / 44100
    let text = try Self.probe(path, "stream=nb_frames,codec_name,profile:format=duration")
    #expect(text.contains("nb_frames=50"))
    #expect(text.contains("codec_name=aac"))
    #expect(text.contains("profile=LC"))
    let told = text.split(separator: "\n").first { $0.hasPrefix("duration=") }?.dropFirst(9)
    #expect(abs((told.flatMap { Double($0) } ?? 0) - valid) < 0.000_01)
  }

  /// FFmpeg 5 trims nothing in fragmented files, not even in its own; all packets have to be there.
  @Test(arguments: [(0, 0), (1024, 100), (2112, 1500)])
  func fragmentsAreRead(delay: (priming: Int, padding: Int)) throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(
      100, configuration, sizes: 20...60, priming: delay.priming, padding: delay.padding)
    let path = try Self.write(fragmented(packets, configuration), "mp4")
    defer { removeFile(path) }
    let frames = try Self.decodedFrames(path, channels: 2)
    #expect((100 * 1024 - delay.priming - delay.padding...100 * 1024).contains(frames))
    #expect(try Self.probe(path, "stream=nb_read_packets").contains("nb_read_packets=100"))
  }

  @Test func tagsAreRead() throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(3, configuration)
    let tags = Tags([
      ("title", "Höhe"), ("artist", "A"), ("album", "B"), ("date", "2026"), ("genre", "Jazz"),
      ("comment", "C"), ("track", "3/12"), ("encoder", "swift-aac"),
    ])
    let path = try Self.write(m4a(packets, configuration, options: .init(tags: tags)), "m4a")
    defer { removeFile(path) }
    let text = try Self.probe(path, "format_tags")
    for item in tags.items { #expect(text.contains("TAG:\(item.key)=\(item.value)"), "\(item.key)") }
  }

  /// The names that FFmpeg has for the keys it knows.
  static let names: [(key: String, name: String)] = [
    ("title", "title"), ("artist", "artist"), ("album", "album"), ("albumArtist", "album_artist"),
    ("composer", "composer"), ("date", "date"), ("genre", "genre"), ("comment", "comment"),
    ("copyright", "copyright"), ("grouping", "grouping"), ("lyrics", "lyrics"),
    ("description", "description"), ("longDescription", "synopsis"), ("encoder", "encoder"),
    ("track", "track"),
    ("disc", "disc"), ("compilation", "compilation"), ("gapless", "gapless_playback"),
    ("mediaKind", "media_type"), ("rating", "rating"), ("sortTitle", "sort_name"),
    ("sortArtist", "sort_artist"), ("sortAlbum", "sort_album"), ("sortAlbumArtist", "sort_album_artist"),
    ("sortComposer", "sort_composer"), ("sortShow", "sort_show"), ("show", "show"), ("network", "network"),
    ("episodeID", "episode_id"), ("season", "season_number"), ("episode", "episode_sort"),
    ("keywords", "keywords"), ("category", "category"), ("purchaseDate", "purchase_date"),
    ("purchaser", "account_id"), ("podcast", "podcast"),
  ]

  static func format(_ path: String) throws -> [String: Any] {
    let arguments = ["-v", "error", "-show_entries", "format_tags:stream=codec_name", "-of", "json", path]
    let json = try JSONSerialization.jsonObject(with: Data(try #require(run("ffprobe", arguments))))
    return json as? [String: Any] ?? [:]
  }

  @Test func allTagsAreReadAlike() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed)
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(3, configuration)
    var tags = Tags()
    for (key, _) in Self.names { tags[key] = TagTests.value(for: key, &random) + (key == "title" ? "x" : "") }
    // FFmpeg leaves out empty texts.
    for key in tags.keys where tags[key] == "" { tags[key] = "text" }
    // It reads most numbers from one byte.
    for key in ["track", "disc", "season", "episode"] { tags[key] = "\(1 + random.below(99))" }
    tags["mediaKind"] = "audiobook"
    tags["rating"] = "clean"
    tags["MyKey"] = "mine"
    tags.artwork = [try Artwork(picture(.png)), try Artwork(picture(.jpeg))]
    let path = try Self.write(m4a(packets, configuration, options: .init(tags: tags)), "m4a")
    defer { removeFile(path) }
    let told = try Self.format(path)
    let values = (told["format"] as? [String: Any])?["tags"] as? [String: String] ?? [:]
    for (key, name) in Self.names {
      let expected = key == "mediaKind" || key == "rating" ? "2" : tags[key]
      #expect(values[name] == expected, "\(key), seed \(seed)")
    }
    #expect(values["MyKey"] == "mine")
    let streams = (told["streams"] as? [[String: Any]])?.compactMap { $0["codec_name"] as? String }
    #expect(streams == ["aac", "png", "mjpeg"])
  }

  static func chapters(_ path: String) throws -> [(start: Double, title: String)] {
    let arguments = ["-v", "error", "-show_chapters", "-of", "json", path]
    let json = try JSONSerialization.jsonObject(with: Data(try #require(run("ffprobe", arguments))))
    return ((json as? [String: Any])?["chapters"] as? [[String: Any]] ?? []).map {
      (
        Double($0["start_time"] as? String ?? "") ?? -1,
        ($0["tags"] as? [String: String])?["title"] ?? ""
      )
    }
  }

  /// Both forms together, and each alone.
  @Test(arguments: [0.0, 0.5], ["", "chpl", "chap"]) func chaptersAreReadAlike(first: Double, without: String)
    throws
  {
    let chapters = (0..<5).map { Chapter(start: first + Double($0) * 0.3, title: "Kapitel \($0) äöü") }
    var bytes = try ChapterTests.file(chapters).bytes
    if !without.isEmpty {
      bytes.replaceSubrange(try #require(bytes.firstRange(of: Array(without.utf8))), with: Array("free".utf8))
    }
    let path = try Self.write(bytes, "m4a")
    defer { removeFile(path) }
    let told = try Self.chapters(path)
    #expect(told.map(\.title) == chapters.map(\.title))
    for (one, other) in zip(told, chapters) { #expect(abs(one.start - other.start) < 0.001, "\(one)") }
  }

  @Test func itsChaptersAndTagsAreRead() throws {
    let notes = temporaryPath("txt")
    let path = temporaryPath("m4a")
    defer {
      removeFile(notes)
      removeFile(path)
    }
    let text =
      ";FFMETADATA1\ntitle=Tät\nsort_name=S\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=700\ntitle=One\n"
      + "[CHAPTER]\nTIMEBASE=1/1000\nSTART=700\nEND=1500\ntitle=Zwei ü\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: notes))
    _ = try #require(
      run(
        "ffmpeg",
        ["-v", "error", "-y", "-f", "lavfi", "-i", "sine=duration=1.5", "-i", notes, "-map_metadata", "1"]
          + ["-c:a", "aac", path]))
    let info = try MP4Reader(FileSource(path: path)).info
    #expect(info.chapters.map(\.title) == ["One", "Zwei ü"])
    #expect(abs((info.chapters.last?.start ?? 0) - 0.7) < 0.001)
    #expect(info.tags["title"] == "Tät")
  }

  @Test(arguments: [
    ChannelLayout.mono, .stereo, .surround51, .surround71, .surround71Front, .surround61, .quad,
  ])
  func adtsIsRead(layout: ChannelLayout) throws {
    let configuration = try TestStream.configuration(layout: layout)
    let packets = try TestStream.packets(20, configuration, sizes: 60...200)
    for checksums in [false, true] {
      let path = try Self.write(adts(packets, configuration, checksums: checksums), "aac")
      defer { removeFile(path) }
      #expect(try Self.decodedFrames(path, channels: layout.channelCount) == 20 * 1024, "\(checksums)")
    }
  }

  /// What FFmpeg writes: as many packets as it counts itself, and the length that went in.
  @Test func itsFilesAreRead() throws {
    let source = ["-f", "lavfi", "-i", "sine=frequency=440:duration=1.5:sample_rate=44100", "-c:a", "aac"]
    for (suffix, options) in [
      ("m4a", []), ("aac", []), ("m4a", ["-movflags", "+faststart"]), ("mov", []),
      ("mp4", ["-movflags", "frag_keyframe+empty_moov+delay_moov", "-frag_duration", "300000"]),
      ("mp4", ["-movflags", "frag_keyframe+empty_moov+default_base_moof", "-frag_duration", "300000"]),
      ("mp4", ["-movflags", "cmaf"]), ("mp4", ["-movflags", "dash", "-frag_duration", "200000"]),
    ] as [(String, [String])] {
      let path = temporaryPath(suffix)
      defer { removeFile(path) }
      _ = try #require(run("ffmpeg", ["-v", "error", "-y"] + source + options + [path]))
      let reader = try openPacketReader(FileSource(path: path))
      let packets = try reader.all()
      #expect(packets.count == 66, "\(suffix) \(options)")
      #expect(reader.warnings.count == 0)
      guard suffix != "aac" else { continue }
      // Without delay_moov it does not know the delay in time.
      let hasDelay = reader.info.container == .m4a || options.contains { $0.contains("delay_moov") }
      #expect(reader.info.priming == (hasDelay ? 1024 : 0), "\(suffix) \(options)")
      guard reader.info.container == .m4a else { continue }
      #expect(packets.reduce(0) { $0 + $1.validFrames } == 66150, "\(suffix) \(options)")
    }
  }
}
