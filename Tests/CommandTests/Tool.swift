import Foundation

/// Other people's programs, where they are installed.
enum Tool {
  /// Runs a program and gives its standard output; `nil` where it is not installed or fails.
  static func run(_ program: String, _ arguments: [String]) -> [UInt8]? {
    let folders = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
    guard
      let path = folders.map({ "\($0)/\(program)" }).first(where: FileManager.default.isExecutableFile)
    else { return nil }
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? [UInt8](data) : nil
  }

  /// The first number of FFmpeg's version; `nil` where it is not installed or is no numbered release.
  static let ffmpegVersion: Int? = run("ffmpeg", ["-version"]).flatMap { text in
    let word = String(decoding: text.prefix(100), as: UTF8.self).split(separator: " ").dropFirst(2).first
    return word.flatMap { Int($0.prefix { $0.isNumber }) }
  }
}
