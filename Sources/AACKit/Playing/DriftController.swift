/// Holds the sound that waits to be played at one length although the sender's clock and the device's differ, by
/// playing a little faster or slower: at most ±0.5 %.
///
/// The amount goes up and down with every packet of the network, so what counts is its mean over half a minute. A
/// proportional and an integral part: the second one comes to be the difference of the clocks.
struct DriftController {
  static let largestBend = 0.005
  /// The bend for a second too much, and how much of it the integral part takes up in a second: critically damped.
  private static let gain = 0.004
  private static let integralGain = gain * gain / 4
  private static let smoothing = 20.0
  /// Seconds after a start in which the amount that is usual is found out.
  private static let settling = 10.0

  /// Seconds of sound that are to wait; `nil` while they are found out.
  private(set) var target: Double?
  private let least: Double
  private var mean: Double?
  private var integral = 0.0
  private var age = 0.0

  /// - Parameter least: seconds that are to wait at least.
  init(least: Double) { self.least = least }

  /// How much faster than usual to play, after another `seconds` with `amount` seconds of sound waiting.
  ///
  /// - Parameter isHeld: the sender waits for the player, or has sent all: it has no clock of its own then.
  mutating func bend(amount: Double, seconds: Double, isHeld: Bool) -> Double {
    guard seconds > 0, amount.isFinite else { return bend }
    age += seconds
    let weight = min(1, seconds / min(Self.smoothing, age))
    let mean = (mean ?? amount) + weight * (amount - (mean ?? amount))
    self.mean = mean
    if isHeld { return 0 }
    guard let target else {
      if age >= Self.settling { target = max(least, mean) }
      return bend
    }
    integral = Self.limit(integral + Self.integralGain * (mean - target) * min(seconds, 10))
    return bend
  }

  /// Finds the usual amount anew, after a pause for instance. What was learned of the clocks stays.
  mutating func restart() {
    target = nil
    mean = nil
    age = 0
  }

  private var bend: Double {
    guard let target, let mean else { return integral }
    return Self.limit(Self.gain * (mean - target) + integral)
  }

  private static func limit(_ bend: Double) -> Double { min(max(bend, -largestBend), largestBend) }
}
