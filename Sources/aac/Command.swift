import AACKit

/// Exit statuses of the contract.
enum ExitStatus {
  static let done: Int32 = 0
  static let failed: Int32 = 1
  static let usage: Int32 = 2
  static let interrupted: Int32 = 130
}

/// One of the commands behind `aac`.
struct Command: Sendable {
  let name: String
  /// One line for the list of commands.
  let summary: String
  /// The operands, as the usage line shows them.
  let operands: String
  /// What the help says besides, in whole lines.
  let details: String
  let options: [CommandOption]
  let run: @Sendable (ParsedArguments, Console) throws -> Int32

  static let all: [Command] = [
    encode, decode, info, tag, remux, cut, join, play, record, repair, devices, compare, codecs,
  ]
}

/// Runs a command line (without the program's name) and returns the exit status.
func run(_ arguments: [String], _ console: Console) -> Int32 {
  reporting(console) { try dispatch(arguments, console) }
}

/// Turns what `body` throws into a message and an exit status.
func reporting(_ console: Console, _ body: () throws -> Int32) -> Int32 {
  do { return try body() } catch {
    if !Failure.isInterruption(error) { console.say("aac: \(Failure.message(error))") }
    return Failure.status(error)
  }
}

private func dispatch(_ arguments: [String], _ console: Console) throws -> Int32 {
  guard let first = arguments.first else {
    console.say(Help.overview)
    return ExitStatus.usage
  }
  let rest = [String](arguments.dropFirst())
  switch first {
  case "--help", "-h", "help":
    try console.print(try Help.text(for: rest.first))
    return ExitStatus.done
  case "--version", "version":
    try console.print("aac \(Version.number)")
    return ExitStatus.done
  default: break
  }
  guard let command = Command.all.first(where: { $0.name == first }) else {
    throw UsageError("there is no command '\(first)'; there are \(Help.names)")
  }
  if rest.contains("--help") || rest.contains("-h") {
    try console.print(try Help.text(for: first))
    return ExitStatus.done
  }
  do {
    return try command.run(try ParsedArguments(rest, options: command.options), console)
  } catch let error as UsageError {
    throw UsageError("\(command.name): \(error)\nSee: aac help \(command.name)")
  }
}
