import AAC
import AACContainers
import AACKit
import AudioFiles
import PCM

enum EncodeSwitches {
  static let loudness = CommandOption(
    "--loudness",
    help: "measure the loudness first, and write ReplayGain 2 and Sound Check tags; the input is read twice")
  static let album = CommandOption(
    "--album", help: "with --loudness: all inputs are one album, whose gain and peak are written too")
  static let gapless = CommandOption(
    "--gapless",
    help: "the inputs follow each other without a pause: encode them in one run, each to a file of its own")
}

private enum Options {
  static let rawInput = CommandOption(
    "--raw-input", takes: "FORMAT,RATE,CHANNELS",
    help: "IN has samples and no header, as s16le,44100,2. Formats: \(SampleFormat.names)")
}

extension Command {
  static let encode = Command(
    name: "encode", summary: "encode PCM to AAC", operands: "IN OUT, or IN… FOLDER, or --out-dir DIR IN…",
    details: """
      IN is a WAV, AIFF, FLAC, CAF, W64 or RF64 file (or any other that libsndfile reads), a pipe of one
      (-), samples without a header (--raw-input), or an AAC file to encode anew. OUT's extension tells the
      container: .m4a .mp4 .m4b, .aac (ADTS), .adif, .loas .latm, .raw. MP4 to a pipe is fragmented.
      Without -b, --abr or -V the bit rate is constant: 64k a channel at 44.1 and 48 kHz (128k for stereo),
      less at lower and more at higher rates. The sampling rate stays unless --rate changes it.
      Interrupted while IN is a pipe, what has come is finished and kept, unless OUT existed before.
      MP4 gets the tags that IN has (not its cover art); --tag adds to them, and without a value removes one.

      \(BatchOptions.details)

      aac encode --gapless A.wav B.wav C.wav FOLDER encodes tracks that run into each other, in this order: each
      file decodes to exactly its own track, and nothing is to be heard where they join.
      """,
    options: EncodingOptions.all + [
      TrackOption.track, ContainerOptions.checksum, ContainerOptions.fragmentDuration, Options.rawInput,
      MetadataOptions.tag, MetadataOptions.cover,
      MetadataOptions.chapters, ContainerOptions.format,
      EncodeSwitches.loudness, EncodeSwitches.album, EncodeSwitches.gapless,
    ] + BatchOptions.all + [SharedOptions.overwrite, SharedOptions.quiet, SharedOptions.progress],
    run: runEncode)
}

private func runEncode(_ arguments: ParsedArguments, _ console: Console) throws -> Int32 {
  var options = try EncodingOptions.options(arguments)
  options.output.chapters = try MetadataOptions.chapters(arguments) ?? []
  var raw: RawInput?
  if let text = arguments.string(Options.rawInput) {
    raw = try RawInput(text, option: Options.rawInput.name)
    if arguments.has(TrackOption.track) {
      throw UsageError("\(TrackOption.track.name) is for AAC files, not for samples without a header")
    }
  }
  if let request = try BatchOptions.request(arguments) {
    guard options.output.chapters.isEmpty else { throw MetadataOptions.sharedChapters }
    if arguments.has(EncodeSwitches.gapless) {
      return try GaplessBatch(request, options, raw, arguments, console).run()
    }
    return try EncodeBatch(request, options, raw, arguments, console).run()
  }
  for option in [EncodeSwitches.album, EncodeSwitches.gapless] where arguments.has(option) {
    throw UsageError("\(option.name) is for outputs in a folder: name it with \(BatchOptions.folder.name)")
  }
  let paths = try arguments.operands("IN", "OUT")
  options.output.container = try ContainerOptions.container(arguments, output: paths[1])
  try ContainerOptions.check(options.output, arguments, console)
  var job = EncodeJob(input: paths[0], output: paths[1], options: options, raw: raw)
  job.track = try TrackOption.number(arguments)
  job.measuresLoudness = try EncodeJob.measuresLoudness(arguments, options.output.container)
  if job.measuresLoudness, job.input == "-" {
    throw UsageError("--loudness reads the input twice, which a pipe does not allow: name a file")
  }
  return try encodeOne(job, arguments, console)
}

/// One file to encode.
struct EncodeJob: Sendable {
  var input: String
  var output: String
  var options: EncodeOptions
  var raw: RawInput?
  /// The number of the track that is read.
  var track: Int?
  /// Write tags about the loudness.
  var measuresLoudness = false
  /// What is known of it already, and of the album.
  var level: ReplayGain?
  var album: ReplayGain?

  /// Encodes the file. What it throws names the file.
  func run(
    _ arguments: ParsedArguments, _ console: Console, progress: (Progress) -> Void
  ) throws -> (summary: EncodeSummary, warnings: [String]) {
    // Checked before the input is opened: a pipe should not be waited for in vain.
    let destination = try Destination(
      output, options.output.container, inputs: [input], finishes: true, arguments, console)
    var options = options
    if measuresLoudness {
      let level = try level ?? measure(console)
      options.output.tags = level.tags(album: album, changing: options.output.tags)
    }
    let reader = try open(console)
    do {
      let summary = try Transcoder.encode(
        reader, to: destination.sink, sidecar: destination.sidecar, options,
        cancellation: console.cancellation, progress: progress)
      try destination.commit()
      let remarks = summary.frames == 0 ? ["holds no samples, and neither does the output"] : []
      return (summary, reader.warnings + remarks)
    } catch {
      throw AACKitError.naming(error, input: input, output: output)
    }
  }

  private func open(_ console: Console) throws(AACKitError) -> any AudioReader {
    if let raw { return try Inputs.openRaw(input, raw, console) }
    return try Inputs.openAudio(input, track: track, console)
  }

  /// Measures the sound with the channels that it will have.
  func measure(_ console: Console) throws(AACKitError) -> ReplayGain {
    let reader = try open(console)
    do {
      return try ReplayGain(
        of: AudioFile.adapt(reader, channelCount: options.channelCount), cancellation: console.cancellation)
    } catch { throw AACKitError.naming(error, input: input, output: output) }
  }

  /// Whether tags about the loudness are asked for.
  static func measuresLoudness(
    _ arguments: ParsedArguments, _ container: ContainerFormat
  ) throws(UsageError) -> Bool {
    guard arguments.has(EncodeSwitches.loudness) else {
      if arguments.has(EncodeSwitches.album) { throw UsageError("--album goes with --loudness only") }
      return false
    }
    guard [.m4a, .fmp4, .raw].contains(container) else {
      throw UsageError("--loudness writes tags, which \(container.name) cannot hold: use MP4")
    }
    return true
  }
}

/// Encodes one file and tells what came of it.
private func encodeOne(
  _ job: EncodeJob, _ arguments: ParsedArguments, _ console: Console
) throws -> Int32 {
  var job = job
  let existed = job.output != "-" && Files.exists(job.output)
  job.options.endsWhenCancelled = (job.input == "-" && !existed) || job.output == "-"
  let report = ProgressReport(
    try ProgressReport.mode(arguments, console), console, label: Inputs.name(job.input))
  let summary: EncodeSummary
  let warnings: [String]
  do {
    (summary, warnings) = try job.run(arguments, console, progress: report.update)
  } catch {
    report.clear()
    throw error
  }
  let progress = Progress(
    frames: summary.frames, total: summary.frames, sampleRate: summary.settings.sampleRate)
  report.finish(progress, extra: summary.json)
  if !arguments.has(SharedOptions.quiet) {
    for warning in warnings { console.say("aac: \(Inputs.name(job.input)): \(warning)") }
    MetadataOptions.check(
      job.options.output.chapters, duration: summary.duration, Outputs.name(job.output), console)
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
