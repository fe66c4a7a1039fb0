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
    name: "decode", summary: "decode AAC to PCM", operands: "IN OUT",
    details: """
      IN is an AAC file in any container, told by its content, or a pipe (-). OUT's extension tells the
      type: .wav, .aiff, .flac, .caf, .w64 or .rf64; a pipe gets WAV with an open length unless -f says
      otherwise. Damaged frames are concealed and counted, so that the time stays right; a file that is cut off
      is decoded as far as it goes. What was got over is told at the end, and the status is 0. With --strict it
      is 1 at the first damage, and nothing is written: a lost packet, a checksum that does not fit, an access
      unit that is broken, lacks channels or is louder than any sound, broken replication data, frames that had
      to be found again, and data that is cut off.
      """,
    options: [
      Options.format, Options.float, Options.bits, Options.dither, Options.rate, Options.channels,
      Options.downmix, Options.drc, Options.drcCut, Options.drcBoost, Options.referenceLevel, Options.noTrim,
      TimeRange.from, TimeRange.to, Options.discard, Options.strict, SharedOptions.overwrite,
      SharedOptions.quiet,
      SharedOptions.progress,
    ],
    run: runDecode)
}

private func runDecode(_ arguments: ParsedArguments, _ console: Console) throws -> Int32 {
  let discards = arguments.has(Options.discard)
  let paths =
    discards && arguments.operands.count < 2
    ? try arguments.operands("IN") : try arguments.operands("IN", "OUT")
  let input = paths[0]
  let output = discards ? "" : paths[1]
  let kind = discards ? nil : try pcmOutput(arguments, output)
  let sampleRate = try arguments.integer(Options.rate, in: 1...0xFF_FFFF)
  let channelCount = try arguments.integer(Options.channels, in: 1...8)
  let report = ProgressReport(
    try ProgressReport.mode(arguments, console), console, label: Inputs.name(input))
  let range = try TimeRange(arguments)
  if range != nil, arguments.has(Options.noTrim) {
    throw UsageError("\(Options.noTrim.name) and times exclude each other: times count trimmed sound")
  }
  var options = AACReader.Options()
  options.trims = !arguments.has(Options.noTrim)
  options.strict = arguments.has(Options.strict)
  options.dynamics = try dynamics(arguments)
  let downmix =
    try arguments.choice(Options.downmix, DownmixChoice.allCases.map { (name: $0.rawValue, value: $0) })
    ?? .stream

  let destination = discards ? nil : try PCMDestination(output, inputs: [input], arguments, console)
  let reader = try Inputs.openAAC(input, options, console)
  let writer: any AudioWriter
  do {
    var part: any AudioReader = reader
    if let range {
      let frames = range.frames(at: reader.format.sampleRate)
      try reader.skip(to: frames.start)
      part = LimitedReader(reader, frames: frames.count, passed: frames.start)
    }
    let sound = try AudioFile.adapt(
      part, sampleRate: sampleRate, channelCount: channelCount, downmix: downmix)
    if let destination, let kind {
      writer = try destination.openWriter(kind, sound.format, expectedFrames: sound.frameCount)
    } else {
      writer = DiscardingWriter()
    }
    try Transcoder.copy(sound, to: writer, cancellation: console.cancellation, progress: report.update)
    if options.strict { try reader.checkIntact() }
    try destination?.commit()
  } catch {
    report.clear()
    throw error
  }
  report.finish(
    Progress(
      frames: writer.frameCount, total: writer.frameCount, sampleRate: sampleRate ?? reader.format.sampleRate),
    extra: [
      (key: "samples", value: .integer(writer.frameCount)),
      (key: "concealed", value: .integer(reader.concealedCount)),
      (key: "damage", value: DamageSummary(reader.statistics).json),
      (key: "clipped", value: .integer(writer.clippedCount)),
    ])
  if !arguments.has(SharedOptions.quiet) { tell(reader, writer, input, report, console) }
  return ExitStatus.done
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

/// Remarks on what was decoded, damage first.
private func tell(
  _ reader: AACReader, _ writer: any AudioWriter, _ input: String, _ report: ProgressReport,
  _ console: Console
) {
  let name = Inputs.name(input)
  for line in DamageSummary(reader.statistics).lines(first: reader.firstDamage) {
    console.say("aac: \(name): \(line)")
  }
  for warning in reader.warnings { console.say("aac: \(name): \(warning)") }
  if reader.notes.contains(.ignoresSpectralBandReplication) {
    console.say(
      "aac: \(name): the stream turns into HE-AAC after its start, or denies being it: only its core was "
        + "decoded, at the rate that it started with")
  }
  if reader.notes.contains(.ignoresParametricStereo) {
    console.say("aac: \(name): parametric stereo sets in after the start of the stream: the sound stays mono")
  }
  if writer.clippedCount > 0 {
    console.say(
      "aac: \(name): \(writer.clippedCount) samples were beyond full scale and clipped; --float keeps them")
  }
  let seconds = Double(writer.frameCount) / Double(reader.format.sampleRate)
  let speed = report.elapsed > 0 ? "  \(Numbers.fixed(seconds / report.elapsed, 1))x" : ""
  console.say(
    "\(name): \(Numbers.time(seconds))  \(writer.frameCount) samples  \(reader.format.sampleRate) Hz "
      + "\(reader.format.layout.name)\(speed)")
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
