/// Why a PCM file or pipe could not be read, written or converted.
public struct AudioFileError: Error, Equatable, Sendable {
  /// What is wrong.
  public enum Reason: Equatable, Sendable {
    /// The system's own words: not found, permission, …
    case cannotOpen(String)
    case isDirectory
    case empty
    /// Bytes of no known audio format; the text says what they look like, as far as that is known.
    case notAudio(String?)
    /// A known format in a form that is not handled.
    case unsupported(String)
    /// The type of file, which is named, cannot be as long as 4 GiB.
    case tooLong(String)
    /// The data contradicts itself or ends within a header.
    case damaged(String)
    case readFailed(String)
    case writeFailed(String)
    case diskFull
    /// The reading end of a pipe is gone.
    case pipeClosed
    case invalidSettings(String)
    /// The caller asked to stop.
    case interrupted
    /// What a reader of another module has to say, and what helps.
    case source(String, advice: String?)
    /// The call does not fit the object's state (a buffer of another format, or after `close()`).
    case misuse(String)
  }

  public var reason: Reason
  /// Path of the file, `nil` for a pipe.
  public var path: String?
  /// Frame at which it happened, as far as that is known.
  public var frame: Int64?

  public init(_ reason: Reason, path: String? = nil, frame: Int64? = nil) {
    self.reason = reason
    self.path = path
    self.frame = frame
  }

  /// What the caller can usefully do next.
  public var advice: String? {
    switch reason {
    case .cannotOpen: "check the path and its permissions"
    case .isDirectory: "name a file in it"
    case .empty: "check how the file was made"
    case .notAudio: "give a WAV, AIFF, FLAC, CAF, W64 or RF64 file, or name raw samples with --raw-input"
    case .tooLong: "choose W64, RF64, CAF or FLAC, which can be longer"
    case .unsupported: "convert it to 16- or 24-bit WAV first"
    case .damaged: "make or fetch the file again"
    case .diskFull: "free some space or choose another place"
    case .readFailed, .writeFailed: "check the disk or the pipe"
    case .source(_, let advice): advice
    case .pipeClosed, .interrupted, .invalidSettings, .misuse: nil
    }
  }
}

extension AudioFileError: CustomStringConvertible {
  public var description: String {
    var text =
      switch reason {
      case .cannotOpen(let words): "cannot be opened: \(words)"
      case .isDirectory: "is a directory"
      case .empty: "is empty"
      case .notAudio(let likely): "is no audio file that can be read" + (likely.map { " (\($0))" } ?? "")
      case .tooLong(let type): "\(type) files end at 4 GiB"
      case .unsupported(let what): "\(what) is not supported"
      case .damaged(let what): what
      case .readFailed(let words): "reading failed: \(words)"
      case .writeFailed(let words): "writing failed: \(words)"
      case .diskFull: "the disk is full"
      case .pipeClosed: "the reader of the pipe has closed it"
      case .invalidSettings(let what), .misuse(let what), .source(let what, _): what
      case .interrupted: "interrupted"
      }
    if let path { text = "\(path): \(text)" }
    if let frame { text += " (at frame \(frame))" }
    return text
  }
}
