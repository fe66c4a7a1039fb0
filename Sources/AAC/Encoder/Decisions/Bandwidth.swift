/// The upper band edge that a rate can pay for.
enum Bandwidth {
  /// Bits a second and channel, and the edge in Hz that goes with them.
  private static let table: [(rate: Double, edge: Double)] = [
    (6000, 2500), (8000, 3500), (12000, 5500), (16000, 7500), (24000, 11000), (32000, 13000),
    (40000, 13800), (48000, 14500), (64000, 16000), (80000, 17000), (96000, 18000), (128_000, 20000),
    (160_000, 22000),
  ]

  /// A low frequency channel carries up to 120 Hz; the rest lets its filter fall off.
  static let lowFrequencyEdge = 200

  /// - Parameters:
  ///   - bitRate: of the whole stream.
  ///   - channels: that share it, the low frequency channel not counted.
  static func edge(bitRate: Int, channels: Int, sampleRate: Int) -> Int {
    // One channel alone has no redundancy with another to save on.
    let share = Double(bitRate) / Double(max(channels, 1)) / (channels == 1 ? 1.3 : 1)
    let nyquist = Double(sampleRate) / 2
    guard let upper = table.firstIndex(where: { $0.rate >= share }) else { return Int(nyquist) }
    guard upper > 0 else { return Int(min(table[0].edge, nyquist)) }
    let (low, high) = (table[upper - 1], table[upper])
    let part = (share - low.rate) / (high.rate - low.rate)
    return Int(min(low.edge + part * (high.edge - low.edge), nyquist))
  }

  /// Lines of a window that lie below an edge in Hz.
  static func lineCount(edge: Int, sampleRate: Int, frameLength: Int) -> Int {
    min(Int((Double(edge) * 2 * Double(frameLength) / Double(sampleRate)).rounded(.up)), frameLength)
  }

  /// Bands that reach up to an edge in Hz.
  static func bandCount(edge: Int, sampleRate: Int, offsets: [Int]) -> Int {
    guard let lines = offsets.last else { return 0 }
    let line = lineCount(edge: edge, sampleRate: sampleRate, frameLength: lines)
    let count = offsets.firstIndex { $0 >= line } ?? offsets.count - 1
    return max(count, 1)
  }
}
