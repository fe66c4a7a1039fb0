import AACContainers
import AACKit
import AudioFiles
import PCM

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where a container goes: a file that appears when it is whole, or standard output.
struct Destination {
  let sink: any ByteSink
  let sidecar: FileSink?
  private let files: OutputFiles?

  /// - Parameter finishes: a pipe is written to the end even where the work is cancelled.
  /// - Throws: `AACKitError` (exists, is the input, …), `UsageError` for a terminal.
  init(
    _ path: String, _ container: ContainerFormat, inputs: [String], finishes: Bool = false,
    _ arguments: ParsedArguments, _ console: Console
  ) throws {
    if path == "-" {
      try console.refuseTerminal()
      if container == .raw {
        throw UsageError("raw access units need a file name: their description lies beside")
      }
      files = nil
      sidecar = nil
      sink = CancellableSink(
        descriptor: console.output, cancellation: finishes ? nil : console.cancellation)
    } else {
      let files = try OutputFiles(
        path, container, replacing: arguments.has(SharedOptions.overwrite),
        inputs: inputs.filter { $0 != "-" })
      self.files = files

      sink = files.sink
      sidecar = files.sidecar
    }
  }

  /// Writes what is still held back and gives the file its name.
  func commit() throws(AACKitError) { try files?.commit() }
}

/// Where PCM goes.
struct PCMDestination {
  private let path: String
  private let file: AtomicFile?
  private let console: Console

  /// - Throws: as `Destination`.
  init(_ path: String, inputs: [String], _ arguments: ParsedArguments, _ console: Console) throws {
    self.path = path
    self.console = console
    if path == "-" {
      try console.refuseTerminal()
      file = nil
    } else {
      file = try AtomicFile(
        path, replacing: arguments.has(SharedOptions.overwrite), inputs: inputs.filter { $0 != "-" })
    }
  }

  func openWriter(
    _ kind: PCMOutput, _ format: PCMFormat, expectedFrames: Int64?
  ) throws(AACKitError) -> any AudioWriter {
    do throws(AudioFileError) {
      switch (kind.type, file) {
      case (.file(let type), let file?):
        return try AudioFileWriter(
          path: file.writingPath, named: path, type, format, kind.encoding, dither: kind.dither,
          expectedFrames: expectedFrames)
      case (.file(let type), nil):
        return try AudioFileWriter(
          descriptor: dup(console.output), type, format, kind.encoding, dither: kind.dither,
          expectedFrames: expectedFrames,
          cancellation: console.cancellation)
      case (.raw(let sample), let file?):
        return RawPCMWriter(
          try ByteOutput(path: file.writingPath), sample, format, dither: kind.dither, path: path)
      case (.raw(let sample), nil):
        return RawPCMWriter(
          ByteOutput(descriptor: console.output, cancellation: console.cancellation), sample, format,
          dither: kind.dither)
      }
    } catch { throw AACKitError(.audioFile(AudioFileError(error.reason)), path: path) }
  }

  /// Gives the file its name.
  func commit() throws(AACKitError) { try file?.commit() }
}

extension Console {
  func refuseTerminal() throws(UsageError) {
    if isatty(output) == 1 {
      throw UsageError("OUT is a terminal, which cannot show sound: name a file or a pipe")
    }
  }
}

enum Outputs {
  static func name(_ path: String) -> String { path == "-" ? "standard output" : path }
}

/// In which form decoded sound is written.
struct PCMOutput: Equatable {
  enum Kind: Equatable {
    case file(AudioFileType)
    case raw(SampleFormat)
  }

  var type: Kind
  var encoding: SampleEncoding = .int16
  var dither = false
}
