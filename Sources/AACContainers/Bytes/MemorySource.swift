/// Bytes that are in memory already.
public final class MemorySource: ByteSource {
  private let bytes: [UInt8]
  /// File offset of the first byte: below it there is nothing to read.
  private let base: Int64

  public var length: Int64? { base + Int64(bytes.count) }
  public var isSeekable: Bool { true }

  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
    base = 0
  }

  /// A part of a file that keeps its offsets.
  init(_ bytes: [UInt8], base: Int64) {
    self.bytes = bytes
    self.base = base
  }

  public func read(
    at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>, atLeast minimum: Int
  ) throws(ContainerError) -> Int {
    guard offset >= base, offset < base + Int64(bytes.count) else { return 0 }
    let start = Int(offset - base)
    let count = min(range.count, bytes.count - start)
    buffer.replaceSubrange(range.lowerBound..<range.lowerBound + count, with: bytes[start..<start + count])
    return count
  }
}
