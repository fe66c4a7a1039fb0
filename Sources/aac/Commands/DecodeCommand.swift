import AAC
import AACKit
import AudioFiles
import PCM

private enum Options {
  static let formats = AudioFileType.allCases.map(\.rawValue) + SampleFormat.allCases.map(\.rawValue)
  static let format = CommandOption(
    "-f", "--format", takes: "FORMAT",
    help:
      "what OUT is, whatever it is called: \(AudioFileType.allCases.map(\.rawValue).joined(separator: ", ")), "
      + "or samples without a header: \(SampleFormat.names)")
  static let float = CommandOption("--float", help: "write 32-bit float samples, which cannot clip")
  static let bits = CommandOption("--bits", takes: "16|24", help: "bits of a sample (usually 16)")
  static let dither = CommandOption("--dither", help: "add triangular dither before rounding to integers")
  static let rate = CommandOption("--rate", takes: "HZ", help: "convert to this sampling rate")
  static let channels = CommandOption(
    "--channels", takes: "N",
    help: "mix to N channels, scaled so that it cannot clip: 1 or 2 by the stream's matrix where it has one")
  static let downmix = CommandOption(
    "--downmix", takes: "stream|itu",
    help: "coefficients of --channels: the stream's (usual), or ITU-R BS.775")
  static let drc = CommandOption(
    "--drc", help: "apply the stream's dynamic range control; streams without it sound the same")
  static let drcCut = CommandOption(
    "--drc-cut", takes: "SHARE", help: "how much of its cuts, 0 to 1 (usually 1); implies --drc")
  static let drcBoost = CommandOption(
    "--drc-boost", takes: "SHARE", help: "how much of its boosts, 0 to 1 (usually 1); implies --drc")
  static let referenceLevel = CommandOption(
    "--reference-level", takes: "DB",
    help: "bring streams that tell their level to this one, -31.75 to 0 dB from full scale")
  static let noTrim = CommandOption("--no-trim", help: "keep the encoder's priming and padding")
  static let discard = CommandOption(
    "--discard", help: "decode and write nothing, for timing; OUT is not needed")
  static let strict = CommandOption("--strict", help: "fail at the first damage instead of concealing it")
}

extension Command {
  static let decode = Command(
    name: "decode", summary: "decode AAC to PCM", operands: "IN OUT, or IN… FOLDER, or --out-dir DIR IN…",
    details: """
      IN is an AAC file in any container, told by its content, or a pipe (-). OUT's extension tells the
      type: .wav, .aiff, .flac, .caf, .w64 or .rf64; a pipe gets WAV with an open length unless -f says
      otherwise. Damaged frames are concealed and counted, so that the time stays right; a file that is cut off
      is decoded as far as it goes. What was got over is told at the end, and the status is 0. With --strict it
      is 1 at the first damage, and nothing is written: a lost packet, a checksum that does not fit, an access
      unit that is broken, lacks channels or is louder than any sound, broken replication data, frames that had
      to be found again, and data that is cut off.

      \(BatchOptions.details)
      In a folder outputs are WAV unless -f says otherwise.
      """,
    options: [
      Options.format, Options.float, Options.bits, Options.dither, Options.rate, Options.channels,
      Options.downmix, Options.drc, Options.drcCut, Options.drcBoost, Options.referenceLevel, Options.noTrim,
      TimeRange.from, TimeRange.to, TrackOption.track, Options.discard, Options.strict,
    ] + BatchOptions.all + [SharedOptions.overwrite, SharedOptions.quiet, SharedOptions.progress],
    run: runDecode)
}

private func runDecode(_ arguments: ParsedArguments, _ console: Console) throws -> Int32 {
  let discards = arguments.has(Options.discard)
  if !discards, let request = try BatchOptions.request(arguments) {
    return try DecodeBatch(request, arguments, console).run()
  }
  let paths =
    discards && arguments.operands.count < 2
    ? try arguments.operands("IN") : try arguments.operands("IN", "OUT")
  let input = paths[0]
  let kind = discards ? nil : try pcmOutput(arguments, paths[1])
  let job = try DecodeJob(input: input, output: discards ? nil : paths[1], kind: kind, arguments)
  let report = ProgressReport(
    try ProgressReport.mode(arguments, console), console, label: Inputs.name(input))
  let result: DecodeJob.Result
  do {
    result = try job.run(arguments, console, progress: report.update)
  } catch {
    report.clear()
    throw error
  }
  let (reader, writer) = (result.reader, result.writer)
  report.finish(
    Progress(frames: writer.frameCount, total: writer.frameCount, sampleRate: result.sampleRate),
    extra: [
      (key: "samples", value: .integer(writer.frameCount)),
      (key: "concealed", value: .integer(reader.concealedCount)),
      (key: "damage", value: DamageSummary(reader.statistics).json),
      (key: "clipped", value: .integer(writer.clippedCount)),
    ])
  if !arguments.has(SharedOptions.quiet) {
    for remark in result.remarks { console.say("aac: \(Inputs.name(input)): \(remark)") }
    console.say("\(Inputs.name(input)): \(result.line(elapsed: report.elapsed))")
  }
  return ExitStatus.done
}

/// One file to decode.
struct DecodeJob {
  var input: String
  /// `nil`: nothing is written.
  var output: String?
  var kind: PCMOutput?
  private let sampleRate: Int?
  private let channelCount: Int?
  private let downmix: DownmixChoice
  private let options: AACReader.Options
  private let range: TimeRange?

  init(input: String, output: String?, kind: PCMOutput?, _ arguments: ParsedArguments) throws(UsageError) {
    self.input = input
    self.output = output
    self.kind = kind
    range = try TimeRange(arguments)
    if range != nil, arguments.has(Options.noTrim) {
      throw UsageError("\(Options.noTrim.name) and times exclude each other: times count trimmed sound")
    }
    sampleRate = try arguments.integer(Options.rate, in: 1...0xFF_FFFF)
    channelCount = try arguments.integer(Options.channels, in: 1...8)
    var options = AACReader.Options()
    options.trims = !arguments.has(Options.noTrim)
    options.strict = arguments.has(Options.strict)
    options.dynamics = try dynamics(arguments)
    options.track = try TrackOption.number(arguments)
    self.options = options
    downmix =
      try arguments.choice(Options.downmix, DownmixChoice.allCases.map { (name: $0.rawValue, value: $0) })
      ?? .stream
  }

  func run(
    _ arguments: ParsedArguments, _ console: Console, progress: (Progress) -> Void
  ) throws -> Result {
    let destination = try output.map { output in
      try PCMDestination(output, inputs: [input], arguments, console)
    }
    let reader = try Inputs.openAAC(input, options, console)
    var part: any AudioReader = reader
    if let range {
      let frames = range.frames(at: reader.format.sampleRate)
      try reader.skip(to: frames.start)
      part = LimitedReader(reader, frames: frames.count, passed: frames.start)
    }
    let sound = try AudioFile.adapt(
      part, sampleRate: sampleRate, channelCount: channelCount, downmix: downmix)
    let writer: any AudioWriter
    if let destination, let kind {
      writer = try destination.openWriter(kind, sound.format, expectedFrames: sound.frameCount)
    } else {
      writer = DiscardingWriter()
    }
    try Transcoder.copy(sound, to: writer, cancellation: console.cancellation, progress: progress)
    if options.strict { try reader.checkIntact() }
    try destination?.commit()
    return Result(reader: reader, writer: writer, sampleRate: sound.format.sampleRate)
  }

  /// What came of it.
  struct Result {
    let reader: AACReader
    let writer: any AudioWriter
    /// Of the output.
    let sampleRate: Int

    var seconds: Double { Double(writer.frameCount) / Double(sampleRate) }
  }
}

/// The dynamic range control that is asked for.
private func dynamics(_ arguments: ParsedArguments) throws(UsageError) -> DynamicRangeControl? {
  func share(_ option: CommandOption) throws(UsageError) -> Double? {
    guard let share = try arguments.number(option) else { return nil }
    guard share <= 1 else { throw .value(option.name, "\(share)", "give a number from 0 to 1") }
    return share
  }
  let cut = try share(Options.drcCut)
  let boost = try share(Options.drcBoost)
  let isOn = arguments.has(Options.drc) || cut != nil || boost != nil
  var level: Double?
  if let text = arguments.string(Options.referenceLevel) {
    let levels = DynamicRangeControl.referenceLevels
    guard let number = Double(text), levels.contains(number) else {
      throw .value(
        Options.referenceLevel.name, text, "give a number from \(levels.lowerBound) to 0, as -23")
    }
    level = number
  }
  guard isOn || level != nil else { return nil }
  return DynamicRangeControl(cut: isOn ? cut ?? 1 : 0, boost: isOn ? boost ?? 1 : 0, referenceLevel: level)
}

extension DecodeJob.Result {
  /// What is to be known of the decoding, damage first.
  var remarks: [String] {
    var remarks = DamageSummary(reader.statistics).lines(first: reader.firstDamage) + reader.warnings
    if reader.notes.contains(.ignoresSpectralBandReplication) {
      remarks.append(
        "the stream turns into HE-AAC after its start, or denies being it: only its core was decoded, at the rate "
          + "that it started with")
    }
    if reader.notes.contains(.ignoresParametricStereo) {
      remarks.append("parametric stereo sets in after the start of the stream: the sound stays mono")
    }
    if writer.clippedCount > 0 {
      remarks.append(
        "\(writer.clippedCount) samples were beyond full scale and clipped; --float keeps them")
    }
    return remarks
  }

  func line(elapsed: Double) -> String {
    let speed = elapsed > 0 ? "  \(Numbers.fixed(seconds / elapsed, 1))x" : ""
    return "\(Numbers.time(seconds))  \(writer.frameCount) samples  \(reader.format.sampleRate) Hz "
      + "\(reader.format.layout.name)\(speed)"
  }
}

/// The form of the output by the options and the name.
func pcmOutput(_ arguments: ParsedArguments, _ path: String) throws(UsageError) -> PCMOutput {
  let bits = try arguments.choice(Options.bits, [("16", SampleEncoding.int16), ("24", .int24)])
  let isFloat = arguments.has(Options.float)
  if isFloat, bits != nil { throw UsageError("--float and --bits exclude each other") }
  let encoding = isFloat ? .float32 : bits ?? .int16
  let dither = arguments.has(Options.dither)
  let choices =
    AudioFileType.allCases.map { (name: $0.rawValue, value: PCMOutput.Kind.file($0)) }
    + SampleFormat.allCases.map { (name: $0.rawValue, value: PCMOutput.Kind.raw($0)) }
  let kind: PCMOutput.Kind
  if let chosen = try arguments.choice(Options.format, choices) {
    kind = chosen
  } else if path == "-" || path.hasPrefix("/dev/") {
    kind = .file(.wav)
  } else if let type = AudioFileType(path: path) {
    kind = .file(type)
  } else {
    throw UsageError(
      "the name '\(path)' does not tell the type: use .wav, .aiff, .flac, .caf, .w64 or .rf64, or name it "
        + "with -f")
  }
  switch kind {
  case .file(let type):
    guard type.supports(encoding) else {
      throw UsageError("--float does not go with \(type.rawValue), which holds 16 or 24 bits: use --bits 24")
    }
  case .raw(let sample):
    if isFloat || bits != nil {
      throw UsageError("\(sample.rawValue) says the sample format already: leave --float and --bits out")
    }
  }
  return PCMOutput(type: kind, encoding: encoding, dither: dither)
}
