#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Options on many files that several commands share.
enum BatchOptions {
  static let folder = CommandOption(
    "--out-dir", takes: "DIR", help: "all operands are inputs, and the outputs go to DIR, which is made")
  static let name = CommandOption(
    "--name", takes: "TEMPLATE",
    help: "what outputs in a folder are called, as '{artist}/{track} {title}': "
      + NameTemplate.fields.map { "{\($0)}" }.joined(separator: " "))
  static let jobs = CommandOption(
    "-j", "--jobs", takes: "N", help: "with several inputs: work on N at a time (usually one for each core)")
  static let resume = CommandOption(
    "--resume", help: "with several inputs: leave outputs alone that are whole and newer than their inputs")

  static let all = [folder, name, jobs, resume]

  /// What the help of a command says about batches.
  static let details = """
    With --out-dir DIR, or several inputs and a folder as the last operand, each IN is a file, a folder (all of
    its sound files, its folders kept) or a pattern in quotes ('*.wav'). A file that fails does not keep the
    others from being done; the status is 1 then, and those that failed are told at the end. --progress json
    gives a line for each file and the totals as the last one.
    """

  /// What is asked for where a command is to work on many files; `nil` for one input and one output.
  static func request(_ arguments: ParsedArguments) throws(UsageError) -> BatchRequest? {
    let operands = arguments.operands
    let jobs = try arguments.integer(jobs, in: 1...256)
    var request: BatchRequest
    if let folder = arguments.string(folder) {
      guard !folder.isEmpty else { throw .value(Self.folder.name, folder, "name a folder") }
      if operands.isEmpty { throw UsageError("IN is missing") }
      request = BatchRequest(inputs: operands, folder: folder)
    } else {
      guard let last = operands.last, let first = operands.first,
        operands.count > 2 || last.hasSuffix("/") || Files.isFolder(last)
          || (GlobPattern.isPattern(first) && !Files.exists(first))
      else {
        for option in [name, resume] where arguments.has(option) {
          throw UsageError("\(option.name) is for outputs in a folder: name it with \(folder.name)")
        }
        return nil
      }
      guard operands.count > 1 else { throw UsageError("OUT is missing") }
      guard last.hasSuffix("/") || Files.isFolder(last) else {
        throw UsageError(
          "with several inputs OUT has to be a folder, which '\(last)' is not; \(folder.name) makes one")
      }
      request = BatchRequest(inputs: operands.dropLast(), folder: last)
    }
    if !request.folder.hasSuffix("/") { request.folder += "/" }
    if let text = arguments.string(name) { request.template = try NameTemplate(text, option: name.name) }
    request.jobs = jobs ?? max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    request.resumes = arguments.has(resume)
    return request
  }
}

/// What a batch is asked for.
struct BatchRequest: Sendable {
  var inputs: [String]
  /// Where the outputs go, with a slash at its end.
  var folder: String
  var template: NameTemplate?
  var jobs = 1
  var resumes = false

  init(inputs: [String], folder: String) {
    self.inputs = inputs
    self.folder = folder
  }
}
