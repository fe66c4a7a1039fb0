/// A JSON value that keeps its keys in order.
enum JSON: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// Numbers that are not finite become `null`.
  case number(Double)
  case string(String)
  case array([JSON])
  case object([(key: String, value: JSON)])

  static func integer(_ value: Int) -> JSON { .integer(Int64(value)) }

  static func optional(_ value: Int?) -> JSON { value.map { .integer($0) } ?? .null }
  static func optional(_ value: Int64?) -> JSON { value.map { .integer($0) } ?? .null }
  static func optional(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
  static func optional(_ value: Double?) -> JSON { value.map { .number($0) } ?? .null }

  static func strings(_ values: [String]) -> JSON { .array(values.map { .string($0) }) }

  static func == (left: JSON, right: JSON) -> Bool { left.line == right.line }

  /// On one line.
  var line: String {
    var text = ""
    write(to: &text, depth: nil)
    return text
  }

  /// Indented by two spaces a level, for reading.
  var pretty: String {
    var text = ""
    write(to: &text, depth: 0)
    return text
  }

  private func write(to text: inout String, depth: Int?) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .number(let value): text += Self.spell(value)
    case .string(let value): Self.quote(value, to: &text)
    case .array(let items):
      Self.list("[", "]", items, to: &text, depth: depth) { item, text, depth in
        item.write(to: &text, depth: depth)
      }
    case .object(let members):
      Self.list("{", "}", members, to: &text, depth: depth) { member, text, depth in
        Self.quote(member.key, to: &text)
        text += depth == nil ? ":" : ": "
        member.value.write(to: &text, depth: depth)
      }
    }
  }

  private static func list<Item>(
    _ open: String, _ close: String, _ items: [Item], to text: inout String, depth: Int?,
    _ write: (Item, inout String, Int?) -> Void
  ) {
    text += open
    for (index, item) in items.enumerated() {
      if index > 0 { text += "," }
      if let depth { text += "\n" + String(repeating: "  ", count: depth + 1) }
      write(item, &text, depth.map { $0 + 1 })
    }
    if let depth, !items.isEmpty { text += "\n" + String(repeating: "  ", count: depth) }
    text += close
  }

  private static func spell(_ value: Double) -> String {
    guard value.isFinite else { return "null" }
    if value == value.rounded(), abs(value) < 1e15 { return String(Int64(value)) }
    return "\(value)"
  }

  private static func quote(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{0}"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
