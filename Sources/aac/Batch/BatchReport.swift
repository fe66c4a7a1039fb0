import AACKit
import Synchronization

/// Tells how far a batch has come: one line on a terminal, or a JSON object for each file; a summary in the end.
final class BatchReport: Sendable {
  enum Outcome: String {
    case done
    case skipped
    case failed
    case interrupted
  }

  private struct State {
    var counts: [Outcome: Int] = [:]
    var failures: [BatchFailure] = []
    /// Seconds of sound in finished files.
    var seconds = 0.0
    var finishedBytes: Int64 = 0
    /// Of files in work: their done share in bytes, and seconds of sound.
    var running: [Int: (bytes: Double, seconds: Double)] = [:]
    var lastLine = ContinuousClock.now
    var hasLine = false
  }

  private let state: Mutex<State>
  private let mode: ProgressReport.Mode
  private let isQuiet: Bool
  private let console: Console
  private let count: Int
  private let totalBytes: Int64
  private let start = ContinuousClock.now

  init(_ plan: BatchPlan, mode: ProgressReport.Mode, isQuiet: Bool, _ console: Console) {
    self.mode = mode
    self.isQuiet = isQuiet
    self.console = console
    count = plan.items.count + plan.refusals.count
    totalBytes = max(1, plan.items.reduce(0) { $0 &+ $1.byteCount })
    state = Mutex(State())
    for refusal in plan.refusals {
      state.withLock { state in
        state.counts[.failed, default: 0] += 1
        state.failures.append(refusal)
      }
      say(.failed, input: refusal.path, output: nil, seconds: nil, error: refusal.message)
    }
  }

  private var elapsed: Double { ProgressReport.seconds(ContinuousClock.now - start) }

  /// Takes note of how far a file has come.
  func update(_ index: Int, _ item: BatchItem, _ progress: Progress) {
    guard mode == .line else { return }
    state.withLock { state in
      state.running[index] = (Double(item.byteCount) * (progress.fraction ?? 0), progress.seconds)
      let now = ContinuousClock.now
      guard now - state.lastLine >= .milliseconds(100) else { return }
      state.lastLine = now
      draw(&state)
    }
  }

  /// A file is done or needs no work. `seconds`: of its sound.
  func finish(_ index: Int, _ item: BatchItem, _ outcome: Outcome, seconds: Double?) {
    state.withLock { state in
      state.counts[outcome, default: 0] += 1
      state.running[index] = nil
      state.seconds += seconds ?? 0
      state.finishedBytes &+= item.byteCount
      if mode == .line { draw(&state) }
    }
    say(outcome, input: item.input, output: item.output, seconds: seconds, error: nil)
  }

  /// A file is not done.
  func finish(_ index: Int, _ item: BatchItem, _ error: any Error) {
    let outcome: Outcome = Failure.isInterruption(error) ? .interrupted : .failed
    let message = Failure.message(error)
    state.withLock { state in
      state.counts[outcome, default: 0] += 1
      state.running[index] = nil
      state.finishedBytes &+= item.byteCount
      if outcome == .failed {
        let isNamed = message.contains(item.input) || message.contains(item.output)
        state.failures.append(
          BatchFailure(path: item.input, message: isNamed ? message : "\(item.input): \(message)"))
      }
    }
    say(outcome, input: item.input, output: item.output, seconds: nil, error: message)
  }

  /// Something to know of a file that was done.
  func remark(_ text: String) {
    guard !isQuiet, mode != .json else { return }
    state.withLock { state in
      clear(&state)
      console.say("aac: \(Self.printable(text))")
    }
  }

  /// Tells the totals and the failures, and returns the exit status.
  func end(isInterrupted: Bool) -> Int32 {
    state.withLock { state in
      clear(&state)
      if mode == .json {
        console.say(summary(state).line)
      } else {
        for failure in state.failures { console.say("aac: \(Self.printable(failure.message))") }
        if !isQuiet { console.say(words(state)) }
      }
      if isInterrupted { return ExitStatus.interrupted }
      return state.failures.isEmpty ? ExitStatus.done : ExitStatus.failed
    }
  }

  // MARK: Words

  private func draw(_ state: inout State) {
    let bytes = Double(state.finishedBytes) + state.running.values.reduce(0) { $0 + $1.bytes }
    let fraction = min(1, bytes / Double(totalBytes))
    let seconds = state.seconds + state.running.values.reduce(0) { $0 + $1.seconds }
    let (elapsed, finished) = (elapsed, state.counts.values.reduce(0, +))
    var text = "\r\u{1B}[K\(finished)/\(count) files  \(Int(fraction * 100)) %"
    if elapsed > 0 { text += "  \(Numbers.fixed(seconds / elapsed, 1))x" }
    if fraction > 0 { text += "  \(Numbers.time(elapsed / fraction - elapsed, decimals: 0)) left" }
    if let failed = state.counts[.failed], failed > 0 { text += "  \(failed) failed" }
    console.put(text)
    state.hasLine = true
  }

  private func clear(_ state: inout State) {
    if state.hasLine { console.put("\r\u{1B}[K") }
    state.hasLine = false
  }

  private func say(_ outcome: Outcome, input: String, output: String?, seconds: Double?, error: String?) {
    guard mode == .json else { return }
    let line = JSON.object([
      (key: "input", value: .string(input)), (key: "output", value: .optional(output)),
      (key: "status", value: .string(outcome.rawValue)), (key: "seconds", value: .optional(seconds)),
      (key: "error", value: .optional(error)),
    ]).line
    // One line at a time.
    state.withLock { _ in console.say(line) }
  }

  private func summary(_ state: State) -> JSON {
    func number(_ outcome: Outcome) -> JSON { .integer(state.counts[outcome] ?? 0) }
    let elapsed = elapsed
    return .object([
      (key: "files", value: .integer(count)), (key: "done", value: number(.done)),
      (key: "skipped", value: number(.skipped)), (key: "failed", value: number(.failed)),
      (key: "left", value: .integer(count - finished(state))),
      (key: "seconds", value: .number(state.seconds)),
      (key: "elapsed", value: .number(elapsed)),
      (key: "speed", value: .number(elapsed > 0 ? state.seconds / elapsed : 0)),
    ])
  }

  /// Files that are done, skipped or failed.
  private func finished(_ state: State) -> Int {
    state.counts.reduce(0) { $0 + ($1.key == .interrupted ? 0 : $1.value) }
  }

  private func words(_ state: State) -> String {
    var text = "\(state.counts[.done] ?? 0) of \(count) files done"
    if let skipped = state.counts[.skipped] { text += ", \(skipped) skipped that were whole and newer" }
    if let failed = state.counts[.failed], failed > 0 { text += ", \(failed) failed" }
    let left = count - finished(state)
    if left > 0 { text += ", \(left) left" }
    guard state.seconds > 0 else { return text }
    let elapsed = elapsed
    text += "  \(Numbers.time(state.seconds)) of sound in \(Numbers.time(elapsed))"
    if elapsed > 0 { text += "  \(Numbers.fixed(state.seconds / elapsed, 1))x" }
    return text
  }

  /// Names may hold what would command a terminal.
  static func printable(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      scalars.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
    }
    return String(scalars)
  }
}
