/// The four characters that name a box, a brand or a codec.
struct FourCC: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  let value: UInt32

  init(_ value: UInt32) { self.value = value }

  /// Latin-1 characters; `©` is byte 0xA9. Missing ones are spaces.
  init(stringLiteral text: String) {
    var value: UInt32 = 0
    var count = 0
    for scalar in text.unicodeScalars.prefix(4) {
      value = value << 8 | (scalar.value & 0xFF)
      count += 1
    }
    while count < 4 {
      value = value << 8 | 0x20
      count += 1
    }
    self.value = value
  }

  /// Printable, whatever the bytes are.
  var description: String {
    var text = ""
    for shift in [24, 16, 8, 0] as [UInt32] {
      let byte = UInt8(truncatingIfNeeded: value >> shift)
      switch byte {
      case 0x20...0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
      case 0xA9: text.append("©")
      default: text.append("?")
      }
    }
    return text
  }
}
