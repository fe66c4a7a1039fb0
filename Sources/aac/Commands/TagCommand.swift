import AACContainers
import AACKit
import AudioFiles

private enum Options {
  static let remove = CommandOption(
    "--remove", takes: "KEY", repeats: true, help: "remove a tag, or cover, or chapters; may be repeated")
  static let clear = CommandOption("--clear", help: "remove all tags and covers first; chapters stay")
  static let extractCover = CommandOption(
    "--extract-cover", takes: "OUT", help: "write the first cover to a file or to standard output (-)")
  static let fromJSON = CommandOption(
    "--from-json", takes: "FILE",
    help: "replace the tags, and the chapters if they are there, by those that --json printed")
  static let dryRun = CommandOption("--dry-run", help: "do all but write, and print what the file would say")

  static let edits = [
    MetadataOptions.tag, remove, clear, MetadataOptions.cover, fromJSON, MetadataOptions.chapters,
  ]
}

extension Command {
  static let tag = Command(
    name: "tag", summary: "show and change tags, cover and chapters of MP4 files", operands: "FILE…",
    details: """
      Without options that change something the files' tags are shown. --tag sets a tag, with an empty value it
      removes it, and given twice for one key it sets two values. Other names than the known ones are kept as
      they are, 'com.example:Name' with the first part as its domain.
      The sound stays as it is, which is checked before a file is replaced: at every moment there is the whole
      old file or the whole new one. Several files are changed one after another; status 1 if any could not be.

      \(Help.wrap("Known keys: " + Tags.Key.all.joined(separator: ", "), 104).joined(separator: "\n"))
      """,
    options: [SharedOptions.json] + Options.edits
      + [Options.extractCover, Options.dryRun, SharedOptions.overwrite, SharedOptions.quiet],
    run: runTag)
}

private func runTag(_ arguments: ParsedArguments, _ console: Console) throws -> Int32 {
  let paths = arguments.operands
  guard !paths.isEmpty else { throw UsageError("FILE is missing") }
  if paths.contains("-") { throw UsageError("tag works on files, not on pipes") }
  let output = arguments.string(Options.extractCover)
  if output != nil, paths.count > 1 { throw UsageError("\(Options.extractCover.name) takes one FILE") }
  if output == "-", arguments.has(SharedOptions.json) || arguments.has(Options.dryRun) {
    throw UsageError("standard output cannot take the cover and text")
  }
  let isEdit = Options.edits.contains { arguments.has($0) }
  if arguments.has(Options.dryRun), !isEdit {
    throw UsageError("\(Options.dryRun.name) needs something to change")
  }
  let edit = try NotesEdit(arguments, console)
  if let output { try extract(paths[0], output, arguments, console) }
  guard isEdit || output == nil else { return ExitStatus.done }

  var status = ExitStatus.done
  var results: [TagResult] = []
  for path in paths {
    if console.cancellation.isCancelled { return ExitStatus.interrupted }
    let result = reporting(console) {
      let result = try isEdit ? change(path, edit, arguments, console) : TagResult(showing: path)
      if !arguments.has(SharedOptions.json), !isEdit || arguments.has(Options.dryRun) {
        try console.print(result.text(withName: paths.count > 1))
      }
      results.append(result)
      return ExitStatus.done
    }
    if result == ExitStatus.interrupted { return result }
    if result != ExitStatus.done { status = result }
  }
  if arguments.has(SharedOptions.json) {
    // One file is an object, several are a list, whatever became of them.
    let list = results.map(\.json)
    if paths.count > 1 || list.count == 1 {
      try console.print((paths.count > 1 ? JSON.array(list) : list[0]).pretty)
    }
  }
  return status
}

private func change(
  _ path: String, _ edit: NotesEdit, _ arguments: ParsedArguments, _ console: Console
) throws -> TagResult {
  let isTrial = arguments.has(Options.dryRun)
  let summary = try Transcoder.editNotes(
    of: path, isTrial: isTrial, cancellation: console.cancellation
  ) { (notes) throws(AACKitError) in edit.apply(to: &notes) }
  if !arguments.has(SharedOptions.quiet) {
    let what =
      switch summary.outcome {
      case .unchanged: "nothing to change"
      case .inPlace: isTrial ? "would be changed in place" : "changed in place"
      case .rewritten:
        isTrial ? "would be written anew, \(summary.length) bytes" : "written, \(summary.length) bytes"
      }
    console.say("\(path): \(what)")
  }
  return TagResult(path: path, notes: summary.notes, outcome: summary.outcome)
}

private func extract(
  _ path: String, _ output: String, _ arguments: ParsedArguments, _ console: Console
) throws {
  let covers = try Transcoder.notes(of: path).tags.artwork
  guard let cover = covers.first else { throw AACKitError(.unsupported("has no cover"), path: path) }
  if covers.count > 1, !arguments.has(SharedOptions.quiet) {
    console.say("aac: \(path): there are \(covers.count) covers; this is the first")
  }
  if output == "-" {
    try console.refuseTerminal()
    try ByteOutput(descriptor: console.output, cancellation: console.cancellation).write(cover.data)
    return
  }
  let file = try AtomicFile(
    output, replacing: arguments.has(SharedOptions.overwrite), inputs: [path])
  do throws(ContainerError) {
    let sink = try FileSink(path: file.writingPath, replacing: true)
    try sink.append(cover.data)
    try sink.close()
  } catch { throw AACKitError(.container(error), path: output) }
  try file.commit()
  if !arguments.has(SharedOptions.quiet) {
    console.say("\(output): \(cover.format.rawValue), \(cover.data.count) bytes")
  }
}

/// What a file says, or said.
private struct TagResult {
  var path: String
  var notes: FileNotes
  var outcome: TagEditSummary.Outcome?

  init(path: String, notes: FileNotes, outcome: TagEditSummary.Outcome) {
    self.path = path
    self.notes = notes
    self.outcome = outcome
  }

  init(showing path: String) throws(AACKitError) {
    self.path = path
    notes = try Transcoder.notes(of: path)
  }

  func text(withName: Bool) -> String {
    let rows = notes.tags.rows + notes.chapters.rows
    return Rows.text((withName ? [("file", path)] : []) + (rows.isEmpty ? [("tags", "none")] : rows))
  }

  var json: JSON {
    var members: [(key: String, value: JSON)] = [
      (key: "file", value: .string(path)), (key: "tags", value: notes.tags.json),
      (key: "artwork", value: notes.tags.artworkJSON), (key: "chapters", value: notes.chapters.json),
      (
        key: "otherItems",
        value: .array(
          notes.tags.foreignItems.map {
            .object([(key: "key", value: .string($0.key)), (key: "bytes", value: .integer($0.bytes.count))])
          })
      ),
    ]
    if let outcome { members.append((key: "outcome", value: .string(outcome.rawValue))) }
    return .object(members)
  }
}

/// What the options change, in the order in which it is done.
private struct NotesEdit {
  private let clears: Bool
  private let document: NotesDocument?
  private let removed: [String]
  private let tags: Tags
  private let chapters: [Chapter]?

  init(_ arguments: ParsedArguments, _ console: Console) throws {
    clears = arguments.has(Options.clear)
    document = try arguments.string(Options.fromJSON).map { try NotesDocument($0, console) }
    removed = arguments.strings(Options.remove).map(MetadataOptions.key)
    tags = try MetadataOptions.tags(arguments)
    chapters = try MetadataOptions.chapters(arguments)
    if document?.chapters != nil, chapters != nil {
      throw UsageError("\(Options.fromJSON.name) and \(MetadataOptions.chapters.name) both bring chapters")
    }
  }

  func apply(to notes: inout FileNotes) {
    if clears { notes.tags = Tags() }
    if let fields = document?.fields {
      for key in notes.tags.keys where !fields.contains(where: { $0.key == key }) { notes.tags[key] = nil }
      for (key, values) in fields { notes.tags.set(key, to: values) }
    }
    if let chapters = document?.chapters { notes.chapters = chapters }
    for key in removed {
      switch key {
      case "cover": notes.tags.artwork = []
      case "chapters": notes.chapters = []
      default: notes.tags.set(key, to: [])
      }
    }
    notes.tags.merge(tags)
    if let chapters { notes.chapters = chapters }
  }
}

/// The form that `--json` prints, as far as it can be read back: tags and chapters.
private struct NotesDocument {
  var fields: [(key: String, values: [String])]?
  var chapters: [Chapter]?

  init(_ path: String, _ console: Console) throws(AACKitError) {
    let source = try Inputs.openSource(path, console)
    do throws(ContainerError) {
      var scanner = JSONScanner(source, name: "the JSON text")
      try scanner.object { (name, scanner) throws(ContainerError) in
        switch name {
        case "tags": fields = try Self.tags(&scanner)
        case "chapters": chapters = try Self.chapters(&scanner)
        default: try scanner.skipValue()
        }
      }
      if try scanner.peek() != nil { throw scanner.failure("something follows the object") }
      if fields == nil, chapters == nil { throw scanner.failure("there are no tags and no chapters") }
    } catch { throw AACKitError(.container(error), path: Inputs.name(path)) }
  }

  private static func tags(_ scanner: inout JSONScanner) throws(ContainerError) -> [(
    key: String, values: [String]
  )] {
    var fields: [(key: String, values: [String])] = []
    try scanner.object { (name, scanner) throws(ContainerError) in
      guard !name.isEmpty else { throw scanner.failure("a tag has no name") }
      let key = MetadataOptions.key(name)
      let values = try scanner.strings().filter { !$0.isEmpty }
      fields.append((key: key, values: values))
    }
    return fields
  }

  private static func chapters(_ scanner: inout JSONScanner) throws(ContainerError) -> [Chapter] {
    var chapters: [Chapter] = []
    try scanner.list { (scanner) throws(ContainerError) in
      var start: Double?
      var title = ""
      try scanner.object { (name, scanner) throws(ContainerError) in
        switch name {
        case "start": start = try scanner.number()
        case "title": title = try scanner.string()
        default: try scanner.skipValue()
        }
      }
      guard let start, (0..<1e9).contains(start) else {
        throw scanner.failure("a chapter has no usable start")
      }
      guard chapters.count < Chapter.countLimit else { throw scanner.failure("there are too many chapters") }
      chapters.append(Chapter(start: start, title: title))
    }
    return chapters
  }
}
