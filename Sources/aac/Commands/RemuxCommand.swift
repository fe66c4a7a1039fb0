import AACContainers
import AACKit
import AudioFiles

private enum Options {
  static let fragmented = CommandOption(
    "--fragmented", help: "MP4 in fragments: for pipes and for streaming; can be cut off anywhere")
  static let mpeg2 = CommandOption("--mpeg2", help: "call it MPEG-2 AAC")
}

extension Command {
  static let remux = Command(
    name: "remux", summary: "change the container, keep the sound", operands: "IN OUT",
    details: """
      The access units are copied as they are; nothing is decoded. Tags, priming and padding go along where
      the new container holds them, and so do covers and chapters. --tag adds to the tags, or removes one
      with an empty value; --cover and --chapters replace what is there.
      """,
    options: [
      Options.fragmented, ContainerOptions.checksum, Options.mpeg2, MetadataOptions.tag,
      MetadataOptions.cover, MetadataOptions.chapters, ContainerOptions.format, SharedOptions.overwrite,
      SharedOptions.quiet, SharedOptions.progress,
    ],
    run: runRemux)
}

private func runRemux(_ arguments: ParsedArguments, _ console: Console) throws -> Int32 {
  let paths = try arguments.operands("IN", "OUT")
  var output = PacketOutput(try ContainerOptions.container(arguments, output: paths[1]))
  output.checksums = arguments.has(ContainerOptions.checksum)
  output.mpeg2 = arguments.has(Options.mpeg2)
  output.tags = try MetadataOptions.tags(arguments)
  output.chapters = try MetadataOptions.chapters(arguments) ?? []
  if arguments.has(Options.fragmented) {
    guard output.container == .m4a || output.container == .fmp4 else {
      throw UsageError("--fragmented is for MP4 only: name OUT .m4a, or use -f fmp4")
    }
    output.container = .fmp4
  }
  try ContainerOptions.check(output, arguments, console)
  let report = ProgressReport(
    try ProgressReport.mode(arguments, console), console, label: Inputs.name(paths[0]))
  let destination = try Destination(paths[1], output.container, inputs: [paths[0]], arguments, console)
  let source = try Inputs.openSource(paths[0], console)
  let summary: RemuxSummary
  do {
    summary = try Transcoder.remux(
      source, to: destination.sink, sidecar: destination.sidecar, output, path: Inputs.name(paths[0]),
      outputPath: Outputs.name(paths[1]), cancellation: console.cancellation, progress: report.update)
    try destination.commit()
  } catch {
    report.clear()
    throw error
  }
  report.finish(nil)
  if !arguments.has(SharedOptions.quiet) {
    for warning in summary.warnings { console.say("aac: \(Inputs.name(paths[0])): \(warning)") }
    if summary.replacedCount > 0 {
      console.say("aac: \(summary.replacedCount) missing frames were replaced by silence")
    }
    console.say("\(Outputs.name(paths[1])): \(summary.packetCount) frames, \(summary.payloadBytes) bytes")
  }
  return ExitStatus.done
}
