import Foundation

/// SplitMix64: random numbers that a printed seed brings back.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// A generator with a fresh seed, which is printed, or with that in AAC_SEED.
  static func printingSeed(_ test: String = #function) -> SeededGenerator {
    let told = ProcessInfo.processInfo.environment["AAC_SEED"].flatMap { UInt64($0) }
    let seed = told ?? UInt64.random(in: 0...UInt64.max)
    print("\(test): seed \(seed)")
    return SeededGenerator(seed: seed)
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
  mutating func flag() -> Bool { next() & 1 != 0 }
}
