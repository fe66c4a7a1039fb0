/// Where a container's bytes come from.
public protocol ByteSource: AnyObject {
  /// Bytes in all; `nil` while not known.
  var length: Int64? { get }
  /// Any place can be read at any time. Otherwise only what lies behind the last `release(before:)`,
  /// and ahead no further than the source's look-ahead allows.
  var isSeekable: Bool { get }

  /// Reads from `offset` on into `buffer[range]`; waits for at least `minimum` bytes, takes what is
  /// there beyond.
  ///
  /// - Returns: bytes read; fewer than `minimum` only where the data ends.
  func read(
    at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>, atLeast minimum: Int
  ) throws(ContainerError) -> Int

  /// Bytes before `offset` are not asked for again.
  func release(before offset: Int64)
}

extension ByteSource {
  public func release(before offset: Int64) {}

  /// Up to `count` bytes at `offset`, fewer where the data ends.
  public func read(at offset: Int64, count: Int) throws(ContainerError) -> [UInt8] {
    guard count > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = try read(at: offset, into: &bytes, 0..<count, atLeast: count)
    if got < count { bytes.removeLast(count - got) }
    return bytes
  }
}
