import AACContainers
import AACKit
import AudioFiles

private enum Options {
  static let like = CommandOption(
    "--like", takes: "FILE", help: "an undamaged file of the same recorder, for one that has lost its tables")
  static let rate = CommandOption("--rate", takes: "HZ", help: "the rate of a file that has lost its tables")
  static let channels = CommandOption("--channels", takes: "N", help: "its channels")
}

extension Command {
  static let repair = Command(
    name: "repair", summary: "make a plain file of a damaged or unfinished one", operands: "IN [OUT]",
    details: """
      Unfinished recordings, MP4 that is cut off or without its tables, ADTS and LOAS with damaged frames:
      whole frames are kept bit by bit, and silence stands where others are known to be missing.
      Without OUT the file is repaired in place; the original is kept as NAME.damaged.EXT, unless all of it is
      in the new one. An undamaged file is left alone, and nothing is written.
      """,
    options: [
      Options.like, Options.rate, Options.channels, ContainerOptions.format, SharedOptions.overwrite,
      SharedOptions.quiet, SharedOptions.progress,
    ],
    run: runRepair)
}

private func runRepair(_ arguments: ParsedArguments, _ console: Console) throws -> Int32 {
  let paths = arguments.operands
  guard let input = paths.first else { throw UsageError("IN is missing") }
  guard paths.count <= 2 else { throw UsageError("'\(paths[2])' is one operand too many") }
  let output = paths.count == 2 ? paths[1] : nil
  guard input != "-", output != "-" else { throw UsageError("repair works on files, not on pipes") }
  var options = RepairOptions()
  options.like = arguments.string(Options.like)
  options.sampleRate = try arguments.integer(Options.rate, in: 1...0xFF_FFFF)
  options.channelCount = try arguments.integer(Options.channels, in: 1...48)
  if options.like != nil, options.sampleRate != nil || options.channelCount != nil {
    throw UsageError("--like tells the rate and the channels: leave out --rate and --channels")
  }
  options.replacing = arguments.has(SharedOptions.overwrite)
  if let output {
    options.container = try ContainerOptions.container(arguments, output: output)
    if options.container == .raw { throw UsageError("repair does not write raw access units") }
  } else if arguments.has(ContainerOptions.format) {
    throw UsageError("\(ContainerOptions.format.name) needs OUT")
  }
  let report = ProgressReport(try ProgressReport.mode(arguments, console), console, label: input)
  let summary: RepairSummary
  do {
    summary = try Transcoder.repair(
      input, to: output, options, cancellation: console.cancellation, progress: report.update)
  } catch {
    report.clear()
    throw error
  }
  let frames = Int64((summary.duration * 1000).rounded())
  report.finish(Progress(frames: frames, total: frames, sampleRate: 1000), extra: summary.members)
  if !arguments.has(SharedOptions.quiet) {
    for line in summary.lines(input, output ?? input) { console.say(line) }
  }
  return ExitStatus.done
}

extension RepairSummary {
  /// For scripts.
  fileprivate var members: [(key: String, value: JSON)] {
    [
      (key: "outcome", value: .string(outcome.rawValue)),
      (key: "container", value: .string(container.rawValue)),
      (key: "kept", value: .integer(keptCount)), (key: "lost", value: .integer(lostCount)),
      (key: "silence", value: .integer(silenceCount)), (key: "unknownLoss", value: .bool(hasUnknownLoss)),
      (key: "duration", value: .number(duration)), (key: "faults", value: .strings(faults)),
      (key: "furtherFaults", value: .integer(furtherFaults)),
      (key: "firstByte", value: .optional(firstOffset)), (key: "assumptions", value: .strings(assumptions)),
      (key: "original", value: .optional(originalPath)),
    ]
  }

  /// For people.
  fileprivate func lines(_ input: String, _ output: String) -> [String] {
    let time = Numbers.time(duration)
    if outcome == .undamaged {
      return ["\(input): \(keptCount) frames, \(time): nothing is wrong, nothing was changed"]
    }
    var lines = faults.map { "aac: \(input): \($0)" }
    if furtherFaults > 0 { lines.append("aac: \(input): \(furtherFaults) more faults") }
    lines += assumptions.map { "aac: \(input): \($0)" }
    var text = "\(output): \(keptCount) frames kept, \(lostCount) lost"
    if hasUnknownLoss { text += " and an unknown number more" }
    if silenceCount > 0 { text += ", \(silenceCount) replaced by silence" }
    text += ", \(time), \(container.name)"
    if let firstOffset { text += "; first damage at byte \(firstOffset)" }
    lines.append(text)
    if let originalPath { lines.append("\(originalPath): the original") }
    return lines
  }
}
