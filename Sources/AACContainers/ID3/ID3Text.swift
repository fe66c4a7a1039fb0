/// Text of ID3 frames: a byte that tells how it is written, then values with zeros between them.
enum ID3Text {
  /// The values in `bytes`, whose first byte tells the encoding; empty ones are left out.
  static func values(_ bytes: ArraySlice<UInt8>) -> [String] {
    guard let encoding = bytes.first else { return [] }
    return split(bytes.dropFirst(), encoding).map { decode($0, encoding) }.filter { !$0.isEmpty }
  }

  /// A language of three letters and a description stand in front of comments and lyrics: the text whose description
  /// is empty; `nil` for another one.
  static func comment(_ bytes: ArraySlice<UInt8>) -> String? {
    guard let encoding = bytes.first, bytes.count > 4 else { return nil }
    let parts = split(bytes.dropFirst(4), encoding, most: 2)
    guard parts.count == 2, decode(parts[0], encoding).isEmpty else { return nil }
    let text = decode(parts[1], encoding)
    return text.isEmpty ? nil : text
  }

  /// Text that the file names itself: its name and its value.
  static func named(_ bytes: ArraySlice<UInt8>) -> (name: String, value: String)? {
    guard let encoding = bytes.first else { return nil }
    let parts = split(bytes.dropFirst(), encoding, most: 2)
    guard parts.count == 2 else { return nil }
    let (name, value) = (decode(parts[0], encoding), decode(parts[1], encoding))
    return name.isEmpty || value.isEmpty ? nil : (name, value)
  }

  /// A picture behind its type (three letters in version 2.2), what it shows and a description.
  static func picture(
    _ bytes: ArraySlice<UInt8>, hasShortType: Bool
  ) -> (isFrontCover: Bool, data: ArraySlice<UInt8>)? {
    guard let encoding = bytes.first else { return nil }
    var rest = bytes.dropFirst()
    if hasShortType {
      rest = rest.dropFirst(3)
    } else {
      guard let end = rest.firstIndex(of: 0) else { return nil }
      rest = rest[(end + 1)...]
    }
    guard let kind = rest.first else { return nil }
    let parts = split(rest.dropFirst(), encoding, most: 2)
    return parts.count == 2 ? (kind == 3, parts[1]) : nil
  }

  /// Latin-1, without what fills it up.
  static func latin1(_ bytes: ArraySlice<UInt8>) -> String {
    var scalars = String.UnicodeScalarView()
    for byte in bytes.prefix(while: { $0 != 0 }) { scalars.append(Unicode.Scalar(byte)) }
    while scalars.last == " " { scalars.removeLast() }
    return String(scalars)
  }

  private static func isWide(_ encoding: UInt8) -> Bool { encoding == 1 || encoding == 2 }

  /// Cuts at zeros, which are two bytes in wide encodings; `most` parts at most.
  private static func split(
    _ bytes: ArraySlice<UInt8>, _ encoding: UInt8, most: Int = 64
  ) -> [ArraySlice<UInt8>] {
    let step = isWide(encoding) ? 2 : 1
    var parts: [ArraySlice<UInt8>] = []
    var start = bytes.startIndex
    var place = start
    while place + step <= bytes.endIndex, parts.count + 1 < most {
      if bytes[place] == 0, step == 1 || bytes[place + 1] == 0 {
        parts.append(bytes[start..<place])
        start = place + step
      }
      place += step
    }
    parts.append(bytes[start...])
    return parts
  }

  private static func decode(_ bytes: ArraySlice<UInt8>, _ encoding: UInt8) -> String {
    switch encoding {
    case 0: return latin1(bytes)
    case 1, 2: return utf16(bytes)
    case 3: return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    default: return ""
    }
  }

  /// Big-endian where no byte order mark says otherwise.
  private static func utf16(_ bytes: ArraySlice<UInt8>) -> String {
    let isLittle = bytes.starts(with: [0xFF, 0xFE])
    let text = isLittle || bytes.starts(with: [0xFE, 0xFF]) ? bytes.dropFirst(2) : bytes
    var units: [UInt16] = []
    var place = text.startIndex
    while place + 1 < text.endIndex {
      let (first, second) = (UInt16(text[place]), UInt16(text[place + 1]))
      let unit = isLittle ? second << 8 | first : first << 8 | second
      if unit == 0 { break }
      units.append(unit)
      place += 2
    }
    return String(decoding: units, as: UTF16.self)
  }
}
