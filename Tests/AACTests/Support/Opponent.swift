import Foundation

/// The folder with the large test sets; `nil` where it is not there.
let sharedFolder: URL? = {
  if let path = ProcessInfo.processInfo.environment["AAC_SHARED"], !path.isEmpty {
    return URL(fileURLWithPath: path)
  }
  let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  let beside = package.deletingLastPathComponent().appendingPathComponent("shared")
  return FileManager.default.fileExists(atPath: beside.path) ? beside : nil
}()

/// FFmpeg, as the decoder to compare with.
enum Opponent {
  static let path: String? = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/ffmpeg" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// All samples of the first audio track, interleaved, from the first access unit on.
  static func decode(_ file: URL) -> [Float]? {
    guard let path else { return nil }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    var arguments = ["-v", "error", "-flags2", "+skip_manual"]
    if ["mp4", "m4a", "mov"].contains(file.pathExtension) { arguments += ["-ignore_editlist", "1"] }
    process.arguments = arguments + ["-i", file.path, "-map", "0:a:0", "-f", "f32le", "-"]
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return nil }
    var samples = [Float](repeating: 0, count: data.count / 4)
    // The bytes of a little-endian machine's floats, as they are.
    _ = unsafe samples.withUnsafeMutableBytes { unsafe data.copyBytes(to: $0) }
    return samples
  }
}
