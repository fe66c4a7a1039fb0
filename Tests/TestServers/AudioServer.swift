import Foundation
import Threads

#if canImport(Glibc)
  import Glibc
#endif

/// A sound server without hardware, started by the script that `Scripts/` has for it. Where it does not start, the
/// tests that need it fail.
public final class AudioServer: Sendable {
  public struct Failure: Error, CustomStringConvertible {
    public var description: String

    public init(description: String) { self.description = description }
  }

  public let directory: String
  /// What `PULSE_SERVER` is to say.
  public let address: String

  /// One server for all tests that leave it as it was; it ends with the process.
  public static let shared = Result { try AudioServer() }

  public init() throws {
    directory =
      FileManager.default.temporaryDirectory.appendingPathComponent(
        "aac-audio-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
      ).path
    address = "unix:\(directory)/native"
    try start()
  }

  deinit {
    try? stop()
    try? FileManager.default.removeItem(atPath: directory)
  }

  public func start() throws {
    let told = try run("/bin/bash", [Self.script, "start", directory, "\(getpid())"])
    guard told.trimmingCharacters(in: .whitespacesAndNewlines) == address else {
      throw Failure(description: "audio-server.sh said: \(told)")
    }
    AtExit.add(try pid, directory)
  }

  public func stop() throws { _ = try run("/bin/bash", [Self.script, "stop", directory]) }

  /// Ends the server as a crash would.
  public func kill() throws { Glibc.kill(try pid, SIGKILL) }

  private var pid: Int32 {
    get throws {
      let text = try String(contentsOfFile: directory + "/pid", encoding: .utf8)
      guard let pid = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)), pid > 1 else {
        throw Failure(description: "no process number: \(text)")
      }
      return pid
    }
  }

  /// What programs need to find it, and nothing of the user's own.
  public var environment: [String: String] {
    ["PULSE_SERVER": address, "HOME": directory, "PULSE_COOKIE": directory + "/state/cookie"]
  }

  /// Tells the server something; what it answers.
  @discardableResult
  public func pactl(_ arguments: String...) throws -> String {
    try run(
      "/usr/bin/env",
      ["PULSE_SERVER=\(address)", "HOME=\(directory)", "PULSE_COOKIE=\(directory)/state/cookie", "pactl"]
        + arguments
    )
    .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// What a program of the server's own hears of a device while `body` runs: the loudest frame.
  public func record(_ device: String, channels: Int, order: String, _ body: () throws -> Void) throws
    -> [Float]
  {
    let path = directory + "/heard"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "PULSE_SERVER=\(address)", "HOME=\(directory)", "PULSE_COOKIE=\(directory)/state/cookie", "parec",
      "-d", device, "--format=float32le", "--rate=48000", "--channels=\(channels)", "--channel-map=\(order)",
      "--latency-msec=20", "--raw", path,
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer { try? FileManager.default.removeItem(atPath: path) }
    for _ in 0..<100 where (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0 == 0
    {
      Thread.sleep(forTimeInterval: 0.02)
    }
    do {
      try body()
    } catch {
      Glibc.kill(process.processIdentifier, SIGKILL)
      throw error
    }
    Thread.sleep(forTimeInterval: 0.1)
    // It does not hear softer signals: threads that tests run on block them, and children take that over.
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    // unsafe: the file has whole samples of four bytes.
    let samples = unsafe data.withUnsafeBytes { bytes in unsafe Array(bytes.bindMemory(to: Float.self)) }
    var loudest: [Float] = []
    var most: Float = 0
    for start in stride(from: 0, through: samples.count - channels, by: channels) {
      let frame = Array(samples[start..<start + channels])
      let sum = frame.reduce(0, +)
      if sum > most { (loudest, most) = (frame, sum) }
    }
    return loudest
  }

  private static var script: String {
    URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Scripts/audio-server.sh").path
  }

  private func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
    guard process.terminationStatus == 0 else {
      throw Failure(description: "\(arguments.joined(separator: " ")): \(text)")
    }
    return text
  }
}

/// Servers that still run when the process ends are ended then.
private enum AtExit {
  private static let servers = Guarded<[(pid: Int32, directory: String)]>([])
  private static let isRegistered = Guarded(false)

  static func add(_ pid: Int32, _ directory: String) {
    servers.withLock { $0.append((pid, directory)) }
    isRegistered.withLock { done in
      if !done { atexit(endServers) }
      done = true
    }
  }

  static func end() {
    for server in servers.withLock({ $0 }) {
      let told = try? String(contentsOfFile: server.directory + "/pid", encoding: .utf8)
      guard told?.trimmingCharacters(in: .whitespacesAndNewlines) == "\(server.pid)" else { continue }
      Glibc.kill(server.pid, SIGTERM)
      // It writes to its folder until it has ended.
      for _ in 0..<100 where Glibc.kill(server.pid, 0) == 0 { usleep(10_000) }
      try? FileManager.default.removeItem(atPath: server.directory)
    }
  }
}

private func endServers() { AtExit.end() }
