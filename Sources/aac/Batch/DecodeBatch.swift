import AACKit
import AudioFiles

/// Several AAC files to one folder.
struct DecodeBatch: Sendable {
  /// What is taken of folders.
  static let extensions = ["m4a", "m4b", "mp4", "aac", "adts", "adif", "loas", "latm"]

  private let batch: Batch
  private let kind: PCMOutput
  private let arguments: ParsedArguments

  init(_ request: BatchRequest, _ arguments: ParsedArguments, _ console: Console) throws(UsageError) {
    kind = try pcmOutput(arguments, "-")
    self.arguments = arguments
    let suffix =
      switch kind.type {
      case .file(let type): type.rawValue
      case .raw: "pcm"
      }
    // Wrong options are told once, before anything is done.
    _ = try DecodeJob(input: "", output: nil, kind: kind, arguments)
    let plan = try BatchPlan(request, extensions: Self.extensions, outputExtension: suffix)
    batch = try Batch(plan, request, arguments, console)
  }

  func run() -> Int32 {
    let isRaw = if case .raw = kind.type { true } else { false }
    let isWhole: @Sendable (String) -> Bool = { isRaw ? Files.size($0) > 0 : Outputs.isWholeSound($0) }
    return batch.run(batch.remaining(isWhole: isWhole)) { item, progress in
      let job = try DecodeJob(input: item.input, output: item.output, kind: kind, arguments)
      let result = try job.run(arguments, batch.console, progress: progress)
      for remark in result.remarks { batch.report.remark("\(item.input): \(remark)") }
      return result.seconds
    }
  }
}
