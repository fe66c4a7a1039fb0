/// What a station's block of metadata says: `StreamTitle='…';StreamUrl='…';` and zero bytes up to its length.
public struct ICYMetadata: Sendable, Equatable {
  /// `nil` where the block has none.
  public var title: String?
  public var url: String?

  /// Reads a block. Anything may be in it: what cannot be read is left out.
  public init(_ block: [UInt8]) {
    let text = block.prefix { $0 != 0 }
    title = Self.value(of: "StreamTitle", in: text)
    url = Self.value(of: "StreamUrl", in: text)
  }

  /// What stands between `name='` and `';`. Quotes inside of it are left as they are by all servers; where the end is
  /// missing the last quote, or the end of the block, is taken for it.
  private static func value(of name: String, in block: ArraySlice<UInt8>) -> String? {
    let head = [UInt8]((name + "='").utf8)
    guard let start = block.firstRange(of: head)?.upperBound else { return nil }
    let rest = block[start...]
    let end = rest.firstRange(of: [UInt8]("';".utf8))?.lowerBound ?? rest.lastIndex(of: 0x27) ?? rest.endIndex
    return PlainText.decode(rest[..<end])
  }
}

/// Text of servers, who may send what they like.
enum PlainText {
  private static let longest = 1024

  /// UTF-8 where it is that, else Latin-1; without control characters, which could play tricks on a terminal.
  static func decode(_ bytes: some Collection<UInt8>) -> String {
    let bytes = [UInt8](bytes.prefix(longest * 4))
    let text =
      String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(longest) {
      scalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
    }
    let parts = String(scalars).split(separator: " ", omittingEmptySubsequences: false)
    let first = parts.firstIndex { !$0.isEmpty } ?? parts.endIndex
    let last = parts.lastIndex { !$0.isEmpty } ?? first - 1
    return first <= last ? parts[first...last].joined(separator: " ") : ""
  }
}
