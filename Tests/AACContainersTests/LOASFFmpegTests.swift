import AAC
import Foundation
import PCM
import Testing

@testable import AACContainers

/// LOAS and transport streams against FFmpeg, both ways; left out where it is not installed.
@Suite(.enabled(if: run("ffmpeg", ["-version"]) != nil)) struct LOASFFmpegTests {
  static func decode(_ path: String, _ options: [String] = []) throws -> [UInt8] {
    try #require(
      run("ffmpeg", ["-v", "error"] + options + ["-i", path, "-map", "0:a:0", "-f", "s16le", "-"]))
  }

  static let source = ["-f", "lavfi", "-i", "sine=frequency=440:duration=3:sample_rate=44100", "-ac", "2"]

  /// What it decodes from our LOAS is what it decodes from its own ADTS, sample by sample.
  @Test func ourStreamsAreDecoded() throws {
    let path = temporaryPath("aac")
    defer { removeFile(path) }
    _ = try #require(run("ffmpeg", ["-v", "error", "-y"] + Self.source + ["-c:a", "aac", path]))
    let reader = try openPacketReader(FileSource(path: path))
    let packets = try reader.all()
    let expected = try Self.decode(path)
    #expect(expected.count == packets.count * 4096)
    for (version, count) in [(0, 1), (1, 1), (0, 4), (1, 3)] {
      var options = LOASWriter.Options()
      options.version = version
      options.unitsPerElement = count
      // It decodes the first payload of an element only.
      let used = count == 1 ? packets : Array(packets.prefix(1))
      let made = try FFmpegTests.write(loas(used, reader.info.configuration, options: options), "loas")
      defer { removeFile(made) }
      let decoded = try Self.decode(made, ["-f", "loas"])
      #expect(decoded == (count == 1 ? expected : Array(expected.prefix(4096))), "\(version) \(count)")
    }
  }

  @Test func itsStreamsAreRead() throws {
    let path = temporaryPath("aac")
    defer { removeFile(path) }
    _ = try #require(run("ffmpeg", ["-v", "error", "-y"] + Self.source + ["-c:a", "aac", path]))
    let units = try openPacketReader(FileSource(path: path)).all().map(\.data)
    for (suffix, options, format) in [
      ("ts", [], .ts), ("ts", ["-mpegts_flags", "latm"], .ts), ("m2ts", ["-mpegts_m2ts_mode", "1"], .ts),
      ("loas", ["-f", "latm"], .loas), ("loas", ["-f", "latm", "-smc-interval", "3"], .loas),
      ("flv", [], .flv),
    ] as [(String, [String], ContainerFormat)] {
      let made = temporaryPath(suffix)
      defer { removeFile(made) }
      _ = try #require(run("ffmpeg", ["-v", "error", "-y", "-i", path, "-c:a", "copy"] + options + [made]))
      let reader = try openPacketReader(FileSource(path: made))
      #expect(reader.info.container == format)
      #expect(try reader.all().map(\.data) == units, "\(suffix) \(options)")
      #expect(reader.warnings.items == [], "\(suffix) \(options)")
    }
  }
}

/// The LOAS streams and transport streams of the large set.
@Suite(.enabled(if: sharedFolder != nil)) struct LOASVectorTests {
  static func path(_ name: String) throws -> String {
    let path = try #require(sharedFolder).appendingPathComponent("vectors/containers/\(name)").path
    try #require(FileManager.default.fileExists(atPath: path), "\(name) is missing")
    return path
  }

  /// As many samples as FFmpeg decodes.
  @Test(arguments: [
    "loasLatm_CBR88_8s.aac", "latm_000000001180bc60.mpg", "sample_latm.ts", "sd-hls0000000000.ts",
    "segment000001.ts", "sinesweeptsaac.m4a",
  ])
  func asManySamples(name: String) throws {
    let path = try Self.path(name)
    let reader = try openPacketReader(FileSource(path: path))
    let packets = try reader.all()
    let frames = packets.reduce(0) { $0 + $1.duration }
    let arguments = ["-v", "quiet", "-i", path, "-map", "0:a:0", "-ac", "1", "-f", "s16le", "-"]
    guard let decoded = run("ffmpeg", arguments)?.count else { return }
    // FFmpeg's are behind spectral band replication, which one of the streams does not announce.
    let isUnannounced = name == "latm_000000001180bc60.mpg"
    #expect(decoded / 2 == (isUnannounced ? 2 : 1) * frames)
    #expect(reader.warnings.items.map(\.kind) == (isUnannounced ? [.cutOff] : []))
  }

  /// The same stream with sync words, with configurations only, and with nothing.
  @Test func bareElements() throws {
    let told = try openPacketReader(FileSource(path: Self.path("latmMcp1_CBR88_8s.aac")))
    #expect(try told.all().count == 332)
    #expect(told.warnings.items == [])
    let path = try Self.path("latmMcp0_CBR88_8s.aac")
    let error = containerError { _ = try openPacketReader(FileSource(path: path)) }
    #expect(error?.description.contains("unknown kind") == true)
    let untold = try LATMReader(
      FileSource(path: path), muxConfig: StreamMuxConfig(told.info.configuration))
    let packets = try untold.all()
    #expect(packets.count == 332)
    var scanner = try AccessUnitScanner(told.info.configuration)
    for packet in packets {
      try scanner.scan(packet.data, range: 0..<packet.data.count)
      #expect(scanner.layout.byteCount == packet.data.count)
    }
  }

  /// LOAS to M4A and back keeps every access unit and the configuration.
  @Test(arguments: [
    "loasLatm_CBR88_8s.aac", "latm_000000001180bc60.mpg", "sample_latm.ts", "latmMcp1_CBR88_8s.aac",
  ])
  func throughM4A(name: String) throws {
    let reader = try openPacketReader(FileSource(path: Self.path(name)))
    let packets = try reader.all()
    var options = M4AWriter.Options()
    options.configurationBytes = reader.info.configurationBytes
    let movie = try MP4Reader(
      MemorySource(m4a(packets, reader.info.configuration, options: options)))
    #expect(movie.info.configuration == reader.info.configuration)
    let copied = try movie.all()
    var loasOptions = LOASWriter.Options()
    loasOptions.configurationBytes = movie.info.configurationBytes
    let again = try LOASReader(
      MemorySource(loas(copied, movie.info.configuration, options: loasOptions)))
    #expect(try again.all().map(\.data) == packets.map(\.data))
    #expect(again.info.configurationBytes == reader.info.configurationBytes)
  }
}
