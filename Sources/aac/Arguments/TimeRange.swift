/// A stretch of a sound: `--from` and `--to`.
struct TimeRange: Equatable {
  static let from = CommandOption(
    "--from", takes: "TIME", help: "begin there: seconds, or H:M:S, counted from the sound's start")
  static let to = CommandOption("--to", takes: "TIME", help: "end in front of that time")

  /// Seconds.
  var start: Double
  /// Seconds; `nil` for the end of the sound.
  var end: Double?

  /// What the options say; `nil` where neither is given.
  init?(_ arguments: ParsedArguments) throws(UsageError) {
    let start = try Self.time(arguments, Self.from)
    end = try Self.time(arguments, Self.to)
    guard start != nil || end != nil else { return nil }
    self.start = start ?? 0
    if let end, end <= self.start {
      throw UsageError("\(Self.to.name) has to be later than \(Self.from.name)")
    }
  }

  /// The frames of the stretch at a rate.
  func frames(at rate: Int) -> (start: Int64, count: Int64) {
    let first = Int64((start * Double(rate)).rounded())
    return (first, end.map { Int64(($0 * Double(rate)).rounded()) - first } ?? .max)
  }

  private static func time(_ arguments: ParsedArguments, _ option: CommandOption) throws(UsageError)
    -> Double?
  {
    guard let text = arguments.string(option) else { return nil }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
    var seconds = 0.0
    for (index, part) in parts.enumerated() {
      guard let part, part.isFinite, part >= 0, parts.count <= 3, index == 0 || part < 60 else {
        throw .value(option.name, text, "give seconds, M:S or H:M:S, as 90.5 or 1:30.5")
      }
      seconds = seconds * 60 + part
    }
    guard seconds <= 1e8 else { throw .value(option.name, text, "that is longer than three years") }
    return seconds
  }
}
