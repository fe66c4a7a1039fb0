public import AAC
public import AACContainers
public import AACStreaming
public import AudioDevices
public import AudioFiles

/// Why work on whole files failed: the reason, in which file and at what time of the sound, and what the
/// caller can do next.
public struct AACKitError: Error, Equatable, Sendable {
  /// What is wrong, by the module that found it.
  public enum Reason: Equatable, Sendable {
    case audioFile(AudioFileError)
    case codec(AACError)
    case container(ContainerError)
    case device(AudioDeviceError)
    case http(HTTPError)
    /// The output exists and may not be replaced.
    case exists
    /// Input and output are one file.
    case isInput
    case isDirectory
    case cannotWrite(String)
    case noSamples
    /// Settings or a layout that cannot be met.
    case unsupported(String)
    /// Two sounds that cannot be compared.
    case incomparable(String)
    /// A damaged file of which nothing can be saved; the text tells why.
    case nothingToSave(String)
    case cancelled
  }

  public var reason: Reason
  public var path: String?
  /// Seconds from the start of the sound.
  public var time: Double?

  public init(_ reason: Reason, path: String? = nil, time: Double? = nil) {
    self.reason = reason
    self.path = path
    self.time = time
    switch reason {
    case .audioFile(let error) where error.reason == .interrupted: self.reason = .cancelled
    case .http(let error) where error.reason == .cancelled: self.reason = .cancelled
    case .container(let error) where error.reason == CancellableSource.interruption: self.reason = .cancelled
    default: break
    }
  }

  /// What the caller can usefully do next.
  public var advice: String? {
    switch reason {
    case .audioFile(let error): error.advice
    case .codec(let error): Self.advice(for: error)
    case .device(let error): error.advice
    case .http(let error): error.advice
    case .container(let error): error.reason == CancellableSink.closedPipe ? nil : error.advice.rawValue
    case .exists: "choose another name, or allow replacing it"
    case .isInput: "choose another name"
    case .isDirectory: "name a file in it"
    case .cannotWrite: "check the folder and its permissions"
    case .noSamples: "check how the input was made"
    case .unsupported, .incomparable, .nothingToSave, .cancelled: nil
    }
  }

  private static func advice(for error: AACError) -> String? {
    switch error.reason {
    case .notFinite: "repair the input: NaN and infinity are no sound"
    case .unsupported: nil
    case .invalidSettings: "change the settings"
    default: "the data is damaged: fetch it again, or decode without being strict"
    }
  }
}

extension AACKitError: CustomStringConvertible {
  public var description: String {
    var text =
      switch reason {
      case .audioFile(let error): error.description
      case .codec(let error): error.description
      case .device(let error): error.description
      case .http(let error): error.description
      case .container(let error): Self.plain(error)
      case .exists: "exists already"
      case .isInput: "is the input itself"
      case .isDirectory: "is a directory"
      case .cannotWrite(let words): "cannot be written: \(words)"
      case .noSamples: "holds no samples"
      case .unsupported(let what), .incomparable(let what): what
      case .nothingToSave(let why): "nothing can be saved: \(why)"
      case .cancelled: "interrupted"
      }
    if let time { text += " (at \(Self.seconds(time)) s)" }
    if let path, !text.hasPrefix(path) { text = "\(path): \(text)" }
    return text
  }

  /// The container's words without its advice, which stands apart here.
  static func plain(_ error: ContainerError) -> String {
    let text = error.description
    let tail = ": \(error.advice.rawValue)"
    return text.hasSuffix(tail) ? String(text.dropLast(tail.count)) : text
  }

  private static func seconds(_ time: Double) -> String {
    guard time.isFinite, abs(time) < 1e12 else { return "?" }
    let thousandths = Int64((time * 1000).rounded())
    let fraction = String(thousandths % 1000)
    return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }
}
