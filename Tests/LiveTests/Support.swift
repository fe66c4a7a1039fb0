import AACKit
import AudioDevices
import Foundation
import PCM
import TestServers
import Testing

/// Everything here uses the sound server and the clock: one test at a time.
@Suite("Live", .serialized) struct LiveTests {}

/// A folder of its own that is gone with the test.
final class Folder: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "aac-live-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

/// The command in a process of its own, as it was built for release: in debug it is slower than real time.
final class AACProcess {
  static let program: String = {
    let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return ProcessInfo.processInfo.environment["AAC"] ?? root.appending(path: ".build/release/aac").path
  }()

  let process = Process()
  private let errorPath: String
  private let outputPath: String
  /// Held so that the files are there as long as this.
  private let folder: Folder

  /// - Parameter shell: a script around the command, which it has as `"$@"`.
  init(_ arguments: [String], _ server: AudioServer?, _ folder: Folder, shell: String? = nil) throws {
    guard FileManager.default.isExecutableFile(atPath: Self.program) else {
      throw AudioServer.Failure(description: "there is no \(Self.program): run make build")
    }
    self.folder = folder
    let number = UInt32.random(in: 0...UInt32.max)
    errorPath = folder.file(".errors-\(number)")
    outputPath = folder.file(".output-\(number)")
    for path in [errorPath, outputPath] { try Data().write(to: URL(filePath: path)) }
    process.executableURL = URL(filePath: shell == nil ? Self.program : "/bin/sh")
    process.arguments = (shell.map { ["-c", $0, "sh", Self.program] } ?? []) + arguments
    var environment = ProcessInfo.processInfo.environment
    for (key, value) in server?.environment ?? ["PULSE_SERVER": "unix:/nowhere/native"] {
      environment[key] = value
    }
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    // Files and no pipes: nobody has to empty them.
    process.standardError = FileHandle(forWritingAtPath: errorPath)
    process.standardOutput = FileHandle(forWritingAtPath: outputPath)
    try process.run()
  }

  var errors: String { (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "" }
  var output: [UInt8] { (try? Data(contentsOf: URL(filePath: outputPath))).map { [UInt8]($0) } ?? [] }

  /// JSON objects on standard error so far.
  var events: [[String: Any]] {
    errors.split(separator: "\n").compactMap {
      try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
  }

  func events(_ name: String) -> [[String: Any]] { events.filter { $0["event"] as? String == name } }

  /// Waits until an event has come; whether it has.
  func wait(for name: String, seconds: Double = 10) -> Bool {
    let end = MonotonicTime.now.advanced(bySeconds: seconds)
    while MonotonicTime.now < end {
      if !events(name).isEmpty { return true }
      if !process.isRunning { return !events(name).isEmpty }
      usleep(5000)
    }
    return false
  }

  /// Waits until standard error has a text; whether it has.
  func wait(forText text: String, seconds: Double = 10) -> Bool {
    let end = MonotonicTime.now.advanced(bySeconds: seconds)
    while MonotonicTime.now < end {
      if errors.contains(text) { return true }
      if !process.isRunning { return errors.contains(text) }
      usleep(5000)
    }
    return false
  }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// Waits for the end: the exit status, or the negative number of the signal; -1000 where it does not end.
  func end(seconds: Double = 60) -> Int32 {
    let end = MonotonicTime.now.advanced(bySeconds: seconds)
    while process.isRunning, MonotonicTime.now < end { usleep(10_000) }
    if process.isRunning {
      signal(SIGKILL)
      return -1000
    }
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }
}

extension AACProcess {
  struct Result {
    var status: Int32
    var output: [UInt8]
    var errors: String
    var events: [[String: Any]]
  }

  /// What came of it, once it has ended.
  func result(seconds: Double = 60) -> Result {
    let status = end(seconds: seconds)
    return Result(status: status, output: output, errors: errors, events: events)
  }
}

/// Runs the command to its end.
func aac(_ folder: Folder, _ server: AudioServer? = nil, _ arguments: String...) throws -> (
  status: Int32, output: [UInt8], errors: String
) {
  let process = try AACProcess(arguments, server, folder)
  let status = process.end()
  return (status, process.output, process.errors)
}

/// The sound of a file as the command decodes it.
func decode(_ path: String, _ folder: Folder) throws -> [[Float]] {
  let info = try aac(folder, nil, "info", "--json", path)
  let told = try JSONSerialization.jsonObject(with: Data(info.output)) as? [String: Any]
  let channels = try #require(told?["channels"] as? Int, "\(info.errors)")
  let decoded = try aac(folder, nil, "decode", "-q", "-f", "f32le", path, "-")
  #expect(decoded.status == 0, "\(decoded.errors)")
  // unsafe: the output is whole samples of four bytes.
  let samples = unsafe decoded.output.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
  return (0..<channels).map { channel in
    stride(from: channel, to: samples.count, by: channels).map { samples[$0] }
  }
}

/// What FFmpeg makes of a file: seconds of sound, and what it complains about.
func ffmpeg(_ path: String, _ folder: Folder) throws -> (seconds: Double, errors: String) {
  let process = Process()
  let output = folder.file(".ffmpeg-\(UInt32.random(in: 0...UInt32.max))")
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = [
    "ffmpeg", "-v", "error", "-nostdin", "-i", path, "-f", "s16le", "-ac", "1", "-ar", "48000", "-y", output,
  ]
  let errors = folder.file(".ffmpeg-errors")
  try Data().write(to: URL(filePath: errors))
  process.standardError = FileHandle(forWritingAtPath: errors)
  try process.run()
  process.waitUntilExit()
  let bytes = try? FileManager.default.attributesOfItem(atPath: output)[.size] as? Int
  try? FileManager.default.removeItem(atPath: output)
  return (Double(bytes ?? 0) / 96000, try String(contentsOfFile: errors, encoding: .utf8))
}

/// Plays a tone of 997 Hz to an output until it is stopped.
final class Loudspeaker: Sendable {
  private let stream: PlayoutStream
  private let thread: WorkerThread?

  init(_ server: AudioServer, _ device: String?, amplitude: Double = 0.5) throws {
    let backend = try PulseBackend(server: server.address)
    let stream = try backend.openPlayout(
      StreamRequest(device: device, latency: .milliseconds(200), onUnplug: .moveToDefault))
    self.stream = stream
    // A second has whole turns of it.
    let rate = stream.format.sampleRate
    var second = PCMBuffer(format: stream.format, frameCount: rate)
    for frame in 0..<rate {
      let value = Float(amplitude * sin(2 * .pi * 997 * Double(frame) / Double(rate)))
      for channel in 0..<stream.format.channelCount { second.channels[channel][frame] = value }
    }
    try stream.start()
    let turns = second
    thread = WorkerThread {
      var done = 0
      while stream.end == nil {
        done += stream.write(turns, from: done)
        if done == rate { done = 0 }
        _ = stream.wait(forRoom: 4096, timeout: .milliseconds(50))
        while stream.nextEvent() != nil {}
      }
    }
    // What is heard is the tone, and not its beginning.
    Thread.sleep(forTimeInterval: 0.7)
  }

  func stop() {
    stream.stop()
    thread?.join()
  }

  deinit { stop() }
}

/// How a tone differs from one that goes on without a fault.
struct ToneCheck: CustomStringConvertible {
  var frequency = 0.0
  /// dB of full scale, of the sine's amplitude.
  var level = -Double.infinity
  /// Largest deviation of a window's phase from that of the whole, in radians, and of its level, in dB.
  var phase = Double.infinity
  var levelChange = Double.infinity

  /// - Parameter samples: from 50 ms to 50 ms before the end it is looked at, in windows of 50 ms.
  init(_ samples: [Float], rate: Int) {
    let margin = rate / 20
    guard samples.count > 6 * margin else { return }
    let inner = Array(samples[margin..<samples.count - margin])
    let whole = fit(inner, rate: Double(rate), near: 997)
    frequency = whole.frequency
    level = 20 * log10(whole.amplitude)
    (phase, levelChange) = (0, 0)
    var first: Double?
    for start in stride(from: 0, through: inner.count - margin, by: margin / 2) {
      var (cosine, sine) = (0.0, 0.0)
      for index in start..<start + margin {
        let angle = 2 * .pi * whole.frequency * Double(index) / Double(rate)
        let window = 1 - cos(2 * .pi * (Double(index - start) + 0.5) / Double(margin))
        cosine += Double(inner[index]) * cos(angle) * window
        sine += Double(inner[index]) * sin(angle) * window
      }
      let angle = atan2(sine, cosine)
      let amplitude = 2 * (cosine * cosine + sine * sine).squareRoot() / Double(margin)
      var turn = angle - (first ?? angle)
      turn -= 2 * .pi * (turn / (2 * .pi)).rounded()
      first = first ?? angle
      phase = max(phase, abs(turn))
      levelChange = max(levelChange, abs(20 * log10(amplitude / whole.amplitude)))
    }
  }

  var description: String {
    "\(frequency) Hz, \(level) dB, phase off by \(phase), level by \(levelChange) dB at most"
  }
}
