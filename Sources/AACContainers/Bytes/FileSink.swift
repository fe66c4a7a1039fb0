/// A file, or a pipe, written through its descriptor in blocks.
public final class FileSink: ByteSink {
  private static let blockSize = 1 << 16

  private let descriptor: FileDescriptor
  private var isOpen: Bool
  private let ownsDescriptor: Bool
  /// Bytes not yet handed on.
  private var pending: [UInt8] = []
  /// Position of the descriptor at the start; offsets count from there.
  private let origin: Int64
  private var written: Int64 = 0

  public let isSeekable: Bool
  public var length: Int64 { written + Int64(pending.count) }

  /// Makes a file at `path`. An existing one is an error unless `replacing`.
  public convenience init(path: String, replacing: Bool = false) throws(ContainerError) {
    self.init(try FileDescriptor.open(path, .create(replacing: replacing)), owned: true)
  }

  /// Writes to an open descriptor (1: the standard output), which stays open.
  public convenience init(descriptor: Int32) {
    self.init(FileDescriptor(number: descriptor), owned: false)
  }

  private init(_ descriptor: FileDescriptor, owned: Bool) {
    self.descriptor = descriptor
    ownsDescriptor = owned
    isOpen = true
    isSeekable = descriptor.seekableSize != nil && descriptor.canReadBack
    origin = descriptor.position ?? 0
    pending.reserveCapacity(Self.blockSize)
  }

  deinit { if ownsDescriptor, isOpen { descriptor.close() } }

  public func append(_ bytes: [UInt8]) throws(ContainerError) {
    guard isOpen else { throw closed() }
    if pending.count + bytes.count <= Self.blockSize {
      pending.append(contentsOf: bytes)
      return
    }
    try writePending()
    if bytes.count >= Self.blockSize {
      try put(bytes)
    } else {
      pending.append(contentsOf: bytes)
    }
  }

  private func put(_ bytes: [UInt8]) throws(ContainerError) {
    try descriptor.write(bytes, 0..<bytes.count, at: isSeekable ? origin + written : nil)
    written += Int64(bytes.count)
  }

  private func writePending() throws(ContainerError) {
    guard !pending.isEmpty else { return }
    try put(pending)
    pending.removeAll(keepingCapacity: true)
  }

  public func rewrite(_ bytes: [UInt8], at offset: Int64) throws(ContainerError) {
    guard isOpen else { throw closed() }
    guard isSeekable else { throw refuseSeeking() }
    try writePending()
    guard offset >= 0, offset <= written else {
      throw ContainerError(.misuse("the place to rewrite lies behind the end"), at: offset)
    }
    try descriptor.write(bytes, 0..<bytes.count, at: origin + offset)
    written = max(written, offset + Int64(bytes.count))
  }

  public func read(
    at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>
  ) throws(ContainerError) {
    guard isOpen else { throw closed() }
    guard isSeekable else { throw refuseSeeking() }
    try writePending()
    var done = 0
    while done < range.count {
      let got = try descriptor.read(
        into: &buffer, range.lowerBound + done..<range.upperBound, at: origin + offset + Int64(done))
      guard got > 0 else { throw ContainerError(.truncated("the output file"), at: offset) }
      done += got
    }
  }

  public func flush() throws(ContainerError) {
    guard isOpen else { throw closed() }
    try writePending()
  }

  /// Flushes, waits for the disk if asked, and closes a file that this sink opened.
  public func close(synchronize: Bool = false) throws(ContainerError) {
    guard isOpen else { return }
    try writePending()
    if synchronize { try descriptor.synchronize() }
    isOpen = false
    if ownsDescriptor { descriptor.close() }
  }

  private func closed() -> ContainerError { ContainerError(.misuse("the file is closed already")) }
}
