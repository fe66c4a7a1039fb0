@testable import AACContainers

/// Remembers the most that was asked for at a time.
final class LargestRead: ByteSource {
  private let inner: MemorySource
  private(set) var largest = 0
  var length: Int64? { inner.length }
  var isSeekable: Bool { true }

  init(_ bytes: [UInt8]) { inner = MemorySource(bytes) }

  func read(
    at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>, atLeast minimum: Int
  ) throws(ContainerError) -> Int {
    largest = max(largest, range.count)
    return try inner.read(at: offset, into: &buffer, range, atLeast: minimum)
  }
}
