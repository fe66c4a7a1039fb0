/// The time stamp in front of packed audio, ADTS in the segments of an HTTP Live Streaming playlist: an ID3 tag with one
/// `PRIV` frame (RFC 8216, 3.4; ID3v2.4).
public struct TransportTimestamp: Sendable, Equatable {
  private static let owner = [UInt8]("com.apple.streaming.transportStreamTimestamp".utf8) + [0]
  private static let tagHeader = 10
  private static let frameHeader = 10
  private static let valueLength = 8

  /// Time of the first sample in 1/90000 s, modulo 2³³.
  public let value: Int64

  /// Times beyond 2³³ begin again at 0.
  public init(_ value: Int64) { self.value = value & 0x1_FFFF_FFFF }

  /// The whole tag.
  public var tag: [UInt8] {
    let content = Self.owner.count + Self.valueLength
    var bytes = ByteBuilder()
    bytes.append("ID3")
    bytes.append([4, 0, 0])
    bytes.append(Self.synchsafe(content + Self.frameHeader))
    bytes.append("PRIV")
    bytes.append(Self.synchsafe(content))
    bytes.uint16(0)
    bytes.append(Self.owner)
    bytes.put(UInt64(value), Self.valueLength)
    return bytes.bytes
  }

  /// Finds it in the tag at the start of `bytes`; `nil` where there is none.
  public init?(tag bytes: [UInt8]) {
    guard bytes.count >= Self.tagHeader, bytes.starts(with: "ID3".utf8), bytes[3] == 3 || bytes[3] == 4 else {
      return nil
    }
    let end = min(bytes.count, Self.tagHeader + Self.size(bytes, 6, isSynchsafe: true))
    var place = Self.tagHeader
    while place + Self.frameHeader <= end {
      let length = Self.size(bytes, place + 4, isSynchsafe: bytes[3] == 4)
      let start = place + Self.frameHeader
      guard length > 0, length <= end - start else { return nil }
      let frame = bytes[start..<start + length]
      if bytes[place..<place + 4].elementsEqual("PRIV".utf8), frame.starts(with: Self.owner),
        frame.count == Self.owner.count + Self.valueLength
      {
        self.init(frame.suffix(Self.valueLength).dropFirst(3).reduce(0) { $0 << 8 | Int64($1) })
        return
      }
      place = start + length
    }
    return nil
  }

  /// Four bytes of seven bits each.
  private static func synchsafe(_ value: Int) -> [UInt8] {
    stride(from: 21, through: 0, by: -7).map { UInt8(value >> $0 & 0x7F) }
  }

  private static func size(_ bytes: [UInt8], _ place: Int, isSynchsafe: Bool) -> Int {
    bytes[place..<place + 4].reduce(0) { isSynchsafe ? $0 << 7 | Int($1 & 0x7F) : $0 << 8 | Int($1) }
  }
}
