/// A command line that cannot be meant: exit status 2.
struct UsageError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// An option with a value that it cannot have. Names the option, the value and what is possible.
  static func value(_ option: String, _ value: String, _ possible: String) -> UsageError {
    UsageError("\(option) cannot be '\(value)': \(possible)")
  }

  /// `a, b or c`.
  static func list(_ choices: [String]) -> String {
    guard choices.count > 1, let last = choices.last else { return choices.first ?? "" }
    return choices.dropLast().joined(separator: ", ") + " or " + last
  }
}
