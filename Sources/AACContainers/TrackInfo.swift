/// One of the tracks of a file, or one of the streams of a multiplex.
public struct TrackInfo: Sendable, Equatable {
  /// What a track holds.
  public enum Kind: String, Sendable, Equatable {
    case audio
    case video
    case text
    case other
  }

  /// Counted from 1, in the order of the file: by this number a track is chosen.
  public var number: Int
  /// The file's own name for it: the track's ID in MP4, the PID in a transport stream.
  public var id: Int
  public var kind: Kind
  /// The codec for people: `AAC LC`, `H.264 video (avc1)`, …
  public var codec: String
  /// Three letters of ISO 639-2 or a tag of BCP 47; `nil` where it is not told.
  public var language: String?
  /// In seconds; `nil` where it is not told.
  public var duration: Double?
  /// Whether it is played unless another one is chosen.
  public var isEnabled = true
  /// Whether it is AAC that this library decodes.
  public var isReadable = false
}

extension TrackInfo: CustomStringConvertible {
  /// `2 (AAC LC, deu)`
  public var description: String {
    "\(number) (\(codec)\(language.map { ", " + $0 } ?? "")\(isEnabled ? "" : ", not enabled"))"
  }
}

extension [TrackInfo] {
  /// Why the track of this number cannot be read; names those that are there.
  func refusal(of number: Int) -> ContainerError {
    let list = prefix(16).map(\.description).joined(separator: ", ") + (count > 16 ? ", …" : "")
    let what =
      first { $0.number == number }.map { "the track \(number) is \($0.codec), not AAC that can be read" }
      ?? "there is no track \(number)"
    return ContainerError(.noTrack("\(what): the file has \(isEmpty ? "none" : list)"))
  }
}
