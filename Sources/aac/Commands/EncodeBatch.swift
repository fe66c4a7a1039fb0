import AACContainers
import AACKit
import AudioFiles
import Dispatch
import Synchronization

/// Several inputs to one folder.
struct EncodeBatch: Sendable {
  private let jobs: [EncodeJob]
  private let arguments: ParsedArguments
  private let console: Console

  init(
    _ operands: [String], _ options: EncodeOptions, _ raw: RawInput?, _ arguments: ParsedArguments,
    _ console: Console
  ) throws {
    guard operands.count > 1, let folder = operands.last else { throw UsageError("OUT is missing") }
    guard Files.isFolder(folder) else {
      throw UsageError("with several inputs OUT has to be a folder, which '\(folder)' is not")
    }
    if !options.output.chapters.isEmpty {
      throw UsageError("several inputs cannot have the same chapters: encode them one by one")
    }
    var options = options
    let formats = ContainerFormat.outputs.map { (name: $0.rawValue, value: $0) }
    options.output.container = try arguments.choice(ContainerOptions.format, formats) ?? .m4a
    try ContainerOptions.check(options.output, arguments, console)
    let base = folder.hasSuffix("/") ? folder : folder + "/"
    var names: Set<String> = []
    var jobs: [EncodeJob] = []
    for input in operands.dropLast() {
      if input == "-" { throw UsageError("standard input cannot go to a folder: name the output") }
      let output = base + Paths.stem(input) + "." + options.output.container.usualExtension
      guard names.insert(output).inserted else {
        throw UsageError("two inputs would become '\(output)'")
      }
      jobs.append(EncodeJob(input: input, output: output, options: options, raw: raw, progress: .none))
    }
    self.jobs = jobs
    self.arguments = arguments
    self.console = console
  }

  /// Encodes all, `count` at a time. The first failure's status counts; the others are encoded all the same.
  func run(jobs count: Int) -> Int32 {
    let next = Atomic<Int>(0)
    let status = Mutex<Int32>(ExitStatus.done)
    DispatchQueue.concurrentPerform(iterations: min(count, jobs.count)) { @Sendable _ in
      while true {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < jobs.count, !console.cancellation.isCancelled else { return }
        let result = reporting(console) { try encodeFile(jobs[index], arguments, console) }
        status.withLock { if $0 == ExitStatus.done { $0 = result } }
      }
    }
    return console.cancellation.isCancelled ? ExitStatus.interrupted : status.withLock { $0 }
  }
}

extension ContainerFormat {
  var usualExtension: String {
    switch self {
    case .adts: "aac"
    case .m4a, .fmp4: "m4a"
    case .adif, .loas, .raw, .ts, .flv: rawValue
    }
  }
}
