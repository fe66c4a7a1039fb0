/// What a server says of its answer before the body comes.
public struct HTTPResponse: Sendable, Equatable {
  /// The status; 0 before the first line.
  public var status = 0
  /// The server's words to the status.
  public var reason = ""
  /// `audio/aac`, for instance, in small letters and without parameters.
  public var contentType: String?
  /// Bytes of the body; `nil` where only the end tells.
  public var contentLength: Int64?
  /// The server can begin in the middle.
  public var acceptsRanges = false
  /// The station's name (`icy-name`).
  public var stationName: String?
  /// The station's kind of music (`icy-genre`).
  public var genre: String?
  /// The station's bit rate in bits a second (`icy-br`).
  public var bitRate: Int?
  /// Bytes of sound between two blocks of metadata (`icy-metaint`).
  public var metadataInterval: Int?
  /// The answer has headers of a station, or begins with `ICY`.
  public var isStation = false

  public init() {}

  /// The body has no end of its own: a station, or AAC frames whose length is not told.
  public var isEndless: Bool {
    guard contentLength == nil else { return false }
    return isStation || ["audio/aac", "audio/aacp", "audio/x-aac"].contains(contentType)
  }

  /// Takes a line of the headers. A status line, as one follows a redirect, begins anew.
  mutating func take(_ line: [UInt8]) {
    let line = line.prefix { $0 != 0x0D && $0 != 0x0A }
    if line.starts(with: "HTTP/".utf8) || line.starts(with: "ICY ".utf8) {
      let parts = line.split(separator: 0x20, maxSplits: 2)
      self = HTTPResponse()
      isStation = line.starts(with: "ICY".utf8)
      if parts.count > 1 { status = Int(PlainText.decode(parts[1])) ?? 0 }
      if parts.count > 2 { reason = PlainText.decode(parts[2]) }
      return
    }
    guard let colon = line.firstIndex(of: 0x3A) else { return }
    take(
      name: PlainText.decode(line[..<colon]).lowercased(), value: PlainText.decode(line[(colon + 1)...]))
  }

  private mutating func take(name: String, value: String) {
    if name.hasPrefix("icy-") || name.hasPrefix("ice-") { isStation = true }
    switch name {
    case "content-type":
      let type = value.prefix { $0 != ";" && $0 != " " }
      contentType = type.isEmpty ? nil : type.lowercased()
    case "content-length": contentLength = Int64(value).flatMap { $0 >= 0 ? $0 : nil }
    case "accept-ranges": acceptsRanges = value.lowercased() == "bytes"
    case "icy-name", "ice-name": if !value.isEmpty { stationName = value }
    case "icy-genre", "ice-genre": if !value.isEmpty { genre = value }
    case "icy-br":
      // Some list several; the first is the stream's.
      let number = Int(value.prefix { $0.isNumber })
      bitRate = number.flatMap { (1...100_000).contains($0) ? $0 * 1000 : nil }
    case "icy-metaint": metadataInterval = Int(value).flatMap { $0 > 0 ? $0 : nil }
    default: break
    }
  }
}
