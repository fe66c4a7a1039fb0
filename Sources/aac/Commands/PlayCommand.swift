import AACKit
import AudioDevices
import AudioFiles

private enum Options {
  static let volume = CommandOption(
    "--volume", takes: "FACTOR", help: "factor on the samples, 0 to 1 (usually 1, which changes nothing)")
  static let start = CommandOption("--start", takes: "SECONDS", help: "begin so far into the first IN")
}

extension Command {
  static let play = Command(
    name: "play", summary: "play files, pipes and addresses", operands: "IN…",
    details: """
      IN is an AAC file in any container or a PCM file, a pipe (-), or an address of AAC that begins with
      http:// or https://, of a station for instance. Several are played one after the other without a gap.
      What cannot be played is told and passed over; the status is 1 then, when the rest has been played.
      Sound in the output's own format reaches it as it is; other sound is converted. An interrupt ends it
      at once. With --progress json every event is a JSON object on a line of standard error: itemStarted,
      position (once a second), title, underrun, moved, itemEnded, finished and others.
      """,
    options: [
      DeviceOptions.device, DeviceOptions.backend, DeviceOptions.unplug, Options.volume, Options.start,
      TrackOption.track, SharedOptions.quiet, SharedOptions.progress,
    ],
    run: runPlay)
}

private func runPlay(_ arguments: ParsedArguments, _ console: Console) throws -> Int32 {
  guard !arguments.operands.isEmpty else { throw UsageError("IN is missing") }
  guard arguments.operands.count(where: { $0 == "-" }) < 2 else {
    throw UsageError("standard input can be played once only")
  }
  var settings = PlayerSettings()
  if let volume = try arguments.number(Options.volume) {
    guard volume <= 1 else {
      throw UsageError.value(Options.volume.name, "\(volume)", "give a number from 0 to 1")
    }
    settings.volume = Float(volume)
  }
  settings.start = try arguments.number(Options.start) ?? 0
  settings.reading.track = try TrackOption.number(arguments)
  let mode = try ProgressReport.mode(arguments, console)
  settings.positionInterval = mode == .json ? 1 : 0.1
  let backend = try DeviceOptions.open(arguments).backend
  var request = StreamRequest()
  try DeviceOptions.fill(&request, arguments, .output, of: backend)
  (settings.device, settings.onUnplug) = (request.device, request.onUnplug)
  let items = arguments.operands.map { text in
    text == "-"
      ? PlayerItem(descriptor: console.input, name: Inputs.name(text)) : PlayerItem(text)
  }
  let player = Player(items, on: backend, settings: settings)
  try player.start()
  defer { player.stop() }
  return try follow(
    player, PlaybackReport(mode, console, isQuiet: arguments.has(SharedOptions.quiet)), console)
}

/// Tells what happens until the end, and returns the status.
private func follow(
  _ player: Player, _ report: PlaybackReport, _ console: Console
) throws -> Int32 {
  var status = ExitStatus.done
  while !player.events.isAtEnd {
    if console.cancellation.isCancelled {
      report.clear()
      return ExitStatus.interrupted
    }
    guard let event = player.events.next(timeout: .milliseconds(50)) else { continue }
    report.tell(event, of: player)
    switch event {
    case .itemFailed: status = ExitStatus.failed
    case .failed(let error):
      // A single item's failure has been told.
      if status == ExitStatus.failed { return status }
      throw error
    default: break
    }
  }
  report.clear()
  return status
}
