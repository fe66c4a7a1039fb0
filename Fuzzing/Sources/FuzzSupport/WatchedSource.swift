public import AACContainers

/// Bytes in memory whose reader is watched: reading in circles or in huge pieces is a finding.
public final class WatchedSource: ByteSource {
  private let inner: MemorySource
  private let limit: Int
  private var readCount = 0
  public var length: Int64? { inner.length }
  public let isSeekable: Bool

  public init(_ bytes: [UInt8], seekable: Bool = true) {
    inner = MemorySource(bytes)
    limit = 200 * bytes.count + (1 << 22)
    isSeekable = seekable
  }

  public func read(
    at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>, atLeast minimum: Int
  ) throws(ContainerError) -> Int {
    precondition(range.count <= 4 << 20, "a huge read")
    let got = try inner.read(at: offset, into: &buffer, range, atLeast: minimum)
    readCount += got + 1
    precondition(readCount < limit, "reading in circles")
    return got
  }
}
