/// How an address is fetched.
public struct HTTPSettings: Sendable, Equatable {
  /// Seconds until the connection stands.
  public var connectTimeout: Double = 10
  /// Seconds without a byte, while bytes are wanted, after which the connection counts as broken.
  public var stallTimeout: Double = 15
  /// Seconds that a stream which broke is tried again, 0 for not at all.
  public var reconnectTime: Double = 60
  /// Redirects that are followed.
  public var redirectLimit = 5
  /// Bytes that wait for the reader at most, 64 KiB and more.
  public var bufferSize = 1 << 20
  /// Path of the certificates that servers are trusted by, in PEM form; `nil` for those of the system.
  public var certificates: String?
  /// What the server is told as the program.
  public var userAgent = "swift-aac"

  /// As the fields say.
  public init() {}
}

/// What happens to a transfer.
public enum HTTPEvent: Sendable, Equatable {
  /// The server has answered; once at the start and once after each reconnection.
  case connected(HTTPResponse)
  /// Another title, when the reader has come to its place in the sound.
  case title(String)
  /// The connection broke for this reason; the attempt that follows, counted from 1.
  case reconnecting(attempt: Int, HTTPError)
}
