import AACContainers
import AACKit

/// One file of a batch.
struct BatchItem: Sendable, Equatable {
  var input: String
  var output: String
  /// Bytes of the input.
  var byteCount: Int64
}

/// What a batch will do, checked as a whole before anything is done.
struct BatchPlan: Sendable {
  private(set) var items: [BatchItem] = []
  /// Inputs that cannot be taken, and why.
  private(set) var refusals: [BatchFailure] = []

  /// - Parameters:
  ///   - extensions: of the files that are taken of folders.
  ///   - outputExtension: what outputs end in.
  /// - Throws: `UsageError` where two inputs would become one file, or an output is an input of another file.
  init(_ request: BatchRequest, extensions: [String], outputExtension: String) throws(UsageError) {
    let search = try InputSearch(request.inputs, extensions: extensions)
    refusals = search.refusals.map { BatchFailure(path: $0.path, message: "\($0.path): \($0.reason)") }
    items.reserveCapacity(search.found.count)
    for found in search.found {
      let output = Self.output(of: found, request) + "." + outputExtension
      items.append(BatchItem(input: found.path, output: output, byteCount: Files.size(found.path)))
    }
    try refuseCollisions()
  }

  private static func output(of found: InputSearch.Found, _ request: BatchRequest) -> String {
    let stem = Paths.stem(found.path)
    guard let template = request.template else { return request.folder + found.folder + stem }
    let tags = template.needsTags ? InputTags.read(found.path) : Tags()
    return request.folder + (template.hasFolders ? "" : found.folder) + template.name(stem: stem, tags)
  }

  private func refuseCollisions() throws(UsageError) {
    var inputs: [Files.Identity: String] = [:]
    for item in items { Files.identity(item.input).map { inputs[$0] = item.input } }
    var makers: [[UInt8]: String] = [:]
    for item in items {
      if let other = makers.updateValue(item.input, forKey: [UInt8](item.output.utf8)) {
        throw UsageError(
          "two inputs would become '\(item.output)': \(other) and \(item.input); nothing was done")
      }
      if let input = Files.identity(item.output).flatMap({ inputs[$0] }), input != item.input {
        throw UsageError(
          "'\(item.output)', which \(item.input) would become, is an input itself; nothing was done")
      }
    }
  }
}

/// Tags of an input, for its output's name.
enum InputTags {
  /// None where the file cannot be read: that is told when its turn comes.
  static func read(_ path: String) -> Tags {
    guard let reader = try? AudioFile.open(path) else { return Tags() }
    return Tags(reader.tags.map { ($0.key, $0.value) })
  }
}
