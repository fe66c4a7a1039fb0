#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How often each loudness came about in a sound, or in several: enough to tell the integrated loudness of all of
/// them together (ITU-R BS.1770), in little memory.
///
/// The blocks of 400 ms that the standard's gates look at are counted in steps of 0.1 LU.
public struct LoudnessDistribution: Sendable, Equatable {
  private static let lowest = -70.0
  private static let steps = 1000

  /// Blocks from −70 LUFS on, by tenths.
  private var counts = [Int64](repeating: 0, count: steps)

  public init() {}

  /// Counts a block; those below −70 LUFS are left out.
  mutating func add(block loudness: Double) {
    guard loudness >= Self.lowest else { return }
    let index = min(((loudness - Self.lowest) * 10).rounded(.down), Double(Self.steps - 1))
    counts[Int(index)] += 1
  }

  /// Adds the blocks of another sound.
  public mutating func add(_ other: LoudnessDistribution) {
    for index in counts.indices { counts[index] &+= other.counts[index] }
  }

  /// Loudness of all sounds together in LUFS, quiet blocks left out; −infinity for silence.
  public var integrated: Double {
    let all = mean(from: 0)
    guard all.isFinite else { return all }
    let gate = ((all - 10 - Self.lowest) * 10).rounded(.down)
    return mean(from: Int(min(max(gate, 0), Double(Self.steps - 1))))
  }

  /// Mean power of the blocks from a step on, as loudness.
  private func mean(from first: Int) -> Double {
    var (power, count) = (0.0, 0.0)
    for index in first..<Self.steps where counts[index] > 0 {
      let loudness = Self.lowest + 0.1 * Double(index) + 0.05
      power += Double(counts[index]) * pow(10, loudness / 10)
      count += Double(counts[index])
    }
    return count > 0 ? 10 * log10(power / count) : -.infinity
  }
}
