public import AACContainers
public import AudioFiles

/// A pipe as the sink of a container, whose waiting ends when the work is cancelled.
public final class CancellableSink: ByteSink {
  static let closedPipe = ContainerError.Reason.system("the reader of the pipe has closed it", code: 32)
  private static let blockSize = 1 << 16

  private let output: ByteOutput
  private var pending: [UInt8] = []
  private var written: Int64 = 0

  /// Writes to `descriptor`, which stays open.
  public init(descriptor: Int32, cancellation: Cancellation?) {
    output = ByteOutput(descriptor: descriptor, cancellation: cancellation)
  }

  public var length: Int64 { written + Int64(pending.count) }
  public var isSeekable: Bool { false }

  public func append(_ bytes: [UInt8]) throws(ContainerError) {
    pending.append(contentsOf: bytes)
    if pending.count >= Self.blockSize { try flush() }
  }

  public func rewrite(_ bytes: [UInt8], at offset: Int64) throws(ContainerError) { throw refusal }

  public func read(at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>) throws(ContainerError) {
    throw refusal
  }

  public func flush() throws(ContainerError) {
    guard !pending.isEmpty else { return }
    do { try output.write(pending) } catch {
      if error.reason == .interrupted { throw ContainerError(CancellableSource.interruption) }
      if error.reason == .pipeClosed { throw ContainerError(Self.closedPipe, at: length) }
      throw ContainerError(.system(error.description, code: 0), at: length)
    }
    written += Int64(pending.count)
    pending.removeAll(keepingCapacity: true)
  }

  private var refusal: ContainerError {
    ContainerError(.needsSeeking("a pipe cannot be rewound"), at: length)
  }
}
