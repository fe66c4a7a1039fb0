/// An option that a command knows.
struct CommandOption: Sendable {
  /// With their dashes; the first is the one that messages use.
  let names: [String]
  /// What stands for the value in the help, `nil` for a switch.
  let placeholder: String?
  let help: String
  let repeats: Bool

  init(_ names: String..., takes placeholder: String? = nil, repeats: Bool = false, help: String) {
    self.names = names
    self.placeholder = placeholder
    self.repeats = repeats
    self.help = help
  }

  var name: String { names[0] }

  /// As the help writes it: `-b RATE`, `--rate HZ`.
  var usage: String { names.joined(separator: ", ") + (placeholder.map { " \($0)" } ?? "") }
}

/// Options that several commands share.
enum SharedOptions {
  static let overwrite = CommandOption("-y", "--overwrite", help: "replace OUT where it exists")
  static let quiet = CommandOption("-q", "--quiet", help: "no progress and no remarks, errors only")
  static let json = CommandOption("--json", help: "print JSON")
  static let progress = CommandOption(
    "--progress", takes: "line|json|none",
    help: "how progress goes to standard error: a line on a terminal (usual), a JSON object a second")
}
