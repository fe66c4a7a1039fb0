/// Why a device or a stream could not be had.
public struct AudioDeviceError: Error, Equatable, Sendable {
  /// What is wrong.
  public enum Reason: Equatable, Sendable {
    /// No audio server answers; the text has the system's words.
    case noServer(String)
    /// The server ended or closed the connection.
    case serverDied(String)
    /// No backend of the list that was given can be had; `refused` tells why, one entry a name.
    case noBackend(asked: [String], existing: [String], refused: [String])
    /// No device of this id; the ids that there are.
    case noDevice(String, existing: [String])
    /// The backend has no default device in this direction; the ids that there are.
    case noDefaultDevice(DeviceDirection, existing: [String])
    /// The device went away.
    case deviceGone
    /// The server refuses what was asked; the text has its words.
    case refused(String)
    /// No answer in time to what the text names.
    case timedOut(String)
    /// Sound does not leave or reach the device, which may be asleep.
    case stalled
    /// The source or sink that was given failed; the text has its words.
    case source(String)
    case invalidRequest(String)
    /// The call does not fit the stream's state.
    case misuse(String)
    /// The system gives no thread or memory.
    case outOfResources(String)
  }

  public var reason: Reason
  /// The backend it happened in, as far as one was chosen.
  public var backend: String?
  /// Position in the stream, in frames.
  public var position: Int64?

  public init(_ reason: Reason, backend: String? = nil, position: Int64? = nil) {
    self.reason = reason
    self.backend = backend
    self.position = position
  }

  /// What the caller can usefully do next.
  public var advice: String? {
    switch reason {
    case .noServer:
      "start PulseAudio or PipeWire for this user, or name a server in PULSE_SERVER; the backend null needs none"
    case .serverDied: "open the stream again once the server is back"
    case .noBackend(_, let existing, _): "ask for one of: \(existing.joined(separator: ", "))"
    case .noDevice(_, let existing), .noDefaultDevice(_, let existing):
      existing.isEmpty ? "connect a device" : "name one of: \(existing.joined(separator: ", "))"
    case .deviceGone: "open another device"
    case .refused: "ask for another format or latency"
    case .timedOut: "see whether the server hangs"
    case .stalled: "see whether the device is suspended"
    case .outOfResources: "close streams that are not needed"
    case .source, .invalidRequest, .misuse: nil
    }
  }
}

extension AudioDeviceError: CustomStringConvertible {
  public var description: String {
    var text =
      switch reason {
      case .noServer(let words): "no audio server answers: \(words)"
      case .serverDied(let words): "the audio server is gone: \(words)"
      case .noBackend(let asked, _, let refused):
        "none of these audio backends can be had: \(asked.joined(separator: ", "))"
          + (refused.isEmpty ? "" : " (\(refused.joined(separator: "; ")))")
      case .noDevice(let id, _): "there is no device \(id)"
      case .noDefaultDevice(let direction, _): "there is no default \(direction.rawValue)"
      case .deviceGone: "the device is gone"
      case .refused(let words): "the audio server refuses: \(words)"
      case .timedOut(let what): "no answer in time: \(what)"
      case .stalled: "the device does not take any sound"
      case .source(let words), .invalidRequest(let words), .misuse(let words): words
      case .outOfResources(let what): "the system is out of \(what)"
      }
    if let backend { text = "\(backend): \(text)" }
    if let position { text += " (at frame \(position))" }
    return text
  }
}
