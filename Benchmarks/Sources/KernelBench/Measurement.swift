/// Nanoseconds a call: the least of many batches, each long enough for the clock.
struct Measurement {
  var filter: String?
  var results: [(name: String, nanoseconds: Double)] = []

  mutating func run(_ name: String, _ body: () -> Void) {
    if let filter, !name.contains(filter) { return }
    let clock = ContinuousClock()
    func batch(_ calls: Int) -> Double {
      let duration = clock.measure { for _ in 0..<calls { body() } }
      let parts = duration.components
      return (Double(parts.seconds) * 1e9 + Double(parts.attoseconds) * 1e-9) / Double(calls)
    }
    var calls = 16
    while batch(calls) * Double(calls) < 50_000, calls < 1 << 22 { calls *= 2 }
    var least = Double.infinity
    for _ in 0..<400 { least = min(least, batch(calls)) }
    results.append((name, least))
    let digits = (least * 10).rounded() / 10
    print(name + String(repeating: " ", count: max(1, 44 - name.count)) + "\(digits)")
  }
}

/// Keeps the optimiser from dropping a result.
@inline(never) func keep<T>(_ value: T) {}
