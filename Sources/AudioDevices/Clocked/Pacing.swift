/// How fast a backend without hardware lets sound pass.
public enum Pacing: Sendable, Hashable {
  /// By the monotonic clock, `speed` times as fast as real time, 1 to 1000. Who is too slow loses frames or hears
  /// gaps, as with hardware.
  case clock(speed: Double)
  /// As fast as the other side goes: nothing is lost and nothing is missing.
  case free

  func check() throws(AudioDeviceError) {
    if case .clock(let speed) = self, !(1...1000).contains(speed) {
      throw AudioDeviceError(.invalidRequest("a speed of \(speed): 1 to 1000 are possible"))
    }
  }

  /// Frames that pass in a second of the monotonic clock; `nil` where it is not asked.
  func framesPerSecond(_ rate: Int) -> Double? {
    if case .clock(let speed) = self { speed * Double(rate) } else { nil }
  }
}
