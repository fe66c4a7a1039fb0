#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The QMF bands between which spectral band replication may work: k0 and k2 (4.6.18.3.2.1).
struct SBRFrequencyRange: Equatable, Sendable {
  var start: Int  // k0
  var stop: Int  // k2

  init(_ header: SBRHeader, rate: Int) throws(AACError) {
    let start = Self.start(header.startFrequency, rate: rate)
    let stop = Self.stop(header.stopFrequency, start: start, rate: rate)
    let limit = rate <= 32000 ? 48 : rate <= 44100 ? 35 : 32
    guard stop > start, stop - start <= limit else {
      throw AACError(.outOfRange("width of the replicated bands", value: stop - start, allowed: 1...limit))
    }
    self.start = start
    self.stop = stop
  }

  private static let lowest = (-8...7).map { $0 }
  private static let at22050 = [-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13]
  private static let at24000 = [-5, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 16]
  private static let at32000 = [-6, -4, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 16]
  private static let upTo64000 = [-4, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 16, 20]
  private static let above64000 = [-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 16, 20, 24]

  private static func base(_ rate: Int) -> Int { rate < 32000 ? 3000 : rate < 64000 ? 4000 : 5000 }

  static func start(_ index: Int, rate: Int) -> Int {
    let row =
      switch rate {
      case ...16000: lowest
      case ...22050: at22050
      case ...24000: at24000
      case ...32000: at32000
      case ...64000: upTo64000
      default: above64000
      }
    return nearest(Double(base(rate) * 128) / Double(rate)) + row[index & 15]
  }

  static func stop(_ index: Int, start: Int, rate: Int) -> Int {
    guard index < 14 else { return min(64, (index - 12) * start) }
    let lowest = nearest(Double(2 * base(rate) * 128) / Double(rate))
    let widths = geometricWidths(lowest, 64, count: 13).sorted()
    return min(64, lowest + widths.prefix(index).reduce(0, +))
  }

  static func nearest(_ value: Double) -> Int { Int((value + 0.5).rounded(.down)) }

  /// Widths of `count` bands from `low` to `high` whose borders, but for the rounding, are in one ratio.
  static func geometricWidths(_ low: Int, _ high: Int, count: Int) -> [Int] {
    guard count > 0 else { return [] }
    let borders = (0...count).map {
      nearest(Double(low) * pow(Double(high) / Double(low), Double($0) / Double(count)))
    }
    return zip(borders.dropFirst(), borders).map { $0 - $1 }
  }

  /// The rate whose tables serve `hertz`, which is the rate after replication.
  static func tableRate(_ hertz: Int) -> Int {
    let rows = [
      (92017, 96000), (75132, 88200), (55426, 64000), (46009, 48000), (37566, 44100), (27713, 32000),
      (23004, 24000), (18783, 22050),
    ]
    return rows.first { hertz >= $0.0 }?.1 ?? 16000
  }
}
