/// Mean and peak of a stream's bit rate.
struct BitRateMeter {
  private var ring: [Int]
  private var place = 0
  private var sum = 0
  private var largestSum = 0

  init(packetsPerSecond: Int) {
    ring = [Int](repeating: 0, count: min(max(1, packetsPerSecond), 1000))
  }

  mutating func add(_ size: Int) {
    sum += size - ring[place]
    ring[place] = size
    place = place + 1 == ring.count ? 0 : place + 1
    largestSum = max(largestSum, sum)
  }

  /// Bits in the fullest second.
  var maximum: UInt32 { UInt32(clamping: largestSum * 8) }

  func average(bytes: Int64, frames: Int64, timescale: Int) -> UInt32 {
    guard frames > 0 else { return 0 }
    return UInt32(clamping: Int64((Double(bytes) * 8 * Double(timescale) / Double(frames)).rounded()))
  }
}
