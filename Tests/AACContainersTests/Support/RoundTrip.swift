import Testing

@testable import AACContainers

/// A form that is both written and read here: any value of it has to come back from its bytes.
struct RoundTrip: Sendable, CustomTestStringConvertible {
  let name: String
  private let check: @Sendable (inout SplitMix, UInt64) throws -> Void

  var testDescription: String { name }

  /// - Parameters:
  ///   - any: a random value.
  ///   - write: its bytes; `read`: the value in them.
  init<Value: Equatable & SendableMetatype>(
    _ name: String, any: @escaping @Sendable (inout SplitMix) throws -> Value,
    write: @escaping @Sendable (Value) throws -> [UInt8],
    read: @escaping @Sendable ([UInt8]) throws -> Value?
  ) {
    self.name = name
    check = { random, seed in
      let value = try any(&random)
      let bytes = try write(value)
      #expect(try read(bytes) == value, "seed \(seed)")
      // What is cut off or changed may be anything, but reading it ends.
      _ = try? read(Array(bytes.prefix(random.below(bytes.count))))
      guard !bytes.isEmpty else { return }
      var damaged = bytes
      damaged[random.below(bytes.count)] ^= UInt8(1 + random.below(255))
      _ = try? read(damaged)
    }
  }

  func run(_ random: inout SplitMix, seed: UInt64) throws { try check(&random, seed) }
}

extension SplitMix {
  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  /// A number of up to `bits` bits, small ones as often as large ones.
  mutating func number(_ bits: Int) -> UInt64 {
    let width = below(bits + 1)
    return width == 0 ? 0 : next() >> UInt64(64 - width)
  }
}

/// The first box in `bytes`, and what it is read through.
func firstBox(_ bytes: [UInt8]) throws -> (box: Box, window: ByteWindow) {
  let window = ByteWindow(MemorySource(bytes))
  var cursor = BoxCursor(from: 0, to: nil, in: nil)
  guard let box = try cursor.next(in: window) else { throw ContainerError(.truncated("the box"), at: 0) }
  return (box, window)
}

/// Bytes that `content` appends.
func built(_ content: (inout ByteBuilder) throws -> Void) rethrows -> [UInt8] {
  var bytes = ByteBuilder()
  try content(&bytes)
  return bytes.bytes
}
