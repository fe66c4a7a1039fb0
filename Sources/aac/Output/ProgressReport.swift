import AACKit

/// Tells of progress on standard error: a line on a terminal, or JSON objects for scripts.
final class ProgressReport {
  enum Mode: Sendable {
    case none
    case line
    case json
  }

  private let mode: Mode
  private let console: Console
  private let label: String
  private let start = ContinuousClock.now
  private var last: ContinuousClock.Instant
  private var hasLine = false
  private var count = 0

  init(_ mode: Mode, _ console: Console, label: String) {
    self.mode = mode
    self.console = console
    self.label = label
    last = start
  }

  /// The mode that the options and the terminal ask for.
  static func mode(_ arguments: ParsedArguments, _ console: Console) throws(UsageError) -> Mode {
    let chosen = try arguments.choice(
      SharedOptions.progress, [("line", Mode.line), ("json", .json), ("none", .none)])
    if chosen == .json { return .json }
    if arguments.has(SharedOptions.quiet) || chosen == Mode.none { return .none }
    return console.drawsProgress ? .line : .none
  }

  /// Wall-clock seconds since the start.
  var elapsed: Double { Self.seconds(ContinuousClock.now - start) }

  func update(_ progress: Progress) {
    guard mode != .none else { return }
    count += 1
    // The clock is not free: look at it now and then.
    guard count % 8 == 0 else { return }
    let now = ContinuousClock.now
    guard now - last >= (mode == .line ? .milliseconds(100) : .seconds(1)) else { return }
    last = now
    if mode == .line { draw(progress) } else { print(progress, isDone: false) }
  }

  /// Removes the line, or prints the totals.
  func finish(_ progress: Progress?, extra: [(key: String, value: JSON)] = []) {
    clear()
    if mode == .json, let progress { print(progress, isDone: true, extra: extra) }
  }

  func clear() {
    if hasLine { console.put("\r\u{1B}[K") }
    hasLine = false
  }

  private func draw(_ progress: Progress) {
    let speed = elapsed > 0 ? progress.seconds / elapsed : 0
    var text = "\r\u{1B}[K\(label): "
    if let fraction = progress.fraction {
      text += "\(Int(fraction * 100)) %  \(Numbers.fixed(speed, 1))x"
      if fraction > 0 { text += "  \(Numbers.time(elapsed / fraction - elapsed, decimals: 0)) left" }
    } else {
      text += "\(Numbers.time(progress.seconds, decimals: 0))  \(Numbers.fixed(speed, 1))x"
    }
    console.put(text)
    hasLine = true
  }

  private func print(_ progress: Progress, isDone: Bool, extra: [(key: String, value: JSON)] = []) {
    let speed = elapsed > 0 ? progress.seconds / elapsed : 0
    let fraction = isDone ? 1 : progress.fraction
    let left = fraction.flatMap { $0 > 0 ? max(0, elapsed / $0 - elapsed) : nil }
    console.say(
      JSON.object(
        [
          (key: "file", value: .string(label)), (key: "done", value: .bool(isDone)),
          (key: "fraction", value: .optional(fraction)), (key: "seconds", value: .number(progress.seconds)),
          (key: "elapsed", value: .number(elapsed)), (key: "speed", value: .number(speed)),
          (key: "left", value: .optional(left)),
        ] + extra
      ).line)
  }

  static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }
}
