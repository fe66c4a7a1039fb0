/// Reads JSON text of any length from a source, one value after another.
package struct JSONScanner {
  private static let stringLimit = 1 << 20
  private static let depthLimit = 16
  private static let listLimit = 1 << 12

  private let window: ByteWindow
  package private(set) var position: Int64 = 0
  /// What is read, for messages.
  private let name: String

  package init(_ source: any ByteSource, from position: Int64 = 0, name: String = "the sidecar") {
    window = ByteWindow(source)
    self.position = position
    self.name = name
  }

  package func failure(_ text: String) -> ContainerError {
    ContainerError(.malformed("in \(name), \(text)"), at: position)
  }

  /// The next byte that is no white space; stays in front of it.
  package mutating func peek() throws(ContainerError) -> UInt8? {
    while let byte = try window.number(1, at: position) {
      guard [0x20, 0x09, 0x0A, 0x0D].contains(byte) else { return UInt8(truncatingIfNeeded: byte) }
      position += 1
    }
    return nil
  }

  package mutating func expect(_ character: Unicode.Scalar) throws(ContainerError) {
    guard try peek() == UInt8(ascii: character) else { throw failure("a \(character) is missing") }
    position += 1
  }

  /// Behind a value: true at a comma, false at `end`; both are passed.
  package mutating func hasNext(before end: Unicode.Scalar) throws(ContainerError) -> Bool {
    if try peek() == UInt8(ascii: ",") {
      position += 1
      return true
    }
    try expect(end)
    return false
  }

  mutating func integer(in range: ClosedRange<Int64>) throws(ContainerError) -> Int64 {
    guard let first = try peek(), (0x30...0x39).contains(first) else { throw failure("a number is missing") }
    var value: Int64 = 0
    while let byte = try window.number(1, at: position), (0x30...0x39).contains(byte) {
      value = value * 10 + Int64(byte - 0x30)
      guard value <= 1 << 40 else { throw failure("a number is too large") }
      position += 1
    }
    guard range.contains(value) else { throw failure("the number \(value) is out of range") }
    return value
  }

  package mutating func string() throws(ContainerError) -> String {
    try expect("\"")
    var bytes: [UInt8] = []
    while let byte = try window.number(1, at: position) {
      position += 1
      if byte == UInt64(UInt8(ascii: "\"")) { return String(decoding: bytes, as: UTF8.self) }
      guard bytes.count < Self.stringLimit else { throw failure("a text is too long") }
      if byte == UInt64(UInt8(ascii: "\\")) {
        bytes += [UInt8](String(try escape()).utf8)
      } else {
        bytes.append(UInt8(truncatingIfNeeded: byte))
      }
    }
    throw failure("a text does not end")
  }

  /// A text, or a list of texts.
  package mutating func strings() throws(ContainerError) -> [String] {
    guard try peek() == UInt8(ascii: "[") else { return [try string()] }
    try expect("[")
    var texts: [String] = []
    if try peek() == UInt8(ascii: "]") {
      try expect("]")
      return texts
    }
    repeat {
      guard texts.count < Self.listLimit else { throw failure("a list is too long") }
      texts.append(try string())
    } while try hasNext(before: "]")
    return texts
  }

  private mutating func escape() throws(ContainerError) -> Unicode.Scalar {
    let byte = UInt8(truncatingIfNeeded: try window.number(1, at: position) ?? 0)
    position += 1
    switch byte {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "u"):
      let high = try codeUnit()
      guard (0xD800..<0xDC00).contains(high) else { return Unicode.Scalar(high) ?? "\u{FFFD}" }
      guard try window.number(2, at: position) == 0x5C75 else { return "\u{FFFD}" }
      position += 2
      let low = try codeUnit()
      guard (0xDC00..<0xE000).contains(low) else { return "\u{FFFD}" }
      return Unicode.Scalar(0x1_0000 + (high - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
    default: return Unicode.Scalar(byte)
    }
  }

  private mutating func codeUnit() throws(ContainerError) -> UInt32 {
    let text = String(decoding: try window.bytes(4, at: position), as: UTF8.self)
    guard text.utf8.count == 4, let value = UInt32(text, radix: 16) else {
      throw failure("an escape is wrong")
    }
    position += 4
    return value
  }

  package mutating func number() throws(ContainerError) -> Double {
    _ = try peek()
    var text = ""
    while let byte = try window.number(1, at: position), Self.isPlain(UInt8(truncatingIfNeeded: byte)),
      text.utf8.count < 40
    {
      text.unicodeScalars.append(Unicode.Scalar(UInt8(truncatingIfNeeded: byte)))
      position += 1
    }
    guard let value = Double(text), value.isFinite else { throw failure("a number is missing") }
    return value
  }

  /// An object whose values `member` reads.
  package mutating func object(
    _ member: (String, inout JSONScanner) throws(ContainerError) -> Void
  ) throws(ContainerError) {
    try expect("{")
    guard try peek() != UInt8(ascii: "}") else { return try expect("}") }
    repeat {
      let name = try string()
      try expect(":")
      try member(name, &self)
    } while try hasNext(before: "}")
  }

  /// A list whose values `element` reads.
  package mutating func list(
    _ element: (inout JSONScanner) throws(ContainerError) -> Void
  ) throws(ContainerError) {
    try expect("[")
    guard try peek() != UInt8(ascii: "]") else { return try expect("]") }
    repeat { try element(&self) } while try hasNext(before: "]")
  }

  /// Passes over any value.
  package mutating func skipValue(depth: Int = 0) throws(ContainerError) {
    guard depth < Self.depthLimit else { throw failure("the text is nested too deeply") }
    switch try peek() {
    case UInt8(ascii: "\""): _ = try string()
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      let isObject = try peek() == UInt8(ascii: "{")
      let end: Unicode.Scalar = isObject ? "}" : "]"
      position += 1
      if try peek() == UInt8(ascii: end) { return try expect(end) }
      repeat {
        if isObject {
          _ = try string()
          try expect(":")
        }
        try skipValue(depth: depth + 1)
      } while try hasNext(before: end)
    case nil: throw failure("the text ends too early")
    default:
      let start = position
      while let byte = try window.number(1, at: position), Self.isPlain(UInt8(truncatingIfNeeded: byte)) {
        position += 1
      }
      guard position > start else { throw failure("a value is missing") }
    }
  }

  /// Bytes of numbers, `true`, `false` and `null`.
  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || [0x2B, 0x2D, 0x2E, 0x45].contains(byte)
  }

  /// `text` in quotation marks.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
