import AACContainers
import AACKit
import AudioDevices
import AudioFiles

private enum Options {
  static let duration = CommandOption(
    "-d", "--duration", takes: "SECONDS", help: "stop after so much sound; usually at Ctrl-C")
  static let level = CommandOption(
    "--level", help: "print a line of levels each second where standard error is no terminal")
  static let split = CommandOption(
    "--split", takes: "SECONDS", help: "begin a new file after so much sound: NAME-001, NAME-002, …")
  static let splitSize = CommandOption(
    "--split-size", takes: "BYTES", help: "begin a new file before one gets larger: 65536, 10M, 2G")
  static let startLevel = CommandOption(
    "--start-level", takes: "DB", help: "wait for sound louder than this, as -40")
  static let preRoll = CommandOption(
    "--pre-roll", takes: "SECONDS", help: "how much from before the sound is recorded too (usually 0.5)")
  static let silence = CommandOption(
    "--silence", takes: "SECONDS", help: "after so long a silence do what --on-silence says")
  static let onSilence = CommandOption(
    "--on-silence", takes: "stop|split|skip",
    help: "end (usual), begin a new file with the next sound, or leave it out")
  static let silenceLevel = CommandOption(
    "--silence-level", takes: "DB", help: "what is softer is silence (usually -50)")
  static let reconnect = CommandOption(
    "--reconnect", takes: "SECONDS",
    help: "look so long for a device or server that went away; silence is recorded meanwhile")
}

extension Command {
  static let record = Command(
    name: "record", summary: "record from a microphone", operands: "OUT",
    details: """
      OUT's extension tells the container. The file grows in place and can be played at every moment, also
      after a crash; 'aac repair' finishes one that was cut short. Ctrl-C ends the recording; what has come
      is finished and kept. The file has the device's rate, 48 kHz at most, and its channels, unless --rate
      or --channels say otherwise. --backend file:PATH records a sound file, as fast as it can be read.
      """,
    options: [Options.duration, DeviceOptions.device, DeviceOptions.backend, DeviceOptions.latency]
      + [DeviceOptions.unplug, Options.reconnect, Options.level, Options.split, Options.splitSize]
      + [Options.startLevel, Options.preRoll, Options.silence, Options.onSilence, Options.silenceLevel]
      + EncodingOptions.all
      + [
        ContainerOptions.checksum, ContainerOptions.fragmentDuration, MetadataOptions.tag,
        MetadataOptions.cover, ContainerOptions.format,
        SharedOptions.overwrite,
        SharedOptions.quiet, SharedOptions.progress,
      ],
    run: runRecord)
}

private func runRecord(_ arguments: ParsedArguments, _ console: Console) throws -> Int32 {
  let path = try arguments.operands("OUT")[0]
  let settings = try recorderSettings(arguments, path, console)
  if path == "-" { try console.refuseTerminal() }
  let target: RecordingTarget =
    path == "-"
    ? .descriptor(console.output) : .file(path, replacing: arguments.has(SharedOptions.overwrite))
  let report = RecordingReport(
    try ProgressReport.mode(arguments, console), console, label: Outputs.name(path),
    printsLevels: arguments.has(Options.level), isQuiet: arguments.has(SharedOptions.quiet))
  let recorder = try Recorder(from: try source(arguments, console), to: target, settings: settings)
  report.begin(recorder)
  try recorder.start()
  var wasCancelled = false
  while true {
    if console.cancellation.isCancelled, !wasCancelled {
      wasCancelled = true
      recorder.stop()
    }
    if let event = recorder.events.next(timeout: .milliseconds(50)) { report.tell(event) }
    if recorder.events.isAtEnd { break }
  }
  guard let summary = recorder.summary else { return ExitStatus.failed }
  report.finish(summary)
  if let error = summary.error { throw error }
  if let problem = summary.files.lazy.compactMap(\.problem).first { throw problem }
  if summary.frames == 0, !wasCancelled { throw AACKitError(.noSamples, path: Outputs.name(path)) }
  return wasCancelled ? ExitStatus.interrupted : ExitStatus.done
}

private func source(_ arguments: ParsedArguments, _ console: Console) throws -> RecordingSource {
  if let name = arguments.string(DeviceOptions.backend), name.hasPrefix("file:") {
    let reader = try AudioFile.open(String(name.dropFirst(5)), cancellation: console.cancellation)
    let backend = FileBackend(sources: [FileSoundSource(reader).source(id: name)])
    return .input(of: backend)
  }
  let backend = try DeviceOptions.open(arguments).backend
  var request = RecordingSource.usualRequest
  try DeviceOptions.fill(&request, arguments, .input, of: backend)
  return .input(of: backend, request)
}

private func recorderSettings(
  _ arguments: ParsedArguments, _ path: String, _ console: Console
) throws -> RecorderSettings {
  var settings = RecorderSettings()
  settings.encoding = try EncodingOptions.options(arguments)
  let container = try ContainerOptions.container(arguments, output: path)
  settings.container = container
  settings.encoding.output.container = container
  try ContainerOptions.check(settings.encoding.output, arguments, console)
  settings.duration = try arguments.seconds(Options.duration)
  settings.splitSeconds = try arguments.seconds(Options.split)
  settings.splitBytes = try arguments.bytes(Options.splitSize)
  settings.preRoll = try arguments.number(Options.preRoll) ?? settings.preRoll
  settings.reconnectTime = try arguments.number(Options.reconnect) ?? 0
  settings.start = try arguments.decibels(Options.startLevel).map { SoundLevel(decibels: $0) }
  let level = try arguments.decibels(Options.silenceLevel).map { SoundLevel(decibels: $0) }
  let action = try arguments.choice(
    Options.onSilence, SilenceRule.Action.allCases.map { (name: $0.rawValue, value: $0) })
  if let seconds = try arguments.seconds(Options.silence) {
    settings.silence = SilenceRule(action ?? .stop, after: seconds, level: level ?? SoundLevel())
  } else if level != nil || action != nil {
    throw UsageError("\(Options.silence.name) says after how long a silence something is to happen")
  }
  if path == "-", settings.splitSeconds != nil || settings.splitBytes != nil || action == .split {
    throw UsageError("a pipe cannot be split: name a file")
  }
  return settings
}

extension ParsedArguments {
  /// A time above zero.
  fileprivate func seconds(_ option: CommandOption) throws(UsageError) -> Double? {
    guard let seconds = try number(option) else { return nil }
    guard seconds > 0, seconds <= 1e7 else {
      throw .value(option.name, string(option) ?? "", "give seconds, more than 0")
    }
    return seconds
  }

  /// A level below full scale.
  fileprivate func decibels(_ option: CommandOption) throws(UsageError) -> Double? {
    guard let text = string(option) else { return nil }
    guard let level = Double(text), level >= -120, level < 0 else {
      throw .value(option.name, text, "give dB of full scale, from -120 up to, but not 0")
    }
    return level
  }

  /// A size with or without a K, M or G behind it.
  fileprivate func bytes(_ option: CommandOption) throws(UsageError) -> Int64? {
    guard let text = string(option) else { return nil }
    let letters: [Character: Double] = ["k": 1024, "K": 1024, "M": 1_048_576, "G": 1_073_741_824]
    guard let (number, _) = Self.scaled(text, by: letters), number >= 65536, number <= 1e15 else {
      throw .value(option.name, text, "give bytes, 65536 or more, as 10M")
    }
    return Int64(number)
  }
}
