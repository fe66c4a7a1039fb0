public import AACContainers

/// How a damaged file is to be repaired.
public struct RepairOptions: Sendable {
  /// Another file of the same recorder, to tell the configuration where the damaged one has lost its own.
  public var like: String?
  /// What is known of a file that has lost its tables; `nil`: guessed. The rate, in Hz, is that of the core coder.
  public var sampleRate: Int?
  public var channelCount: Int?
  /// Container of the output; `nil`: by its name.
  public var container: ContainerFormat?
  /// Whether the output, or a copy of the original that was kept earlier, may be replaced.
  public var replacing = false
  public init() {}
}

/// What a repair found and did.
public struct RepairSummary: Sendable, Equatable {
  /// Whether something was written.
  public enum Outcome: String, Sendable {
    /// Nothing is wrong, and nothing was written.
    case undamaged
    case repaired
  }

  public var outcome = Outcome.undamaged
  /// Container of what is there now.
  public var container: ContainerFormat
  /// Access units that are kept as they are.
  public var keptCount: Int64 = 0
  /// Access units that are missing or damaged, as far as their number is known.
  public var lostCount: Int64 = 0
  /// Those in whose place there is silence, so that the time is kept.
  public var silenceCount: Int64 = 0
  /// Sound is missing of which nobody knows how long it was.
  public var hasUnknownLoss = false
  /// Seconds of sound that the file has.
  public var duration: Double = 0
  /// What was wrong, in words: the first twenty things, and how many more.
  public var faults: [String] = []
  public var furtherFaults = 0
  /// Where the first of them is, in bytes from the start of the file.
  public var firstOffset: Int64?
  /// What had to be assumed.
  public var assumptions: [String] = []
  /// Where the original is kept, if it was replaced and something in it is lost.
  public var originalPath: String?

  init(container: ContainerFormat) { self.container = container }
}
