/// The 11 bytes in front of each tag of a Flash video, and for sound the two that follow them.
struct FLVTag {
  static let headerLength = 11
  /// A tag is followed by its own length.
  static let trailerLength = 4

  enum Kind: Int {
    case audio = 8
    case video = 9
    case script = 18
  }

  /// What a tag of sound holds.
  enum Content: Equatable {
    /// An AudioSpecificConfig.
    case configuration
    case accessUnit
    /// Another coding, by its number.
    case other(Int)
  }

  var kind: Kind
  /// File offset of the tag.
  var start: Int64
  /// Bytes between header and trailer.
  var size: Int  // DataSize
  /// Milliseconds.
  var time: Int64  // Timestamp, TimestampExtended
  var isEncrypted: Bool  // Filter

  /// File offset of the next tag.
  var end: Int64 { start + Int64(Self.headerLength + size + Self.trailerLength) }
  /// File offset of what the tag holds.
  var body: Int64 { start + Int64(Self.headerLength) }

  /// The tag at `offset`; `nil` where there is none, or the data ends inside of its header.
  init?(at offset: Int64, in window: ByteWindow) throws(ContainerError) {
    guard let word = try window.number(8, at: offset), let stream = try window.number(3, at: offset + 8),
      word >> 62 == 0, stream == 0, let kind = Kind(rawValue: Int(word >> 56 & 31))
    else { return nil }
    self.kind = kind
    start = offset
    size = Int(word >> 32 & 0xFF_FFFF)
    // The highest byte stands behind the others and has a sign.
    let low = UInt32(word >> 8 & 0xFF_FFFF)
    time = Int64(Int32(bitPattern: UInt32(word & 0xFF) << 24 | low))
    isEncrypted = word >> 61 & 1 != 0
  }

  /// Whether the length behind the tag is its own, or the data ends there.
  func isConfirmed(in window: ByteWindow) throws(ContainerError) -> Bool {
    if let length = try window.number(Self.trailerLength, at: end - Int64(Self.trailerLength)) {
      return length == UInt64(Self.headerLength + size)
    }
    let needed = Self.headerLength + size
    // Up to 16 MB that nobody needs to see.
    if let length = window.source.length { return start + Int64(needed) <= length }
    return try window.available(needed, at: start) == needed
  }

  /// What a tag of sound holds, and at which offset; `nil` where it is too short to tell.
  func content(in window: ByteWindow) throws(ContainerError) -> (content: Content, place: Int64)? {
    guard kind == .audio, size >= 1, let first = try window.number(1, at: body) else { return nil }
    let format = Int(first >> 4)  // SoundFormat
    guard format == Self.advancedAudioCoding else { return (.other(format), body + 1) }
    guard size >= 2, let type = try window.number(1, at: body + 1) else { return nil }  // AACPacketType
    return (type == 0 ? .configuration : .accessUnit, body + 2)
  }

  private static let advancedAudioCoding = 10

  /// For messages.
  static func name(ofFormat format: Int) -> String {
    switch format {
    case 0, 3: "PCM sound"
    case 1: "ADPCM sound"
    case 2, 14: "MP3 sound"
    case 4, 5, 6: "Nellymoser sound"
    case 7, 8: "G.711 sound"
    case 11: "Speex sound"
    default: "sound of the format \(format)"
    }
  }
}
