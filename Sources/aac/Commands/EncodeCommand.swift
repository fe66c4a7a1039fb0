import AAC
import AACContainers
import AACKit
import AudioFiles
import PCM

private enum Options {
  static let rawInput = CommandOption(
    "--raw-input", takes: "FORMAT,RATE,CHANNELS",
    help: "IN has samples and no header, as s16le,44100,2. Formats: \(SampleFormat.names)")
  static let jobs = CommandOption(
    "-j", "--jobs", takes: "N", help: "with several inputs: encode N of them at a time")
}

extension Command {
  static let encode = Command(
    name: "encode", summary: "encode PCM to AAC", operands: "IN OUT, or IN… FOLDER",
    details: """
      IN is a WAV, AIFF, FLAC, CAF, W64 or RF64 file (or any other that libsndfile reads), a pipe of one
      (-), samples without a header (--raw-input), or an AAC file to encode anew. OUT's extension tells the
      container: .m4a .mp4 .m4b, .aac (ADTS), .adif, .loas .latm, .raw. MP4 to a pipe is fragmented.
      Without -b, --abr or -V the bit rate is constant: 64k a channel at 44.1 and 48 kHz (128k for stereo),
      less at lower and more at higher rates. The sampling rate stays unless --rate changes it.
      Interrupted while IN is a pipe, what has come is finished and kept, unless OUT existed before.
      """,
    options: EncodingOptions.all + [
      ContainerOptions.checksum, Options.rawInput, MetadataOptions.tag, MetadataOptions.cover,
      MetadataOptions.chapters, Options.jobs,
      ContainerOptions.format, SharedOptions.overwrite, SharedOptions.quiet, SharedOptions.progress,
    ],
    run: runEncode)
}

/// One file to encode.
struct EncodeJob: Sendable {
  var input: String
  var output: String
  var options: EncodeOptions
  var raw: RawInput?
  var progress: ProgressReport.Mode
}

private func runEncode(_ arguments: ParsedArguments, _ console: Console) throws -> Int32 {
  var options = try EncodingOptions.options(arguments)
  options.output.chapters = try MetadataOptions.chapters(arguments) ?? []
  var raw: RawInput?
  if let text = arguments.string(Options.rawInput) {
    raw = try RawInput(text, option: Options.rawInput.name)
  }
  let jobs = try arguments.integer(Options.jobs, in: 1...256) ?? 1
  let mode = try ProgressReport.mode(arguments, console)
  let operands = arguments.operands
  if operands.count > 2 || operands.last.map({ $0.hasSuffix("/") || Files.isFolder($0) }) == true {
    return try EncodeBatch(operands, options, raw, arguments, console).run(jobs: jobs)
  }
  let paths = try arguments.operands("IN", "OUT")
  var job = EncodeJob(input: paths[0], output: paths[1], options: options, raw: raw, progress: mode)
  job.options.output.container = try ContainerOptions.container(arguments, output: job.output)
  try ContainerOptions.check(job.options.output, arguments, console)
  return try encodeFile(job, arguments, console)
}

/// Encodes one file and tells what came of it.
func encodeFile(_ job: EncodeJob, _ arguments: ParsedArguments, _ console: Console) throws -> Int32 {
  let existed = job.output != "-" && Files.exists(job.output)
  // Checked before the input is opened: a pipe should not be waited for in vain.
  let container = job.options.output.container
  let destination = try Destination(
    job.output, container, inputs: [job.input], finishes: true, arguments, console)
  let reader: any AudioReader
  if let raw = job.raw {
    reader = try Inputs.openRaw(job.input, raw, console)
  } else {
    reader = try Inputs.openAudio(job.input, console)
  }
  var options = job.options
  options.endsWhenCancelled = (job.input == "-" && !existed) || job.output == "-"
  let report = ProgressReport(job.progress, console, label: Inputs.name(job.input))
  let summary: EncodeSummary
  do {
    summary = try Transcoder.encode(
      reader, to: destination.sink, sidecar: destination.sidecar, options,
      cancellation: console.cancellation, progress: report.update)
    try destination.commit()
  } catch {
    report.clear()
    throw AACKitError.naming(error, input: job.input, output: job.output)
  }
  let progress = Progress(
    frames: summary.frames, total: summary.frames, sampleRate: summary.settings.sampleRate)
  report.finish(progress, extra: summary.json)
  if !arguments.has(SharedOptions.quiet) {
    for warning in reader.warnings { console.say("aac: \(Inputs.name(job.input)): \(warning)") }
    MetadataOptions.check(
      options.output.chapters, duration: summary.duration, Outputs.name(job.output), console)
    console.say("\(Outputs.name(job.output)): " + summary.line(elapsed: report.elapsed))
  }
  return summary.wasCancelled ? ExitStatus.interrupted : ExitStatus.done
}

extension AACKitError {
  /// Puts the file to an error that does not name one: writing errors belong to the output.
  static func naming(_ error: AACKitError, input: String, output: String) -> AACKitError {
    guard error.path == nil else { return error }
    var error = error
    switch error.reason {
    case .container: error.path = Outputs.name(output)
    case .codec, .noSamples, .unsupported, .incomparable: error.path = Inputs.name(input)
    default: break
    }
    return error
  }
}

extension EncodeSummary {
  /// For people.
  fileprivate func line(elapsed: Double) -> String {
    let asked =
      switch settings.rate {
      case .constant(let rate): "constant, asked \(Numbers.bitRate(Double(rate)))"
      case .average(let rate): "average, asked \(Numbers.bitRate(Double(rate)))"
      case .quality(let level): "quality \(level)"
      }
    let speed = elapsed > 0 ? "  \(Numbers.fixed(duration / elapsed, 1))x" : ""
    return "\(Numbers.time(duration))  LC \(settings.sampleRate) Hz \(settings.layout.name)"
      + "  \(Numbers.bitRate(bitRate)) (\(asked))  up to \(effective.bandwidth) Hz\(speed)"
  }

  fileprivate var json: [(key: String, value: JSON)] {
    [
      (key: "samples", value: .integer(frames)), (key: "frames", value: .integer(packetCount)),
      (key: "bytes", value: .integer(payloadBytes)), (key: "bitRate", value: .number(bitRate)),
      (key: "bandwidth", value: .integer(effective.bandwidth)),
      (key: "priming", value: .integer(effective.priming)),
    ]
  }
}
