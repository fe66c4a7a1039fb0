import AAC
import PCM
import Testing

@testable import AACContainers

/// What FFmpeg makes of the files written here; left out where it is not installed.
@Suite(.enabled(if: run("ffmpeg", ["-version"]) != nil)) struct FFmpegTests {
  /// Frames that FFmpeg decodes from a file.
  static func decodedFrames(_ path: String, channels: Int) throws -> Int {
    let arguments = ["-v", "error", "-i", path, "-f", "s16le", "-"]
    return try #require(run("ffmpeg", arguments)).count / 2 / channels
  }

  static func write(_ bytes: [UInt8], _ suffix: String) throws -> String {
    let path = temporaryPath(suffix)
    let sink = try FileSink(path: path)
    try sink.append(bytes)
    try sink.close()
    return path
  }

  @Test(arguments: [0, 1024, 2112], [0, 100, 1000])
  func m4aLength(priming: Int, padding: Int) throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(50, configuration, priming: priming, padding: padding)
    let path = try Self.write(m4a(packets, configuration), "m4a")
    defer { removeFile(path) }
    let frames = try Self.decodedFrames(path, channels: 2)
    print("FF m4a", priming, padding, "->", frames, "want", 50 * 1024 - priming - padding)
  }

  @Test(arguments: [0, 1024, 2112], [0, 100, 1000, 1500])
  func fragmentedLength(priming: Int, padding: Int) throws {
    let configuration = try TestStream.configuration()
    let packets = try TestStream.packets(100, configuration, priming: priming, padding: padding)
    let path = try Self.write(fragmented(packets, configuration), "mp4")
    defer { removeFile(path) }
    let frames = try Self.decodedFrames(path, channels: 2)
    print("FF fmp4", priming, padding, "->", frames, "want", 100 * 1024 - priming - padding)
    let reader = try MP4Reader(FileSource(path: path))
    #expect(try reader.all() == packets)
  }
}
