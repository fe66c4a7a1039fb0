import Foundation

func temporaryPath(_ suffix: String) -> String {
  FileManager.default.temporaryDirectory.appendingPathComponent("aac-\(UUID().uuidString).\(suffix)").path
}

func removeFile(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

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

/// Runs a program and gives its standard output; `nil` where it is not installed or fails.
func run(_ program: String, _ arguments: [String]) -> [UInt8]? {
  let folders = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
  guard
    let path = folders.map({ "\($0)/\(program)" }).first(where: FileManager.default.isExecutableFile)
  else { return nil }
  let process = Process()
  process.executableURL = URL(fileURLWithPath: path)
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
