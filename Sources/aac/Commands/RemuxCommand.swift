import AACContainers
import AACKit
import AudioFiles

extension Command {
  static let remux = Command(
    name: "remux", summary: "change the container, keep the sound",
    operands: "IN OUT, or IN… FOLDER, or --out-dir DIR IN…",
    details: """
      The access units are copied as they are; nothing is decoded. Tags, priming and padding go along where
      the new container holds them, and so do covers and chapters. --tag adds to the tags, or removes one
      with an empty value; --cover and --chapters replace what is there.

      \(BatchOptions.details)
      In a folder outputs are M4A unless -f says otherwise.
      """,
    options: [
      TrackOption.track, RemuxJob.fragmented, ContainerOptions.fragmentDuration, ContainerOptions.checksum,
      RemuxJob.mpeg2, MetadataOptions.tag, MetadataOptions.cover, MetadataOptions.chapters,
      ContainerOptions.format,
    ] + BatchOptions.all + [SharedOptions.overwrite, SharedOptions.quiet, SharedOptions.progress],
    run: runRemux)
}

extension Command {
  static let cut = Command(
    name: "cut", summary: "copy a stretch of the sound, without decoding it", operands: "IN OUT",
    details: """
      --from and --to say what is copied; either may be left out. In MP4 and raw access units it is exact to
      the sample: the packets at the borders stay whole, and the file says how much of them is to be dropped.
      In other containers it is made of whole frames. Tags go along.
      """,
    options: [
      TimeRange.from, TimeRange.to, TrackOption.track, RemuxJob.fragmented, ContainerOptions.fragmentDuration,
      ContainerOptions.checksum, RemuxJob.mpeg2, MetadataOptions.tag, MetadataOptions.cover,
      MetadataOptions.chapters, ContainerOptions.format,
      SharedOptions.overwrite, SharedOptions.quiet, SharedOptions.progress,
    ],
    run: runCut)
}

private func runCut(_ arguments: ParsedArguments, _ console: Console) throws -> Int32 {
  guard let range = try TimeRange(arguments) else {
    throw UsageError("\(TimeRange.from.name) or \(TimeRange.to.name) is missing")
  }
  return try copyPackets(arguments, console, range)
}

private func runRemux(_ arguments: ParsedArguments, _ console: Console) throws -> Int32 {
  if let request = try BatchOptions.request(arguments) {
    return try RemuxBatch(request, arguments, console).run()
  }
  return try copyPackets(arguments, console, nil)
}

private func copyPackets(
  _ arguments: ParsedArguments, _ console: Console, _ range: TimeRange?
) throws -> Int32 {
  let paths = try arguments.operands("IN", "OUT")
  let container = try ContainerOptions.container(arguments, output: paths[1])
  let job = RemuxJob(
    input: paths[0], output: paths[1], packets: try RemuxJob.output(container, arguments, console),
    range: range)
  let report = ProgressReport(
    try ProgressReport.mode(arguments, console), console, label: Inputs.name(job.input))
  let summary: RemuxSummary
  do {
    summary = try job.run(arguments, console, progress: report.update)
  } catch {
    report.clear()
    throw error
  }
  report.finish(nil)
  if !arguments.has(SharedOptions.quiet) {
    for remark in summary.remarks { console.say("aac: \(Inputs.name(job.input)): \(remark)") }
    console.say(
      "\(Outputs.name(job.output)): \(Numbers.time(summary.duration)), \(summary.packetCount) frames, \(summary.payloadBytes) bytes"
    )
  }
  return ExitStatus.done
}

/// One file to remux.
struct RemuxJob: Sendable {
  static let fragmented = CommandOption(
    "--fragmented", help: "MP4 in fragments: for pipes and for streaming; can be cut off anywhere")
  static let mpeg2 = CommandOption("--mpeg2", help: "call it MPEG-2 AAC")

  var input: String
  var output: String
  var packets: PacketOutput
  /// The stretch that is copied; `nil` for all.
  var range: TimeRange?

  /// How the output is written, as the options say.
  static func output(
    _ container: ContainerFormat, _ arguments: ParsedArguments, _ console: Console
  ) throws -> PacketOutput {
    var output = PacketOutput(container)
    output.checksums = arguments.has(ContainerOptions.checksum)
    output.mpeg2 = arguments.has(RemuxJob.mpeg2)
    output.tags = try MetadataOptions.tags(arguments)
    output.chapters = try MetadataOptions.chapters(arguments) ?? []
    output.fragmentSeconds = try ContainerOptions.fragmentSeconds(arguments)
    if arguments.has(RemuxJob.fragmented) {
      guard output.container == .m4a || output.container == .fmp4 else {
        throw UsageError("--fragmented is for MP4 only: name OUT .m4a, or use -f fmp4")
      }
      output.container = .fmp4
    }
    try ContainerOptions.check(output, arguments, console)
    return output
  }

  func run(
    _ arguments: ParsedArguments, _ console: Console, progress: (Progress) -> Void
  ) throws -> RemuxSummary {
    let track = try TrackOption.number(arguments)
    let destination = try Destination(output, packets.container, inputs: [input], arguments, console)
    let source = try Inputs.openSource(input, console)
    let summary = try Transcoder.remux(
      source, to: destination.sink, sidecar: destination.sidecar, packets, track: track,
      seconds: range.map { $0.start..<($0.end ?? .infinity) }, path: Inputs.name(input),
      outputPath: Outputs.name(output), cancellation: console.cancellation, progress: progress)
    try destination.commit()
    return summary
  }
}

extension RemuxSummary {
  /// What is to be known of the copying.
  var remarks: [String] {
    warnings + (replacedCount > 0 ? ["\(replacedCount) missing frames were replaced by silence"] : [])
  }
}
