import AAC
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

  // B031
  /// FFmpeg 5 takes off the priming and leaves the padding; later ones take off both.
  @Test(arguments: [(0, 0), (1024, 100), (2112, 1000)])
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
