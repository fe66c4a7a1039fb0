/// Compares the time stamps of a transport stream with the time that its access units take.
struct Timeline {
  /// The place in the stream's own bytes that a time stamp belongs to.
  private struct Mark {
    var offset: Int64
    var timestamp: Int64
  }

  private static let clock = 90000.0
  private static let wrap: Int64 = 1 << 33
  private static let largestMarkCount = 4096

  private var marks: [Mark] = []
  /// The last time stamp, without its wrap-arounds.
  private var last: Int64?
  /// Time stamps are this far ahead of the access units, in seconds.
  private var lead: Double?

  /// - Parameter offset: where in the stream's bytes the PES packet's content starts.
  mutating func add(timestamp: Int64, at offset: Int64) {
    var value = timestamp
    if let last {
      // The nearest of all values that look like this one.
      var step = (timestamp - last) % Self.wrap
      if step > Self.wrap / 2 { step -= Self.wrap }
      if step < -Self.wrap / 2 { step += Self.wrap }
      value = last + step
    }
    last = value
    if marks.count == Self.largestMarkCount { marks.removeFirst(Self.largestMarkCount / 2) }
    marks.append(Mark(offset: offset, timestamp: value))
  }

  /// The access units' time is put forward by `seconds`: what was missing has been filled in.
  mutating func settle(by seconds: Double) {
    if let before = lead { lead = before - seconds }
  }

  /// An access unit starts at `offset` of the stream's bytes and at `time` (seconds).
  ///
  /// - Parameter tolerance: seconds that are no jump.
  /// - Returns: by how many seconds the time stamps jump here; `nil` where they do not.
  mutating func jump(at offset: Int64, time: Double, tolerance: Double) -> Double? {
    guard let first = marks.first, first.offset <= offset else { return nil }
    let count = marks.firstIndex { $0.offset > offset } ?? marks.count
    let mark = marks[count - 1]
    marks.removeFirst(count)
    let ahead = Double(mark.timestamp) / Self.clock - time
    guard let before = lead else {
      lead = ahead
      return nil
    }
    guard abs(ahead - before) > tolerance else { return nil }
    lead = ahead
    return ahead - before
  }
}
