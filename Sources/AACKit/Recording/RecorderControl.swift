import AudioDevices
import Synchronization
import Threads

/// What the caller wants of a running recording, each with the moment it was asked: sound from before it is still
/// treated as before.
final class RecorderControl: Sendable {
  enum Command: Equatable {
    case begin, pause, resume, split, stop
  }

  /// How long a command waits for the sound of its moment to come, where the device gives none.
  static let patience = 1.0

  private let commands = Guarded<[(command: Command, time: MonotonicTime)]>([])
  private let isStoppingValue = Atomic<Bool>(false)

  func add(_ command: Command) {
    commands.withLock { commands in
      // Nobody needs more of them than this, and a caller in a loop shall not fill the memory.
      if commands.count < 1000 || command == .stop { commands.append((command, .now)) }
    }
    if command == .stop { isStoppingValue.store(true, ordering: .releasing) }
  }

  /// Whether `stop` was asked for, be its moment there or not.
  var isStopping: Bool { isStoppingValue.load(ordering: .acquiring) }

  /// Takes the next command that was given until `time`; any where the time of the sound is not known.
  func next(until time: MonotonicTime?) -> Command? {
    commands.withLock { commands in
      guard let first = commands.first else { return nil }
      if let time, first.time > time { return nil }
      return commands.removeFirst().command
    }
  }

  /// Takes the next command whose sound has not come in time.
  func nextOverdue() -> Command? { next(until: MonotonicTime.now.advanced(bySeconds: -Self.patience)) }
}
