/// How texts of an ID3 tag are written.
enum ID3Encoding: UInt8, CaseIterable {
  case latin1, utf16, utf16BigEndian, utf8

  func bytes(_ text: String) -> [UInt8] {
    switch self {
    case .latin1: text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    case .utf16: [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    case .utf16BigEndian: text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    case .utf8: Array(text.utf8)
    }
  }

  var zero: [UInt8] { self == .utf16 || self == .utf16BigEndian ? [0, 0] : [0] }
}

/// Makes ID3 tags of version 2.
struct ID3Maker {
  var version: UInt8 = 4
  var scrambles = false
  var body: [UInt8] = []

  private func size(_ value: Int, _ count: Int, synchsafe: Bool) -> [UInt8] {
    (0..<count).reversed().map {
      UInt8(truncatingIfNeeded: value >> ($0 * (synchsafe ? 7 : 8))) & (synchsafe ? 0x7F : 0xFF)
    }
  }

  mutating func add(_ name: String, _ content: [UInt8]) {
    body += Array(name.utf8)
    if version == 2 {
      body += size(content.count, 3, synchsafe: false)
    } else {
      body += size(content.count, 4, synchsafe: version == 4) + [0, 0]
    }
    body += content
  }

  var bytes: [UInt8] {
    var body = body
    if scrambles {
      body = []
      for byte in self.body {
        body.append(byte)
        if byte == 0xFF { body.append(0) }
      }
    }
    body += [UInt8](repeating: 0, count: 50)
    return Array("ID3".utf8) + [version, 0, scrambles ? 0x80 : 0] + size(body.count, 4, synchsafe: true)
      + body
  }

  mutating func addPicture(_ data: [UInt8], kind: UInt8, description: String, _ encoding: ID3Encoding) {
    let type = version == 2 ? Array("JPG".utf8) : Array("image/jpeg".utf8) + [0]
    add(
      version == 2 ? "PIC" : "APIC",
      [encoding.rawValue] + type + [kind] + encoding.bytes(description) + encoding.zero + data)
  }
}
