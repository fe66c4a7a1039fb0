import AACContainers
import AACKit
import AudioFiles

private enum Options {
  static let chaptersFromFiles = CommandOption(
    "--chapters-from-files", help: "a chapter for each file, named by its title or its name")
}

extension Command {
  static let join = Command(
    name: "join", summary: "copy several files into one, without decoding them", operands: "IN IN… OUT",
    details: """
      The access units are copied as they are, so the files must be coded alike. In M4A the sound is exactly
      that of the files, one after the other; elsewhere up to a few hundredths of a second of silence stay
      between them. Files that were cut from one stream meet without a gap in all containers. Chapters go
      along, and so do the tags that all files have in common and the covers of the first.
      """,
    options: [
      Options.chaptersFromFiles, RemuxJob.fragmented, ContainerOptions.fragmentDuration,
      ContainerOptions.checksum, RemuxJob.mpeg2,
      MetadataOptions.tag, MetadataOptions.cover, MetadataOptions.chapters, ContainerOptions.format,
      SharedOptions.overwrite, SharedOptions.quiet, SharedOptions.progress,
    ],
    run: runJoin)
}

private func runJoin(_ arguments: ParsedArguments, _ console: Console) throws -> Int32 {
  guard arguments.operands.count >= 2, let output = arguments.operands.last else {
    throw UsageError(arguments.operands.isEmpty ? "IN and OUT are missing" : "OUT is missing")
  }
  let inputs = [String](arguments.operands.dropLast())
  guard !inputs.contains("-") else {
    throw UsageError("the parts are read twice, which standard input cannot be: name files")
  }
  if arguments.has(Options.chaptersFromFiles), arguments.has(MetadataOptions.chapters) {
    throw UsageError(
      "\(Options.chaptersFromFiles.name) and \(MetadataOptions.chapters.name) exclude each other")
  }
  let container = try ContainerOptions.container(arguments, output: output)
  let packets = try RemuxJob.output(container, arguments, console)
  var options = JoinOptions()
  options.chaptersFromParts = arguments.has(Options.chaptersFromFiles)
  let report = ProgressReport(
    try ProgressReport.mode(arguments, console), console, label: Outputs.name(output))
  let summary: JoinSummary
  do {
    let destination = try Destination(output, packets.container, inputs: inputs, arguments, console)
    summary = try Transcoder.join(
      inputs, to: destination.sink, sidecar: destination.sidecar, packets, options: options,
      outputPath: Outputs.name(output), cancellation: console.cancellation, progress: report.update)
    try destination.commit()
  } catch {
    report.clear()
    throw error
  }
  report.finish(nil)
  if !arguments.has(SharedOptions.quiet) {
    for warning in summary.warnings { console.say("aac: \(warning)") }
    if summary.replacedCount > 0 {
      console.say("aac: \(summary.replacedCount) missing frames were replaced by silence")
    }
    if summary.gap > 0 {
      console.say(
        "aac: \(container.name) cannot tell what is to be dropped between the files: "
          + "\(Numbers.time(summary.gap)) of silence stays; M4A holds them exactly")
    }
    console.say(
      "\(Outputs.name(output)): \(inputs.count) files, \(Numbers.time(summary.duration)), "
        + "\(summary.packetCount) frames, \(summary.payloadBytes) bytes")
  }
  return ExitStatus.done
}
