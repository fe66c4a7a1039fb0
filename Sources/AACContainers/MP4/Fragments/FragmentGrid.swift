/// Where fragments end.
///
/// A length in seconds is kept on the whole: fragment k ends with the packet whose end is nearest to k lengths of what
/// is heard, so that fragments differ by a packet and their borders do not drift.
struct FragmentGrid {
  enum Length: Equatable {
    case packets(Int)
    case seconds(Double)
  }

  private let length: Length
  private let timescale: Int
  /// Fragments that are complete.
  private var count: Int64 = 0

  init(_ length: Length, timescale: Int) {
    self.length = length
    self.timescale = timescale
  }

  /// Whether a fragment of `packetCount` packets, the last of which ends at `end`, is complete.
  ///
  /// - Parameters:
  ///   - end: in frames from the first packet on.
  ///   - priming: frames at the start that are not heard.
  func isComplete(packetCount: Int, end: Int64, priming: Int64, packetDuration: Int) -> Bool {
    switch length {
    case .packets(let most): packetCount >= most
    case .seconds(let seconds):
      // The next packet's end would be further away.
      Double(end - priming) + Double(packetDuration) / 2 > Double(count + 1) * seconds * Double(timescale)
    }
  }

  mutating func next() { count += 1 }
}
