/// ID3 tags in front of a stream (versions 2.2 to 2.4) and behind it (version 1): their texts and pictures.
///
/// Encrypted and compressed frames are passed over. A tag with faults gives what can be read of it.
enum ID3Tags {
  private static let largest = Artwork.sizeLimit + 1 << 20
  private static let largestText = 1 << 16

  private static let names: [String: String] = [
    "TIT2": Tags.Key.title, "TT2": Tags.Key.title, "TPE1": Tags.Key.artist, "TP1": Tags.Key.artist,
    "TALB": Tags.Key.album, "TAL": Tags.Key.album, "TPE2": Tags.Key.albumArtist, "TP2": Tags.Key.albumArtist,
    "TCOM": Tags.Key.composer, "TCM": Tags.Key.composer, "TDRC": Tags.Key.date, "TYER": Tags.Key.date,
    "TYE": Tags.Key.date, "TCON": Tags.Key.genre, "TCO": Tags.Key.genre, "TRCK": Tags.Key.track,
    "TRK": Tags.Key.track, "TPOS": Tags.Key.disc, "TPA": Tags.Key.disc, "TCOP": Tags.Key.copyright,
    "TCR": Tags.Key.copyright, "TIT1": Tags.Key.grouping, "TT1": Tags.Key.grouping,
    "TSSE": Tags.Key.encoder, "TSS": Tags.Key.encoder, "TBPM": Tags.Key.beatsPerMinute,
    "TBP": Tags.Key.beatsPerMinute, "TCMP": Tags.Key.compilation, "TCP": Tags.Key.compilation,
  ]

  /// The tags around a stream. What an earlier one says counts.
  static func read(in window: ByteWindow) throws(ContainerError) -> Tags {
    var tags = Tags()
    var offset: Int64 = 0
    for _ in 0..<64 {
      guard try window.number(3, at: offset) == 0x49_4433,
        let length = try TagBlock.length(at: offset, in: window)
      else { break }
      try read(at: offset, length: length, in: window, into: &tags)
      if let all = window.source.length, offset + length > all { break }
      offset += length
    }
    if window.source.isSeekable, let all = window.source.length, all >= 128,
      try window.number(3, at: all - 128) == 0x54_4147
    {
      readVersion1(try window.bytes(128, at: all - 128), into: &tags)
    }
    return tags
  }

  // MARK: Version 2

  /// What can be read of a tag that claims `length` bytes: no more are loaded than there are.
  static func read(
    at offset: Int64, length: Int64, in window: ByteWindow, into tags: inout Tags
  ) throws(ContainerError) {
    let rest = max(0, (window.source.length ?? .max) - offset)
    read(try window.bytes(Int(min(length, rest, Int64(largest))), at: offset), into: &tags)
  }

  /// What can be read of a whole tag.
  private static func read(_ tag: [UInt8], into tags: inout Tags) {
    guard tag.count > 10, (2...4).contains(tag[3]) else { return }
    let version = tag[3]
    let isScrambled = tag[5] & 0x80 != 0  // unsynchronisation
    var bytes = tag.dropFirst(10)
    // Before version 2.4 it is the whole tag that was changed.
    if isScrambled, version < 4 { bytes = resynchronised(bytes)[...] }
    if tag[5] & 0x40 != 0, version > 2 {
      guard bytes.count > 4 else { return }
      let size = number(bytes.prefix(4), isSynchsafe: version == 4)
      bytes = bytes.dropFirst(version == 4 ? size : size + 4)
    }
    let headerLength = version == 2 ? 6 : 10
    while bytes.count > headerLength, bytes[bytes.startIndex] != 0 {
      let start = bytes.startIndex
      let name = String(decoding: bytes[start..<start + (version == 2 ? 3 : 4)], as: UTF8.self)
      let size =
        version == 2
        ? number(bytes[start + 3..<start + 6], isSynchsafe: false)
        : number(bytes[start + 4..<start + 8], isSynchsafe: version == 4)
      guard size <= bytes.count - headerLength else { return }
      let content = bytes[start + headerLength..<start + headerLength + size]
      let isPicture = name == "APIC" || name == "PIC"
      if isPicture || size <= largestText,
        let plain = plain(
          content, version, flags: version == 2 ? 0 : bytes[start + 9], isScrambled: isScrambled)
      {
        if isPicture {
          takePicture(plain, version, into: &tags)
        } else {
          take(name, plain, into: &tags)
        }
      }
      bytes = bytes[(start + headerLength + size)...]
    }
  }

  /// A frame's content as it was before it was changed for transport; `nil` where it cannot be had.
  private static func plain(
    _ content: ArraySlice<UInt8>, _ version: UInt8, flags: UInt8, isScrambled: Bool
  ) -> ArraySlice<UInt8>? {
    if version == 3 { return flags & 0xC0 != 0 ? nil : flags & 0x20 != 0 ? content.dropFirst() : content }
    guard version == 4 else { return content }
    // compression, encryption
    guard flags & 0x0C == 0 else { return nil }
    var text = content
    if flags & 0x40 != 0 { text = text.dropFirst() }
    if flags & 0x01 != 0 { text = text.dropFirst(4) }
    return flags & 0x02 != 0 || isScrambled ? resynchronised(text)[...] : text
  }

  private static func take(_ name: String, _ text: ArraySlice<UInt8>, into tags: inout Tags) {
    func set(_ key: String, _ value: String) { if tags[key] == nil { tags[key] = value } }
    switch name {
    case "COMM", "COM": if let text = ID3Text.comment(text) { set(Tags.Key.comment, text) }
    case "USLT", "ULT": if let text = ID3Text.comment(text) { set(Tags.Key.lyrics, text) }
    case "TXXX", "TXX": if let (name, value) = ID3Text.named(text) { set(name, value) }
    default:
      guard let key = names[name] else { return }
      let values = ID3Text.values(text).map { key == Tags.Key.genre ? genre($0) : $0 }
      if !values.isEmpty { set(key, values.joined(separator: "; ")) }
    }
  }

  /// A front cover goes in front of what else there is.
  private static func takePicture(_ content: ArraySlice<UInt8>, _ version: UInt8, into tags: inout Tags) {
    guard let picture = ID3Text.picture(content, hasShortType: version == 2),
      let artwork = try? Artwork([UInt8](picture.data)), !tags.artwork.contains(artwork)
    else { return }
    tags.artwork.insert(artwork, at: picture.isFrontCover ? 0 : tags.artwork.count)
  }

  /// `17`, `(17)` and `(17)Rock` name a genre by its number.
  private static func genre(_ text: String) -> String {
    var digits = text[...]
    var rest = text[...].dropFirst(text.count)
    if text.hasPrefix("("), let end = text.firstIndex(of: ")") {
      digits = text[text.index(after: text.startIndex)..<end]
      rest = text[text.index(after: end)...]
    }
    guard let number = Int(digits), Genres.names.indices.contains(number) else { return text }
    return rest.isEmpty ? Genres.names[number] : String(rest)
  }

  private static func number(_ bytes: ArraySlice<UInt8>, isSynchsafe: Bool) -> Int {
    bytes.reduce(0) { isSynchsafe ? $0 << 7 | Int($1 & 0x7F) : $0 << 8 | Int($1) }
  }

  /// Takes out the zeros that keep a decoder of MP3 from finding frames.
  private static func resynchronised(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var last: UInt8 = 0
    for byte in bytes {
      if last != 0xFF || byte != 0 { result.append(byte) }
      last = byte
    }
    return result
  }

  // MARK: Version 1

  private static func readVersion1(_ bytes: [UInt8], into tags: inout Tags) {
    guard bytes.count == 128 else { return }
    func set(_ key: String, _ value: String) { if tags[key] == nil, !value.isEmpty { tags[key] = value } }
    set(Tags.Key.title, ID3Text.latin1(bytes[3..<33]))
    set(Tags.Key.artist, ID3Text.latin1(bytes[33..<63]))
    set(Tags.Key.album, ID3Text.latin1(bytes[63..<93]))
    set(Tags.Key.date, ID3Text.latin1(bytes[93..<97]))
    set(Tags.Key.comment, ID3Text.latin1(bytes[97..<127]))
    // Version 1.1: the track number stands behind the comment's end.
    if bytes[125] == 0, bytes[126] != 0 { set(Tags.Key.track, String(bytes[126])) }
    if Genres.names.indices.contains(Int(bytes[127])) { set(Tags.Key.genre, Genres.names[Int(bytes[127])]) }
  }
}
