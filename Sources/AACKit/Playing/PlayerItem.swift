public import AACContainers
public import AACStreaming
public import PCM

/// Something to be played.
public struct PlayerItem: Sendable, Hashable {
  /// Where its bytes come from.
  public enum Source: Sendable, Hashable {
    /// AAC in any container, or PCM.
    case file(path: String)
    /// An open descriptor of a file or a pipe, which stays open.
    case descriptor(Int32)
    /// AAC at an address of HTTP or HTTPS.
    case address(String)
  }

  public var source: Source
  /// For messages.
  public var name: String

  /// An address where the text is one, else the path of a file.
  public init(_ text: String) {
    if HTTPSource.isAddress(text) {
      source = .address(text)
      name = HTTPSource.withoutPassword(text)
    } else {
      source = .file(path: text)
      name = text
    }
  }

  public init(descriptor: Int32, name: String) {
    source = .descriptor(descriptor)
    self.name = name
  }
}

/// What is known of an item once it is open.
public struct PlayerItemInfo: Sendable, Equatable {
  public var name: String
  /// The item's own format, before it is converted for the device.
  public var format: PCMFormat
  /// Seconds of sound; `nil` where only the end tells.
  public var duration: Double?
  public var isSeekable: Bool
  /// A stream without end, which comes in real time.
  public var isLive: Bool
  public var tags = Tags()
  /// What the server told, for an address.
  public var response: HTTPResponse?
}
