#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes bytes to a descriptor: a file, a pipe or a terminal. Never seeks. `SIGPIPE` should be ignored by
/// the program, else the system ends it before an error can be thrown.
public final class ByteOutput {
  public let descriptor: Int32
  private let closes: Bool
  private let cancellation: Cancellation?
  public private(set) var position: Int64 = 0

  /// `closes`: the descriptor is closed together with this object.
  public init(descriptor: Int32, closes: Bool = false, cancellation: Cancellation? = nil) {
    self.descriptor = descriptor
    self.cancellation = cancellation
    self.closes = closes
  }

  /// Makes the file at `path` anew.
  public convenience init(path: String) throws(AudioFileError) {
    self.init(descriptor: try openForWriting(path), closes: true)
  }

  deinit { if closes { _ = close(descriptor) } }

  /// Writes the first `count` bytes.
  ///
  /// - Throws: `diskFull`, `pipeClosed`, `writeFailed`; `interrupted` where it is cancelled while it waits.
  public func write(_ bytes: [UInt8], count: Int) throws(AudioFileError) {
    precondition(count >= 0 && count <= bytes.count, "bytes of the array")
    // unsafe: the pointer lives as long as the closure and covers the array.
    let failure = unsafe bytes.withUnsafeBytes { memory in
      unsafe write(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }
    if let failure { throw failure }
    position += Int64(count)
  }

  public func write(_ bytes: [UInt8]) throws(AudioFileError) { try write(bytes, count: bytes.count) }

  /// Writes all of `memory` and returns what went wrong.
  func write(_ memory: UnsafeRawBufferPointer) -> AudioFileError? {
    var done = 0
    var isWaiting = false
    while done < memory.count {
      // Also after a part: a signal ends a waiting write only once.
      if cancellation?.isCancelled == true, done > 0 || isWaiting { return AudioFileError(.interrupted) }
      // unsafe: the range behind `done` lies within `memory`.
      let put = unsafe Self.write(descriptor, UnsafeRawBufferPointer(rebasing: memory[done...]))
      if put > 0 {
        done += put
      } else if put == 0 || errno != EINTR {
        return Self.failure(put == 0 ? EIO : errno)
      } else {
        isWaiting = true
      }
    }
    return nil
  }

  static func failure(_ number: Int32) -> AudioFileError {
    switch number {
    case ENOSPC, EDQUOT: AudioFileError(.diskFull)
    case EPIPE: AudioFileError(.pipeClosed)
    default: AudioFileError(.writeFailed(systemMessage(number)))
    }
  }

  private static func write(_ descriptor: Int32, _ memory: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.write(descriptor, memory.baseAddress, memory.count)
    #else
      unsafe Darwin.write(descriptor, memory.baseAddress, memory.count)
    #endif
  }
}
