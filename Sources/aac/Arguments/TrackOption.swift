import AACContainers

/// The track that is read, where a file has several.
enum TrackOption {
  static let track = CommandOption(
    "--track", takes: "N",
    help: "read track N of the file, as aac info numbers them (usually the first enabled one with AAC)")

  static func number(_ arguments: ParsedArguments) throws(UsageError) -> Int? {
    try arguments.integer(track, in: 1...65535)
  }
}

extension [TrackInfo] {
  /// A line for each track.
  func rows(read number: Int) -> [(String, String)] {
    map { track in
      var text = "\(track.number): \(track.codec)"
      if let language = track.language { text += ", \(language)" }
      if let duration = track.duration { text += ", \(Numbers.time(duration))" }
      if !track.isEnabled { text += ", not enabled" }
      if track.number == number { text += " (read)" }
      return ("track", text)
    }
  }

  var json: JSON {
    .array(
      map { track in
        .object([
          (key: "number", value: .integer(track.number)), (key: "id", value: .integer(track.id)),
          (key: "kind", value: .string(track.kind.rawValue)), (key: "codec", value: .string(track.codec)),
          (key: "language", value: track.language.map { .string($0) } ?? .null),
          (key: "duration", value: track.duration.map { .number($0) } ?? .null),
          (key: "enabled", value: .bool(track.isEnabled)), (key: "readable", value: .bool(track.isReadable)),
        ])
      })
  }
}
