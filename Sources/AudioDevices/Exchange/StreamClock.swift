import Synchronization

/// Which frame of a stream belongs to which moment: written by the device's thread, read by any, without locks.
final class StreamClock: Sendable {
  struct Anchor {
    /// Position in the stream.
    var frame: Int64
    /// When that frame reaches the microphone or leaves the loudspeaker.
    var time: MonotonicTime
    /// Frames that pass in a second of the monotonic clock; 0 while the stream stands still.
    var framesPerSecond: Double
  }

  /// Odd while the writer is at work.
  private let version = Atomic<UInt64>(0)
  private let frame = Atomic<Int64>(0)
  private let time = Atomic<Int64>(0)
  private let rate = Atomic<UInt64>(0)

  func publish(_ anchor: Anchor) {
    version.add(1, ordering: .sequentiallyConsistent)
    frame.store(anchor.frame, ordering: .sequentiallyConsistent)
    time.store(anchor.time.nanoseconds, ordering: .sequentiallyConsistent)
    rate.store(anchor.framesPerSecond.bitPattern, ordering: .sequentiallyConsistent)
    version.add(1, ordering: .sequentiallyConsistent)
  }

  /// The latest anchor; `nil` before the first one.
  var anchor: Anchor? {
    for _ in 0..<1000 {
      let before = version.load(ordering: .sequentiallyConsistent)
      guard before > 0 else { return nil }
      guard before & 1 == 0 else { continue }
      let anchor = Anchor(
        frame: frame.load(ordering: .sequentiallyConsistent),
        time: MonotonicTime(nanoseconds: time.load(ordering: .sequentiallyConsistent)),
        framesPerSecond: Double(bitPattern: rate.load(ordering: .sequentiallyConsistent)))
      if version.load(ordering: .sequentiallyConsistent) == before { return anchor }
    }
    return nil
  }

  /// When a frame passes or passed the device; `nil` before the clock runs and while it stands still.
  func time(ofFrame position: Int64) -> MonotonicTime? {
    guard let anchor, anchor.framesPerSecond > 0 else { return nil }
    return anchor.time.advanced(bySeconds: Double(position - anchor.frame) / anchor.framesPerSecond)
  }

  /// The frame that passes the device at a time.
  func frame(at time: MonotonicTime) -> Double? {
    guard let anchor else { return nil }
    return Double(anchor.frame) + time.seconds(since: anchor.time) * anchor.framesPerSecond
  }

  /// The frame that has begun at a time; `nil` before the clock runs.
  func wholeFrame(at time: MonotonicTime) -> Int64? {
    frame(at: time).flatMap { Int64(exactly: $0.rounded(.down)) }
  }

  /// Stops the clock at a frame.
  func stand(at position: Int64) {
    publish(Anchor(frame: position, time: .now, framesPerSecond: 0))
  }
}
