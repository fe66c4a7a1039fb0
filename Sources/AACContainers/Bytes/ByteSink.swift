/// Where a container's bytes go.
public protocol ByteSink: AnyObject {
  /// Bytes appended so far.
  var length: Int64 { get }
  /// Bytes already there can be read back and replaced.
  var isSeekable: Bool { get }

  func append(_ bytes: [UInt8]) throws(ContainerError)

  /// Replaces bytes from `offset` on; may run past the end and lengthen the file.
  ///
  /// - Throws: `needsSeeking` where the sink cannot go back.
  func rewrite(_ bytes: [UInt8], at offset: Int64) throws(ContainerError)

  /// Reads back into `buffer[range]` from `offset` on; all of it must have been written.
  func read(at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>) throws(ContainerError)

  /// Hands everything on to where it goes.
  func flush() throws(ContainerError)
}

extension ByteSink {
  func refuseSeeking() -> ContainerError {
    ContainerError(.needsSeeking("the output cannot be rewound"), at: length)
  }
}
