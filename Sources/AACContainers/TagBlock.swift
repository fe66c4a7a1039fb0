/// Tags of MP3's world that stand around ADTS streams: they are measured and passed over.
enum TagBlock {
  /// Length of the tag that starts at `offset`; `nil` where there is none.
  static func length(at offset: Int64, in window: ByteWindow) throws(ContainerError) -> Int64? {
    guard let start = try window.number(3, at: offset) else { return nil }
    switch start {
    case 0x49_4433: return try id3v2Length(at: offset, in: window)  // "ID3"
    case 0x54_4147: return try id3v1Length(at: offset, in: window)  // "TAG"
    case 0x41_5045: return try apeLength(at: offset, in: window)  // "APE"
    default: return nil
    }
  }

  /// Header of 10 bytes, then a size of four 7-bit groups; a footer if flagged.
  private static func id3v2Length(at offset: Int64, in window: ByteWindow) throws(ContainerError) -> Int64? {
    guard let head = try window.number(7, at: offset + 3) else { return nil }
    let version = head >> 48
    let groups = [head >> 24, head >> 16, head >> 8, head].map { Int64($0 & 0xFF) }
    guard version != 0xFF, groups.allSatisfy({ $0 < 0x80 }) else { return nil }
    let size = groups.reduce(0) { $0 << 7 | $1 }
    let hasFooter = head >> 32 & 0x10 != 0
    return 10 + size + (hasFooter ? 10 : 0)
  }

  /// 128 bytes at the very end.
  private static func id3v1Length(at offset: Int64, in window: ByteWindow) throws(ContainerError) -> Int64? {
    guard try window.available(129, at: offset) == 128 else { return nil }
    return 128
  }

  /// "APETAGEX", version, size of all but the header (little-endian), item count, flags.
  private static func apeLength(at offset: Int64, in window: ByteWindow) throws(ContainerError) -> Int64? {
    guard try window.number(8, at: offset) == 0x4150_4554_4147_4558 else { return nil }
    guard let sizes = try window.number(8, at: offset + 12), let flags = try window.number(4, at: offset + 20)
    else { return nil }
    let size = Int64(UInt32(truncatingIfNeeded: sizes >> 32).byteSwapped)
    let isHeader = UInt32(truncatingIfNeeded: flags).byteSwapped & 0x2000_0000 != 0
    return isHeader ? 32 + size : 32
  }

  /// Where the data starts behind all leading ID3v2 tags.
  static func endOfLeadingTags(in window: ByteWindow) throws(ContainerError) -> Int64 {
    var offset: Int64 = 0
    for _ in 0..<64 {
      guard try window.number(3, at: offset) == 0x49_4433 else { break }
      guard let length = try id3v2Length(at: offset, in: window) else { break }
      // A size that runs past the end is a lie: look behind the header.
      if let all = window.source.length, offset + length > all { return offset + 10 }
      offset += length
    }
    return offset
  }
}
