/// Collects bytes in memory.
public final class MemorySink: ByteSink {
  public private(set) var bytes: [UInt8] = []
  public var length: Int64 { Int64(bytes.count) }
  public let isSeekable: Bool

  /// `seekable: false` behaves like a pipe.
  public init(seekable: Bool = true) { isSeekable = seekable }

  public func append(_ data: [UInt8]) throws(ContainerError) { bytes.append(contentsOf: data) }

  public func rewrite(_ data: [UInt8], at offset: Int64) throws(ContainerError) {
    guard isSeekable else { throw refuseSeeking() }
    guard offset >= 0, offset <= length else {
      throw ContainerError(.misuse("the place to rewrite lies behind the end"), at: offset)
    }
    let start = Int(offset)
    let inside = min(data.count, bytes.count - start)
    bytes.replaceSubrange(start..<start + inside, with: data[..<inside])
    bytes.append(contentsOf: data[inside...])
  }

  public func read(
    at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>
  ) throws(ContainerError) {
    guard isSeekable else { throw refuseSeeking() }
    guard offset >= 0, offset + Int64(range.count) <= length else {
      throw ContainerError(.misuse("the place to read lies behind the end"), at: offset)
    }
    let start = Int(offset)
    buffer.replaceSubrange(range, with: bytes[start..<start + range.count])
  }

  public func flush() throws(ContainerError) {}
}
