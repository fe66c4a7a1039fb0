import AACContainers
import AACKit
import AudioFiles
import PCM

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Opens what a command reads.
enum Inputs {
  /// The bytes of an AAC file or of standard input.
  static func openSource(_ path: String, _ console: Console) throws(AACKitError) -> any ByteSource {
    guard path == "-" else { return try openByteSource(path) }
    let file = FileSource(descriptor: console.input)
    return file.isSeekable
      ? file : CancellableSource(descriptor: console.input, cancellation: console.cancellation)
  }

  /// The sound of an AAC file or of standard input.
  static func openAAC(
    _ path: String, _ options: AACReader.Options, _ console: Console
  ) throws(AACKitError) -> AACReader {
    try AACReader(
      try openSource(path, console), path: name(path), options: options, cancellation: console.cancellation)
  }

  /// The sound of any file or of standard input, AAC or PCM.
  static func openAudio(
    _ path: String, track: Int? = nil, _ console: Console
  ) throws(AACKitError) -> any AudioReader {
    var options = AACReader.Options()
    options.track = track
    guard path == "-" else {
      return try AudioFile.open(path, options: options, cancellation: console.cancellation)
    }
    return try AudioFile.open(
      descriptor: console.input, name: name(path), options: options, cancellation: console.cancellation)
  }

  /// Samples without a header.
  static func openRaw(
    _ path: String, _ raw: RawInput, _ console: Console
  ) throws(AACKitError) -> any AudioReader {
    let format = PCMFormat(sampleRate: raw.sampleRate, layout: raw.layout)
    if path == "-" {
      let input = ByteInput(descriptor: console.input, cancellation: console.cancellation)
      return RawPCMReader(input, raw.sample, format, path: name(path))
    }
    do {
      return try RawPCMReader(path: path, raw.sample, format, cancellation: console.cancellation)
    } catch { throw AACKitError(.audioFile(error)) }
  }

  static func name(_ path: String) -> String { path == "-" ? "standard input" : path }
}

/// What `--raw-input` says: `s16le,44100,2`.
struct RawInput: Equatable {
  var sample: SampleFormat
  var sampleRate: Int
  var layout: ChannelLayout

  init(_ text: String, option: String) throws(UsageError) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3 else {
      throw .value(option, text, "give FORMAT,RATE,CHANNELS, as s16le,44100,2")
    }
    guard let sample = SampleFormat(rawValue: parts[0]) else {
      throw .value(option, text, "the format is one of \(SampleFormat.names)")
    }
    guard let sampleRate = Int(parts[1]), (1...0xFF_FFFF).contains(sampleRate) else {
      throw .value(option, text, "the rate is a whole number in Hz")
    }
    guard let count = Int(parts[2]), (1...64).contains(count) else {
      throw .value(option, text, "the channels are a whole number from 1 to 64")
    }
    self.sample = sample
    self.sampleRate = sampleRate
    layout = .standard(channelCount: count) ?? .discrete(count)
  }
}
