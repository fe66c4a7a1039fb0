import AACContainers
import AACKit

/// Several AAC files to one folder, in another container.
struct RemuxBatch: Sendable {
  private let batch: Batch
  private let packets: PacketOutput
  private let arguments: ParsedArguments

  init(_ request: BatchRequest, _ arguments: ParsedArguments, _ console: Console) throws {
    let formats = ContainerFormat.outputs.map { (name: $0.rawValue, value: $0) }
    let container = try arguments.choice(ContainerOptions.format, formats) ?? .m4a
    packets = try RemuxJob.output(container, arguments, console)
    guard packets.chapters.isEmpty else { throw MetadataOptions.sharedChapters }
    let plan = try BatchPlan(
      request, extensions: DecodeBatch.extensions + ["ts", "flv"], outputExtension: container.usualExtension)
    batch = try Batch(plan, request, arguments, console)
    self.arguments = arguments
  }

  func run() -> Int32 {
    batch.run(batch.remaining(isWhole: Outputs.isWholeContainer)) { item, progress in
      let job = RemuxJob(input: item.input, output: item.output, packets: packets)
      let summary = try job.run(arguments, batch.console, progress: progress)
      for remark in summary.remarks { batch.report.remark("\(item.input): \(remark)") }
      return summary.duration
    }
  }
}
