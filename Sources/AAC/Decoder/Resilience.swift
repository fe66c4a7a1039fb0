import DSP
internal import PCM

/// What the decoder goes by where it doubts the data.
struct Resilience {
  /// What a frame's samples were held at.
  enum Limit {
    case none
    /// Something was made up in it or before.
    case held
    /// They are no sound.
    case implausible
  }

  /// Full scale and 1 dB: louder is nothing in and right behind what is made up.
  private static let ceiling: Float = 1.122018
  /// So many frames does what is made up sound on: the window of enhanced low delay has four.
  private static let echo = 4
  /// Replicated bands go on from what they were for some frames.
  private static let replicationEcho = 24
  /// So many frames without damage and the stream is trusted again.
  private static let wariness = 1000
  /// Louder than all before by more than 8 dB is no sound. Good streams are known that exceed full scale by 6 dB.
  private static let leap: Float = 2.5
  /// But for streams that go on so.
  private static let patience = 3

  /// Frames in a row that were not whole, up to now.
  private(set) var run = 0
  /// Frames since the last one that was not whole.
  private var since = Resilience.wariness
  /// Access units in a row that ask for other channels than those before.
  var changeCount = 0
  /// Whether access units end with their data.
  var tidiness = Tidiness()
  /// Highest sample of all frames that were believed, at least full scale.
  private var peak: Float = 1
  /// Frames in a row that leapt.
  private var leapCount = 0

  /// Takes in how the frame at hand was.
  mutating func take(isWhole: Bool) {
    run = isWhole ? 0 : min(run + 1, 1 << 30)
    since = isWhole ? min(since + 1, Self.wariness) : 0
  }

  mutating func discontinuity() {
    run = 0
    since = 0
  }

  /// Holds the samples of a frame where they are no sound.
  ///
  /// - Parameters:
  ///   - hasReplication: the output comes from replicated bands.
  ///   - isWeighted: dynamic range control is followed.
  mutating func limit(_ output: inout PCMBuffer, hasReplication: Bool, isWeighted: Bool) -> Limit {
    var highest: Float = 0
    for channel in output.channels.indices {
      highest = max(highest, SpectralKernels.peak(output.channels[channel], range: 0..<output.frameCount))
    }
    guard highest > Self.ceiling else {
      leapCount = 0
      return .none
    }
    if since < (hasReplication ? Self.replicationEcho : Self.echo) {
      return hold(&output, Self.ceiling, .held)
    }
    // The gains of dynamic range control may lift the sound by as much.
    if highest > Self.leap * peak, !isWeighted {
      leapCount += 1
      if leapCount <= Self.patience { return hold(&output, Self.ceiling, .implausible) }
      peak = highest
    } else if since < Self.wariness, highest > peak {
      return hold(&output, max(Self.ceiling, peak), .held)
    } else {
      leapCount = 0
      peak = max(peak, min(highest, 1.25 * peak))
    }
    return .none
  }

  private func hold(_ output: inout PCMBuffer, _ ceiling: Float, _ limit: Limit) -> Limit {
    for channel in output.channels.indices {
      Self.hold(&output.channels[channel], output.frameCount, ceiling)
    }
    return limit
  }

  private static func hold(_ samples: inout [Float], _ count: Int, _ ceiling: Float) {
    for index in 0..<count { samples[index] = min(max(samples[index], -ceiling), ceiling) }
  }
}

/// Learns whether the units of a stream end where their data does. Damage that can be read as something else seldom
/// does; some encoders leave bytes behind the end.
struct Tidiness: Sendable {
  private static let lesson = 16
  private static let patience = 3

  private var tidyCount = 0
  private var untidyRun = 0

  /// - Parameter bits: left behind the end.
  /// - Returns: whether the unit is likely to be damaged.
  mutating func doubts(_ bits: Int) -> Bool {
    if (0..<8).contains(bits) {
      tidyCount = min(tidyCount + 1, 1 << 20)
      untidyRun = 0
      return false
    }
    guard tidyCount >= Self.lesson else {
      tidyCount = 0
      return false
    }
    untidyRun += 1
    if untidyRun == Self.patience { tidyCount = 0 }
    return untidyRun < Self.patience
  }
}
