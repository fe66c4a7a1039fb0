/// A file, or a pipe, socket or terminal, read through its descriptor.
///
/// A pipe is read forward only; what has been read and not yet been released stays in memory, up to
/// `lookAheadLimit` bytes.
public final class FileSource: ByteSource {
  /// How far a container may be read ahead of what is already used up, where going back is not possible.
  public static let standardLookAhead = 32 << 20

  private let descriptor: FileDescriptor
  private let ownsDescriptor: Bool
  private let size: Int64?
  private let lookAheadLimit: Int
  private var pipe = PipeBuffer()

  public private(set) var length: Int64?
  public var isSeekable: Bool { size != nil }

  /// Opens the file at `path`.
  public convenience init(path: String) throws(ContainerError) {
    let descriptor = try FileDescriptor.open(path, .read)
    self.init(descriptor, owned: true, lookAheadLimit: Self.standardLookAhead)
  }

  /// Reads an open descriptor (0: the standard input), which stays open.
  public convenience init(descriptor: Int32, lookAheadLimit: Int = standardLookAhead) {
    self.init(FileDescriptor(number: descriptor), owned: false, lookAheadLimit: lookAheadLimit)
  }

  private init(_ descriptor: FileDescriptor, owned: Bool, lookAheadLimit: Int) {
    self.descriptor = descriptor
    ownsDescriptor = owned
    // A redirected file is read by place only where it stands at its start.
    size = descriptor.position == 0 ? descriptor.seekableSize : nil
    self.lookAheadLimit = lookAheadLimit
    length = size
  }

  deinit {
    if ownsDescriptor { descriptor.close() }
  }

  public func read(
    at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>, atLeast minimum: Int
  ) throws(ContainerError) -> Int {
    guard size != nil else {
      return try readPipe(at: offset, into: &buffer, range, atLeast: minimum)
    }
    var done = 0
    while done < max(1, min(minimum, range.count)) {
      let got = try descriptor.read(
        into: &buffer, range.lowerBound + done..<range.upperBound, at: offset + Int64(done))
      if got == 0 { break }
      done += got
    }
    return done
  }

  private func readPipe(
    at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>, atLeast minimum: Int
  ) throws(ContainerError) -> Int {
    let wanted = offset + Int64(min(minimum, range.count))
    while pipe.end < wanted, length == nil {
      guard pipe.count < lookAheadLimit else {
        throw ContainerError(
          .needsSeeking("the container would have to be read \(lookAheadLimit) bytes ahead"), at: offset)
      }
      let got = try pipe.fill { (bytes, free) throws(ContainerError) in
        try descriptor.read(into: &bytes, free, at: nil)
      }
      if got == 0 { length = pipe.end }
    }
    return try pipe.copy(from: offset, into: &buffer, range)
  }

  public func release(before offset: Int64) { pipe.release(before: offset) }
}

/// The bytes of a forward-only source that may still be asked for.
struct PipeBuffer {
  private static let block = 1 << 16

  private var bytes: [UInt8] = []
  private var head = 0
  private var tail = 0
  /// File offset of `bytes[head]`.
  private var start: Int64 = 0
  /// Offset up to which arriving bytes are dropped (`release` may run ahead of the data).
  private var keepFrom: Int64 = 0

  var count: Int { tail - head }
  var end: Int64 { start + Int64(count) }

  mutating func fill(
    _ read: (inout [UInt8], Range<Int>) throws(ContainerError) -> Int
  ) throws(ContainerError) -> Int {
    if bytes.count - tail < Self.block {
      if head > 0 {
        let kept = count
        if kept > 0 { bytes.replaceSubrange(0..<kept, with: [UInt8](bytes[head..<tail])) }
        head = 0
        tail = kept
      }
      if bytes.count - tail < Self.block {
        bytes += [UInt8](repeating: 0, count: max(Self.block, bytes.count))
      }
    }
    let got = try read(&bytes, tail..<bytes.count)
    tail += got
    release(before: keepFrom)
    return got
  }

  mutating func append(_ data: [UInt8]) {
    var next = 0
    while next < data.count {
      // The closure's only failure would be its own.
      let taken = try? fill { (buffer, free) throws(ContainerError) in
        let count = min(free.count, data.count - next)
        buffer.replaceSubrange(
          free.lowerBound..<free.lowerBound + count, with: data[next..<next + count])
        return count
      }
      next += taken ?? data.count
    }
  }

  func copy(
    from offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>
  ) throws(ContainerError) -> Int {
    guard offset >= start else {
      throw ContainerError(
        .needsSeeking("the container needs data that has passed through the pipe already"), at: offset)
    }
    guard offset < end else { return 0 }
    let from = head + Int(offset - start)
    let count = min(range.count, tail - from)
    buffer.replaceSubrange(range.lowerBound..<range.lowerBound + count, with: bytes[from..<from + count])
    return count
  }

  mutating func release(before offset: Int64) {
    keepFrom = max(keepFrom, offset)
    let gone = Int(min(Int64(count), max(0, keepFrom - start)))
    head += gone
    start += Int64(gone)
  }
}
