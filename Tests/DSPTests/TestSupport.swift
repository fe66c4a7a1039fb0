import Foundation

/// A small generator with a seed that tests print.
struct Generator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }

  mutating func floats(_ count: Int, in range: ClosedRange<Float> = -1...1) -> [Float] {
    (0..<count).map { _ in Float.random(in: range, using: &self) }
  }
}

/// A fresh seed, printed so that a failure can be repeated, or that in AAC_SEED.
func printedSeed(_ name: String) -> UInt64 {
  let told = ProcessInfo.processInfo.environment["AAC_SEED"].flatMap { UInt64($0) }
  let seed = told ?? UInt64.random(in: 1...UInt64(UInt32.max))
  print("\(name): seed \(seed)")
  return seed
}

/// 10·log10(Σ reference² / Σ (measured − reference)²).
func signalToNoise(_ measured: [Float], _ reference: [Double]) -> Double {
  var signal = 0.0
  var noise = 0.0
  for (value, expected) in zip(measured, reference) {
    signal += expected * expected
    noise += (Double(value) - expected) * (Double(value) - expected)
  }
  if noise == 0 { return 400 }
  return 10 * log10(signal / noise)
}

/// cos(2πi/period) for i in 0..<period.
func cosineTable(_ period: Int) -> [Double] {
  (0..<period).map { cos(2 * Double.pi * Double($0) / Double(period)) }
}

/// Σ x[n]·cos(2π·(a·n + b)·(2k + 1)/period), the naive sum of both directions of the MDCT, for each k or n.
func naiveCosineSums(
  _ x: [Double], outputs: Int, period: Int, index: (_ input: Int, _ output: Int) -> Int
) -> [Double] {
  let table = cosineTable(period)
  return table.withUnsafeBufferPointer { table in
    x.withUnsafeBufferPointer { x in
      (0..<outputs).map { output in
        var sum = 0.0
        for input in 0..<x.count { sum += x[input] * table[index(input, output) % period] }
        return sum
      }
    }
  }
}
