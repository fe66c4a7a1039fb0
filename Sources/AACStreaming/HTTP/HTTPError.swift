/// Why nothing comes from a network address, or nothing more.
public struct HTTPError: Error, Equatable, Sendable {
  /// What is wrong.
  public enum Reason: Equatable, Sendable {
    /// The text is no address that can be fetched.
    case badAddress(String)
    /// The server answers with this status; the text has its words.
    case status(Int, String)
    /// No connection; the text has libcurl's words.
    case noConnection(String)
    /// The server's certificate is not accepted; the text has libcurl's words.
    case notTrusted(String)
    /// No answer in time.
    case timedOut
    /// No byte came for so long.
    case stalled(seconds: Double)
    /// One redirect after the other.
    case tooManyRedirects
    /// The server closed the connection before the end.
    case cutOff
    /// The server cannot go on where it broke off.
    case cannotResume
    /// What else libcurl says.
    case transfer(String)
    case cancelled
    /// The system gives no thread or memory.
    case outOfResources(String)
  }

  public var reason: Reason
  /// Bytes of the body that had come.
  public var position: Int64?

  public init(_ reason: Reason, at position: Int64? = nil) {
    self.reason = reason
    self.position = position
  }

  /// What the caller can usefully do next.
  public var advice: String? {
    switch reason {
    case .badAddress: "give an address as http://host/path or https://host/path"
    case .status(401, _), .status(407, _): "give a name and a password, as http://name:password@host/path"
    case .status(403, _): "ask the server's owner for access"
    case .status(404, _), .status(410, _): "check the address: the stream may be off the air"
    case .status(let code, _): code >= 500 ? "try again later" : "check the address"
    case .noConnection: "check the address and the network"
    case .notTrusted: "check the address, and the certificates of this machine"
    case .timedOut, .stalled: "check the network, or allow more time"
    case .tooManyRedirects: "give the address that it leads to"
    case .cutOff, .transfer: "try again"
    case .cannotResume: "fetch the file first"
    case .outOfResources: "close what is not needed"
    case .cancelled: nil
    }
  }
}

extension HTTPError: CustomStringConvertible {
  public var description: String {
    let text =
      switch reason {
      case .badAddress(let words): words
      case .status(let code, let words):
        "the server answers with status \(code)" + (words.isEmpty ? "" : " (\(words))")
      case .noConnection(let words): "no connection: \(words)"
      case .notTrusted(let words): "the server is not trusted: \(words)"
      case .timedOut: "no answer in time"
      case .stalled(let seconds): "nothing has come for \(Int(min(max(0, seconds), 1e6).rounded())) s"
      case .tooManyRedirects: "the server sends from one address to the next"
      case .cutOff: "the server closed the connection"
      case .cannotResume: "the connection broke, and the server cannot go on in the middle"
      case .transfer(let words): words
      case .cancelled: "interrupted"
      case .outOfResources(let what): "the system is out of \(what)"
      }
    return text + (position.map { " (at byte \($0))" } ?? "")
  }
}
