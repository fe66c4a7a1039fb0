public import AACContainers
public import AudioFiles

/// A pipe as the sink of a container, whose waiting ends when the work is cancelled. Nothing is held back,
/// so that live sound is not late.
public final class CancellableSink: ByteSink {
  static let closedPipe = ContainerError.Reason.system("the reader of the pipe has closed it", code: 32)

  private let output: ByteOutput

  /// Writes to `descriptor`, which stays open.
  public init(descriptor: Int32, cancellation: Cancellation?) {
    output = ByteOutput(descriptor: descriptor, cancellation: cancellation)
  }

  public var length: Int64 { output.position }
  public var isSeekable: Bool { false }

  public func append(_ bytes: [UInt8]) throws(ContainerError) {
    do { try output.write(bytes) } catch {
      switch error.reason {
      case .interrupted: throw ContainerError(CancellableSource.interruption)
      case .pipeClosed: throw ContainerError(Self.closedPipe, at: length)
      default: throw ContainerError(.system(error.description, code: 5), at: length)
      }
    }
  }

  public func rewrite(_ bytes: [UInt8], at offset: Int64) throws(ContainerError) { throw refusal }

  public func read(at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>) throws(ContainerError) {
    throw refusal
  }

  public func flush() throws(ContainerError) {}

  private var refusal: ContainerError {
    ContainerError(.needsSeeking("a pipe cannot be rewound"), at: length)
  }
}
