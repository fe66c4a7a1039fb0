/// The kinds of PCM file that can be written.
public enum AudioFileType: String, Sendable, Hashable, CaseIterable {
  case wav
  case aiff
  case flac
  case caf
  case w64
  case rf64

  /// The type that a file name's extension means (without its dot, in any case).
  public init?(fileExtension: String) {
    switch fileExtension.lowercased() {
    case "wav", "wave": self = .wav
    case "aif", "aiff", "aifc": self = .aiff
    case "flac": self = .flac
    case "caf": self = .caf
    case "w64": self = .w64
    case "rf64": self = .rf64
    default: return nil
    }
  }

  /// The type that a path's extension means.
  public init?(path: String) {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
    self.init(fileExtension: String(path[path.index(after: dot)...]))
  }

  public func supports(_ encoding: SampleEncoding) -> Bool { self != .flac || encoding != .float32 }
}

/// How the samples of a PCM file are stored.
public enum SampleEncoding: String, Sendable, Hashable, CaseIterable {
  case int16
  case int24
  case float32

  public var bytesPerSample: Int {
    switch self {
    case .int16: 2
    case .int24: 3
    case .float32: 4
    }
  }
}
