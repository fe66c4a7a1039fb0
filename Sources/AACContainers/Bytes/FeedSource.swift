/// Bytes that arrive piece by piece, from a network say.
///
/// A reader that needs more than was fed throws `needsMoreData`; nothing is lost, and the same call works
/// after the next `feed`.
public final class FeedSource: ByteSource {
  private var pipe = PipeBuffer()

  /// Known after `finish()`.
  public private(set) var length: Int64?
  public var isSeekable: Bool { false }

  public init() {}

  public func feed(_ bytes: [UInt8]) {
    if length == nil { pipe.append(bytes) }
  }

  /// No more bytes will come.
  public func finish() { length = pipe.end }

  public func read(
    at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>, atLeast minimum: Int
  ) throws(ContainerError) -> Int {
    if length == nil, pipe.end < offset + Int64(min(minimum, range.count)) {
      throw ContainerError(.needsMoreData, at: pipe.end)
    }
    return try pipe.copy(from: offset, into: &buffer, range)
  }

  public func release(before offset: Int64) { pipe.release(before: offset) }
}

extension FeedSource {
  /// Reads as the other one does, and lets `refill` feed more for as long as there is not enough.
  public func read(
    at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>, atLeast minimum: Int,
    refill: () throws(ContainerError) -> Void
  ) throws(ContainerError) -> Int {
    while true {
      do {
        return try read(at: offset, into: &buffer, range, atLeast: minimum)
      } catch {
        guard error.reason == .needsMoreData else { throw error }
        try refill()
      }
    }
  }
}
