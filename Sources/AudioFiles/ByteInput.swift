#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads bytes from a descriptor: a file, a pipe or a terminal. Never seeks.
public final class ByteInput {
  public let descriptor: Int32
  private let closes: Bool
  private let cancellation: Cancellation?
  /// Bytes that were looked at and go out again first.
  private var pushedBack: [UInt8] = []
  /// Bytes handed out so far.
  public private(set) var position: Int64 = 0

  /// `closes`: the descriptor is closed together with this object.
  public init(descriptor: Int32, closes: Bool = false, cancellation: Cancellation? = nil) {
    self.descriptor = descriptor
    self.closes = closes
    self.cancellation = cancellation
  }

  deinit { if closes { _ = close(descriptor) } }

  /// Fills the start of `bytes` with up to `count` bytes, less only at the end of the input, and returns
  /// how many there were. `bytes` grows where it is too short.
  ///
  /// - Throws: `readFailed`, `interrupted`.
  public func read(_ count: Int, into bytes: inout [UInt8]) throws(AudioFileError) -> Int {
    var filled = 0
    while filled < count {
      let got = try read(filled..<count, into: &bytes)
      if got == 0 { break }
      filled += got
    }
    return filled
  }

  /// As `read(_:into:)`, but takes what is there: 0 only at the end of the input.
  public func readSome(_ count: Int, into bytes: inout [UInt8]) throws(AudioFileError) -> Int {
    try read(0..<count, into: &bytes)
  }

  /// Reads once into `range` of `bytes`, which grows where it is too short; 0 only at the end.
  func read(_ range: Range<Int>, into bytes: inout [UInt8]) throws(AudioFileError) -> Int {
    if bytes.count < range.upperBound {
      bytes.append(contentsOf: repeatElement(0, count: range.upperBound - bytes.count))
    }
    if !pushedBack.isEmpty {
      let count = min(range.count, pushedBack.count)
      for index in 0..<count { bytes[range.lowerBound + index] = pushedBack[index] }
      pushedBack.removeFirst(count)
      position += Int64(count)
      return count
    }
    while true {
      if let cancellation { try waitForBytes(cancellation) }
      // unsafe: read writes at most `range.count` bytes from its start on, all within `bytes`.
      let got = unsafe bytes.withUnsafeMutableBytes { memory in
        unsafe Self.read(descriptor, UnsafeMutableRawBufferPointer(rebasing: memory[range]))
      }
      if got >= 0 {
        position += Int64(got)
        return got
      }
      if errno != EINTR { throw AudioFileError(.readFailed(systemMessage(errno))) }
    }
  }

  /// Waits until a read would not, as long as nobody cancels.
  private func waitForBytes(_ cancellation: Cancellation) throws(AudioFileError) {
    while true {
      if cancellation.isCancelled { throw AudioFileError(.interrupted) }
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // unsafe: one entry, which lives as long as the call. Whatever is wrong, the read will tell.
      let count = unsafe poll(&entry, 1, 100)
      if count > 0 || count < 0 && errno != EINTR { return }
    }
  }

  private static func read(_ descriptor: Int32, _ memory: UnsafeMutableRawBufferPointer) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.read(descriptor, memory.baseAddress, memory.count)
    #else
      unsafe Darwin.read(descriptor, memory.baseAddress, memory.count)
    #endif
  }

  /// The next `count` bytes, or what is left, without consuming them.
  public func peek(_ count: Int) throws(AudioFileError) -> [UInt8] {
    var bytes: [UInt8] = []
    let got = try read(count, into: &bytes)
    bytes.removeLast(bytes.count - got)
    pushBack(bytes)
    return bytes
  }

  /// Gives bytes back that the next read starts with.
  func pushBack(_ bytes: [UInt8]) {
    pushedBack.insert(contentsOf: bytes, at: 0)
    position -= Int64(bytes.count)
  }

  /// Reads and forgets; less than `count` only at the end.
  func skip(_ count: Int64) throws(AudioFileError) -> Int64 {
    var scratch: [UInt8] = []
    var left = count
    while left > 0 {
      let got = try read(Int(min(left, 65536)), into: &scratch)
      if got == 0 { break }
      left -= Int64(got)
    }
    return count - left
  }
}
