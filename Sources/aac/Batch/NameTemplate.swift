import AACContainers

/// How outputs are called: text with fields, as `{artist}/{album}/{track} {title}`.
struct NameTemplate: Equatable {
  private enum Piece: Equatable {
    case text(String)
    case field(String)
  }

  /// Names of the fields: the file's own name without its extension, and tags.
  static let fields = [
    "stem", Tags.Key.title, Tags.Key.artist, Tags.Key.album, Tags.Key.albumArtist, Tags.Key.composer,
    Tags.Key.genre, Tags.Key.date, "year", Tags.Key.track, Tags.Key.disc,
  ]
  /// Bytes of a name, which leaves room for an extension and for what a temporary name adds.
  static let lengthLimit = 200

  /// By folder, the name itself last.
  private let components: [[Piece]]
  /// The inputs' tags have to be known.
  let needsTags: Bool
  /// It makes folders of its own.
  let hasFolders: Bool

  init(_ text: String, option: String) throws(UsageError) {
    var components: [[Piece]] = []
    for part in text.split(separator: "/", omittingEmptySubsequences: false) {
      guard !part.isEmpty else {
        throw .value(option, text, "folders need a name, and the template stays within the output folder")
      }
      guard part != ".", part != ".." else {
        throw .value(option, text, "the template stays within the output folder")
      }
      components.append(try Self.pieces(part, of: text, option))
    }
    self.components = components
    hasFolders = components.count > 1
    needsTags = components.contains { pieces in
      pieces.contains { piece in
        if case .field(let name) = piece { return name != "stem" }
        return false
      }
    }
  }

  private static func pieces(
    _ part: Substring, of text: String, _ option: String
  ) throws(UsageError) -> [Piece] {
    var pieces: [Piece] = []
    var rest = part
    while let open = rest.firstIndex(of: "{") {
      if open > rest.startIndex { pieces.append(.text(String(rest[..<open]))) }
      guard let close = rest[open...].firstIndex(of: "}") else {
        throw .value(option, text, "a brace is not closed")
      }
      let name = String(rest[rest.index(after: open)..<close])
      guard fields.contains(name) else {
        throw .value(
          option, text,
          "there is no field {\(name)}; there are \(fields.map { "{\($0)}" }.joined(separator: " "))"
        )
      }
      pieces.append(.field(name))
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty { pieces.append(.text(String(rest))) }
    return pieces
  }

  /// The name without extension, folders in front of it.
  func name(stem: String, _ tags: Tags) -> String {
    components.map { pieces in
      let text = pieces.map { piece in
        switch piece {
        case .text(let text): text
        case .field(let name): Self.value(name, stem: stem, tags)
        }
      }
      return Self.safe(text.joined())
    }.joined(separator: "/")
  }

  private static func value(_ field: String, stem: String, _ tags: Tags) -> String {
    func number(_ key: String) -> String? {
      tags[key].map { String($0.prefix { $0 != "/" }) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    let value: String? =
      switch field {
      case "stem": stem
      case Tags.Key.title: tags[Tags.Key.title] ?? stem
      case "year": tags[Tags.Key.date].map { String($0.prefix(4)) }
      case Tags.Key.track: number(Tags.Key.track).map { $0.count == 1 ? "0" + $0 : $0 }
      case Tags.Key.disc: number(Tags.Key.disc)
      case Tags.Key.albumArtist: tags[Tags.Key.albumArtist] ?? tags[Tags.Key.artist]
      default: tags[field]
      }
    guard let value, !value.isEmpty else { return "unknown" }
    return value
  }

  /// A name that every file system can have and that leads nowhere else: no separators, no control characters, no
  /// dot in front, no spaces at the ends, not too long.
  static func safe(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isControl = scalar.properties.generalCategory == .control
      scalars.append(isControl || "/\\:*?\"<>|".unicodeScalars.contains(scalar) ? "_" : scalar)
    }
    var name = ""
    var length = 0
    for character in String(scalars).drop(while: { $0.isWhitespace }) {
      length += character.utf8.count
      if length > lengthLimit { break }
      name.append(character)
    }
    while name.last?.isWhitespace == true || name.last == "." { name.removeLast() }
    if name.hasPrefix(".") { name = "_" + name.dropFirst() }
    return name.isEmpty ? "_" : name
  }
}
