import AudioFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where a command reads from and talks to. Data goes to `output`, talk to `errors`.
struct Console {
  var input: Int32 = 0
  var output: Int32 = 1
  var errors: Int32 = 2
  /// Thrown by the first interrupt.
  var cancellation = Cancellation()

  /// Whether progress can be drawn on `errors`.
  var drawsProgress: Bool { isatty(errors) == 1 }

  /// Data for the caller.
  ///
  /// - Throws: `AudioFileError` (disk full, closed pipe).
  func print(_ text: String) throws(AudioFileError) {
    try ByteOutput(descriptor: output, cancellation: cancellation).write([UInt8]((text + "\n").utf8))
  }

  /// Talk. What cannot be written is lost.
  func say(_ text: String) { put(text + "\n") }

  /// Talk without a line end.
  func put(_ text: String) { try? ByteOutput(descriptor: errors).write([UInt8](text.utf8)) }
}
