/// A pattern for one name: `*` any characters, `?` one, `[a-z]` one of some, `[!a-z]` one of all others.
/// A backslash takes the character after it for itself.
struct GlobPattern {
  private enum Piece: Equatable {
    case any
    case one
    case character(Character)
    case oneOf([ClosedRange<Character>], isInverted: Bool)
  }

  private let pieces: [Piece]
  private let matchesHidden: Bool

  /// Whether a text has characters of a pattern.
  static func isPattern(_ text: String) -> Bool { text.contains { "*?[".contains($0) } }

  init(_ text: String) {
    var rest = [Character](text)[...]
    var pieces: [Piece] = []
    while let character = rest.popFirst() {
      switch character {
      case "*": if pieces.last != .any { pieces.append(.any) }
      case "?": pieces.append(.one)
      case "[": pieces.append(Self.set(&rest) ?? .character("["))
      case "\\": pieces.append(.character(rest.popFirst() ?? "\\"))
      default: pieces.append(.character(character))
      }
    }
    self.pieces = pieces
    matchesHidden = text.hasPrefix(".")
  }

  /// What stands between brackets; `nil`, and nothing taken, where no bracket closes.
  private static func set(_ rest: inout ArraySlice<Character>) -> Piece? {
    var body = rest
    let isInverted = body.first == "!" || body.first == "^"
    if isInverted { body.removeFirst() }
    var ranges: [ClosedRange<Character>] = []
    var isFirst = true
    while let low = body.popFirst() {
      if low == "]", !isFirst {
        rest = body
        return .oneOf(ranges, isInverted: isInverted)
      }
      isFirst = false
      var high = low
      if body.first == "-", let end = body.dropFirst().first, end != "]" {
        high = end
        body.removeFirst(2)
      }
      if low <= high { ranges.append(low...high) }
    }
    return nil
  }

  func matches(_ name: String) -> Bool {
    if name.hasPrefix("."), !matchesHidden { return false }
    let name = [Character](name)
    var (place, piece) = (0, 0)
    // Where the last star stands, and how far it has reached.
    var star: (piece: Int, place: Int)?
    while place < name.count {
      if piece < pieces.count, pieces[piece] == .any {
        star = (piece, place)
        piece += 1
      } else if piece < pieces.count, Self.fits(name[place], pieces[piece]) {
        piece += 1
        place += 1
      } else if let last = star {
        star = (last.piece, last.place + 1)
        piece = last.piece + 1
        place = last.place + 1
      } else {
        return false
      }
    }
    return pieces[piece...].allSatisfy { $0 == .any }
  }

  private static func fits(_ character: Character, _ piece: Piece) -> Bool {
    switch piece {
    case .any: false
    case .one: true
    case .character(let wanted): character == wanted
    case .oneOf(let ranges, let isInverted): ranges.contains { $0.contains(character) } != isInverted
    }
  }
}
