import AAC
import AACContainers
import AudioFiles
import Foundation
import PCM

@testable import AACCommand

/// What a command did.
struct Outcome: Equatable {
  var status: Int32
  var data: [UInt8]
  var errors: String

  var text: String { String(decoding: data, as: UTF8.self) }

  /// Standard output as JSON.
  func json() throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Data(data)) as? [String: Any] ?? [:]
  }
}

/// Runs a command line, with pipes for standard input, output and error.
func aac(_ arguments: String..., input: [UInt8] = [], cancellation: Cancellation = Cancellation()) -> Outcome
{
  aac(arguments, input: input, cancellation: cancellation)
}

func aac(
  _ arguments: [String], input: [UInt8] = [], cancellation: Cancellation = Cancellation()
) -> Outcome {
  signal(SIGPIPE, SIG_IGN)
  let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
  Thread.detachNewThread { [handle = stdin.fileHandleForWriting] in
    try? handle.write(contentsOf: Data(input))
    try? handle.close()
  }
  let output = Collector(stdout.fileHandleForReading)
  let errors = Collector(stderr.fileHandleForReading)
  let console = Console(
    input: stdin.fileHandleForReading.fileDescriptor, output: stdout.fileHandleForWriting.fileDescriptor,
    errors: stderr.fileHandleForWriting.fileDescriptor, cancellation: cancellation)
  let status = run(arguments, console)
  try? stdout.fileHandleForWriting.close()
  try? stderr.fileHandleForWriting.close()
  return Outcome(
    status: status, data: [UInt8](output.wait()), errors: String(decoding: errors.wait(), as: UTF8.self))
}

/// Reads a pipe to its end on a thread of its own.
private final class Collector: @unchecked Sendable {
  private var data = Data()
  private let done = DispatchSemaphore(value: 0)

  init(_ handle: FileHandle) {
    Thread.detachNewThread { [self] in
      data = handle.readDataToEndOfFile()
      done.signal()
    }
  }

  func wait() -> Data {
    done.wait()
    return data
  }
}

/// A folder of its own that is gone with the test.
final class Folder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "aac-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: file(name)))
  }

  func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: file(name)))) }

  /// Everything in it, hidden files too.
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  /// A WAV file of tones.
  @discardableResult
  func tone(
    _ name: String, frames: Int, layout: ChannelLayout = .stereo, rate: Int = 44100, level: Float = 0.4
  ) throws -> String {
    let sound = tones(frames: frames, layout: layout, rate: rate, level: level)
    let type = AudioFileType(path: name) ?? .wav
    let writer = try AudioFileWriter(path: file(name), type, sound.format)
    try writer.write(sound)
    try writer.close()
    return file(name)
  }

  /// An AAC file of silence: `frames` frames after trimming.
  @discardableResult
  func silence(
    _ name: String, frames: Int, layout: ChannelLayout = .stereo, rate: Int = 44100, tags: Tags = Tags()
  ) throws -> String {
    let configuration = try AudioSpecificConfig(samplingRate: try SamplingRate(rate), layout: layout)
    let sink = try FileSink(path: file(name), replacing: true)
    let writer: any PacketWriter =
      name.hasSuffix(".aac")
      ? try ADTSWriter(sink, configuration: configuration)
      : try M4AWriter(sink, configuration: configuration, options: .init(tags: tags))
    let data = SilentPacket.data(for: configuration) ?? []
    let count = (1024 + frames + 1023) / 1024
    for index in 0..<count {
      try writer.write(
        Packet(
          data: data, presentationTime: Int64(index - 1) * 1024, duration: 1024,
          priming: index == 0 ? 1024 : 0, padding: index == count - 1 ? (count - 1) * 1024 - frames : 0))
    }
    try writer.finish()
    try sink.close()
    return file(name)
  }
}

/// A rising tone of its own in each channel.
func tones(frames: Int, layout: ChannelLayout, rate: Int, level: Float = 0.4) -> PCMBuffer {
  let channels = layout.speakers.indices.map { channel in
    (0..<frames).map { frame in
      let time = Double(frame) / Double(rate)
      return level * Float(sin(2 * .pi * (Double(220 * (channel + 1)) + 300 * time) * time))
    }
  }
  return PCMBuffer(format: PCMFormat(sampleRate: rate, layout: layout), channels: channels)
}

/// The program that was built along with the tests, as a process of its own.
enum Program {
  /// Starts it without input; what it says is lost unless `errors` takes it.
  static func start(_ arguments: [String], errors: Any? = nil) throws -> Process {
    let folder = URL(filePath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
    let process = Process()
    process.executableURL = folder.appending(path: "aac")
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors ?? FileHandle.nullDevice
    try process.run()
    return process
  }
}
