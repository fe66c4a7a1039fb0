#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A point on the clock that never jumps: nanoseconds since some moment before the process started.
public struct MonotonicTime: Sendable, Hashable, Comparable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The time of this moment.
  public static var now: MonotonicTime {
    var time = timespec()
    // unsafe: the call fills the structure it is given.
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }

  /// The time `seconds` later, which may be negative. Not finite or too far away counts as the end of time.
  public func advanced(bySeconds seconds: Double) -> MonotonicTime {
    let distance = Int64(exactly: (seconds * 1e9).rounded()) ?? (seconds < 0 ? .min : .max)
    let (sum, overflow) = nanoseconds.addingReportingOverflow(distance)
    return MonotonicTime(nanoseconds: overflow ? (distance < 0 ? .min : .max) : sum)
  }

  /// Seconds from `start` to this time.
  public func seconds(since start: MonotonicTime) -> Double {
    (Double(nanoseconds) - Double(start.nanoseconds)) / 1e9
  }

  public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}

extension Duration {
  /// The duration in seconds.
  package var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
