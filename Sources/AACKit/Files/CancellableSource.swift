public import AACContainers
public import AudioFiles

/// A pipe as the source of a container, whose waiting ends when the work is cancelled.
public final class CancellableSource: ByteSource {
  static let interruption = ContainerError.Reason.system("interrupted", code: 4)
  private static let block = 1 << 16

  private let input: ByteInput
  private let feed = FeedSource()
  private var bytes: [UInt8] = []

  /// Reads `descriptor`, which stays open.
  public convenience init(descriptor: Int32, cancellation: Cancellation?) {
    self.init(ByteInput(descriptor: descriptor, cancellation: cancellation))
  }

  /// Reads on from where `input` stands.
  public init(_ input: ByteInput) { self.input = input }

  public var length: Int64? { feed.length }
  public var isSeekable: Bool { false }

  public func read(
    at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>, atLeast minimum: Int
  ) throws(ContainerError) -> Int {
    try feed.read(at: offset, into: &buffer, range, atLeast: minimum) { () throws(ContainerError) in
      try refill()
    }
  }

  public func release(before offset: Int64) { feed.release(before: offset) }

  private func refill() throws(ContainerError) {
    let got: Int
    do { got = try input.readSome(Self.block, into: &bytes) } catch {
      if error.reason == .interrupted { throw ContainerError(Self.interruption) }
      throw ContainerError(.system(error.description, code: 5))
    }
    if got == 0 {
      feed.finish()
    } else {
      bytes.removeLast(bytes.count - got)
      feed.feed(bytes)
    }
  }
}
