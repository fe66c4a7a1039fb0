import AAC
import AACContainers
import AACKit
import AudioFiles
import PCM

private enum Options {
  static let bitRate = CommandOption(
    "-b", "--bitrate", takes: "RATE", help: "constant bit rate, as 128k or 128000")
  static let average = CommandOption("--abr", takes: "RATE", help: "average bit rate")
  static let quality = CommandOption(
    "-V", "--vbr", takes: "1…5", help: "constant quality, 1 (smallest) to 5 (best)")
  static let profile = CommandOption(
    "--profile", takes: "lc|auto", help: "the object type; he and hev2 come with a later version")
  static let effort = CommandOption(
    "--quality", takes: "LEVEL", help: "speed against care: min, low, medium, high (usual) or max")
  static let rate = CommandOption("--rate", takes: "HZ", help: "convert to this sampling rate first")
  static let channels = CommandOption("--channels", takes: "N", help: "mix to 1 to 8 channels first")
  static let bandwidth = CommandOption(
    "--bandwidth", takes: "HZ", help: "upper band edge; usually chosen by the bit rate")
  static let switches: [(option: CommandOption, tool: EncoderSettings.Tools)] = [
    (CommandOption("--no-tns", help: "without temporal noise shaping"), .temporalNoiseShaping),
    (CommandOption("--no-ms", help: "without middle/side stereo"), .midSide),
    (CommandOption("--no-pns", help: "without noise substitution"), .noiseSubstitution),
    (CommandOption("--no-is", help: "without intensity stereo"), .intensity),
    (CommandOption("--no-short", help: "without short blocks"), .shortBlocks),
  ]
  static let mpeg2 = CommandOption("--mpeg2", help: "write MPEG-2 AAC, which has no noise substitution")
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
    options: [
      Options.bitRate, Options.average, Options.quality, Options.profile, Options.effort, Options.rate,
      Options.channels, Options.bandwidth,
    ] + Options.switches.map(\.option) + [
      ContainerOptions.checksum, Options.mpeg2, Options.rawInput, ContainerOptions.tag, Options.jobs,
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
  let options = try encodeOptions(arguments)
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

private func encodeOptions(_ arguments: ParsedArguments) throws(UsageError) -> EncodeOptions {
  var options = EncodeOptions()
  let given = [Options.bitRate, Options.average, Options.quality].filter { arguments.has($0) }
  if given.count > 1 { throw UsageError("\(given[0].name) and \(given[1].name) exclude each other") }
  if let rate = try arguments.bitRate(Options.bitRate) { options.rate = .constant(rate) }
  if let rate = try arguments.bitRate(Options.average) { options.rate = .average(rate) }
  if let quality = try arguments.integer(Options.quality, in: 1...5) { options.rate = .quality(quality) }
  let profiles = ["lc", "he", "hev2", "auto"].map { (name: $0, value: $0) }
  if let profile = try arguments.choice(Options.profile, profiles), profile.hasPrefix("he") {
    throw .value(
      Options.profile.name, profile, "HE-AAC is not encoded by this version yet; choose lc or auto")
  }
  let efforts = EncoderSettings.Effort.allCases.map { (name: "\($0)", value: $0) }
  options.effort = try arguments.choice(Options.effort, efforts) ?? .high
  options.sampleRate = try arguments.integer(Options.rate, in: 1...0xFF_FFFF)
  options.channelCount = try arguments.integer(Options.channels, in: 1...8)
  options.bandwidth = try arguments.integer(Options.bandwidth, in: 1...96000)
  for (option, tool) in Options.switches where arguments.has(option) { options.tools.remove(tool) }
  options.output.mpeg2 = arguments.has(Options.mpeg2)
  options.output.checksums = arguments.has(ContainerOptions.checksum)
  options.output.tags = try ContainerOptions.tags(arguments)
  return options
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
