/// The version of the program and the library.
enum Version {
  static let number = "0.1.0"
}

/// Texts of `aac help`.
enum Help {
  static var names: String { UsageError.list(Command.all.map(\.name)) }

  static var overview: String {
    let width = Command.all.map(\.name.count).max() ?? 0
    let commands = Command.all.map { "  \(pad($0.name, width))  \($0.summary)" }
    return """
      usage: aac COMMAND [OPTIONS] IN OUT

      \(commands.joined(separator: "\n"))

      aac help COMMAND tells more of a command, aac --version the version.
      - stands for the standard input or output. Nothing is overwritten without -y.
      Exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
      """
  }

  static func text(for name: String?) throws(UsageError) -> String {
    guard let name else { return overview }
    guard let command = Command.all.first(where: { $0.name == name }) else {
      throw UsageError("there is no command '\(name)'; there are \(names)")
    }
    let width = min(26, command.options.map(\.usage.count).max() ?? 0)
    let options = command.options.map { option in
      let lines = wrap(option.help, 76 - width)
      let head =
        option.usage.count <= width
        ? "  \(pad(option.usage, width))  \(lines[0])"
        : "  \(option.usage)\n  \(pad("", width))  \(lines[0])"
      return ([head] + lines.dropFirst().map { "  \(pad("", width))  \($0)" }).joined(separator: "\n")
    }
    return """
      usage: aac \(command.name) [OPTIONS] \(command.operands)

      \(command.summary)

      \(command.details)

      \(options.joined(separator: "\n"))
      """
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// The words of `text` in lines of `width` characters.
  static func wrap(_ text: String, _ width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let last = lines[lines.count - 1]
      if !last.isEmpty, last.count + 1 + word.count > width {
        lines.append(String(word))
      } else {
        lines[lines.count - 1] = last.isEmpty ? String(word) : last + " " + word
      }
    }
    return lines
  }
}
