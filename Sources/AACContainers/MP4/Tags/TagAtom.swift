/// A box of `ilst` whose meaning is known: its key, and how its value is stored.
struct TagAtom: Sendable {
  enum Kind: Sendable {
    case text
    /// A place and a number of places, then zero bytes.
    case pair(trailing: Int)
    /// A whole number of so many bytes.
    case integer(Int)
    case flag
    /// A byte whose values have names.
    case choice([(name: String, value: UInt8)])
  }

  let key: String
  let type: FourCC
  let kind: Kind

  static let byKey = [String: TagAtom](all.map { ($0.key, $0) }) { first, _ in first }
  static let byType = [FourCC: TagAtom](all.map { ($0.type, $0) }) { first, _ in first }

  static let all: [TagAtom] =
    texts.map { TagAtom(key: $0.0, type: $0.1, kind: .text) }
    + integers.map { TagAtom(key: $0.0, type: $0.1, kind: .integer($0.2)) }
    + flags.map { TagAtom(key: $0.0, type: $0.1, kind: .flag) }
    + [
      TagAtom(key: Tags.Key.track, type: "trkn", kind: .pair(trailing: 2)),
      TagAtom(key: Tags.Key.disc, type: "disk", kind: .pair(trailing: 0)),
      TagAtom(key: Tags.Key.mediaKind, type: "stik", kind: .choice(mediaKinds)),
      TagAtom(
        key: Tags.Key.rating, type: "rtng", kind: .choice([("none", 0), ("explicit", 1), ("clean", 2)])),
    ]

  private static let texts: [(String, FourCC)] = [
    (Tags.Key.title, "©nam"), (Tags.Key.artist, "©ART"), (Tags.Key.album, "©alb"),
    (Tags.Key.albumArtist, "aART"), (Tags.Key.composer, "©wrt"), (Tags.Key.date, "©day"),
    (Tags.Key.genre, "©gen"), (Tags.Key.comment, "©cmt"), (Tags.Key.copyright, "cprt"),
    (Tags.Key.grouping, "©grp"), (Tags.Key.lyrics, "©lyr"), (Tags.Key.description, "desc"),
    (Tags.Key.encoder, "©too"), (Tags.Key.sortTitle, "sonm"), (Tags.Key.sortArtist, "soar"),
    (Tags.Key.sortAlbum, "soal"), (Tags.Key.sortAlbumArtist, "soaa"), (Tags.Key.sortComposer, "soco"),
    (Tags.Key.sortShow, "sosn"), (Tags.Key.work, "©wrk"), (Tags.Key.movement, "©mvn"),
    (Tags.Key.conductor, "©con"), (Tags.Key.director, "©dir"), (Tags.Key.narrator, "©nrt"),
    (Tags.Key.publisher, "©pub"), (Tags.Key.performer, "©prf"), (Tags.Key.producer, "©prd"),
    (Tags.Key.encodedBy, "©enc"), (Tags.Key.longDescription, "ldes"), (Tags.Key.storeDescription, "sdes"),
    (Tags.Key.show, "tvsh"), (Tags.Key.network, "tvnn"), (Tags.Key.episodeID, "tven"),
    (Tags.Key.podcastURL, "purl"), (Tags.Key.podcastGUID, "egid"), (Tags.Key.category, "catg"),
    (Tags.Key.keywords, "keyw"), (Tags.Key.purchaseDate, "purd"), (Tags.Key.purchaser, "apID"),
    (Tags.Key.owner, "ownr"), (Tags.Key.storeVendorID, "xid "),
  ]

  private static let integers: [(String, FourCC, Int)] = [
    (Tags.Key.beatsPerMinute, "tmpo", 2), (Tags.Key.movementNumber, "©mvi", 2),
    (Tags.Key.movementCount, "©mvc", 2), (Tags.Key.season, "tvsn", 4), (Tags.Key.episode, "tves", 4),
    (Tags.Key.storeID, "cnID", 4), (Tags.Key.storeArtistID, "atID", 4), (Tags.Key.storeAlbumID, "plID", 8),
    (Tags.Key.storeComposerID, "cmID", 4), (Tags.Key.storeGenreID, "geID", 4),
    (Tags.Key.storeCountry, "sfID", 4),
  ]

  private static let flags: [(String, FourCC)] = [
    (Tags.Key.compilation, "cpil"), (Tags.Key.gaplessPlayback, "pgap"), (Tags.Key.podcast, "pcst"),
    (Tags.Key.showWorkAndMovement, "shwm"),
  ]

  private static let mediaKinds: [(name: String, value: UInt8)] = [
    ("music", 1), ("audiobook", 2), ("bookmark", 5), ("music video", 6), ("movie", 9), ("tv show", 10),
    ("booklet", 11), ("ringtone", 14), ("podcast", 21), ("itunes u", 23),
  ]
}

/// Values, in both directions.
extension TagAtom {
  /// Type and bytes of the `data` box; `nil` where the value is no such thing.
  func data(of value: String) -> (type: Int, bytes: [UInt8])? {
    switch kind {
    case .text: return (1, [UInt8](value.utf8))
    case .pair(let trailing):
      let parts = value.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      var bytes: [UInt8] = [0, 0]
      for index in 0..<2 {
        let text = index < parts.count ? parts[index] : "0"
        guard let number = text.isEmpty && parts.count == 2 ? 0 : UInt16(text) else { return nil }
        bytes += [UInt8(number >> 8), UInt8(number & 0xFF)]
      }
      guard bytes.contains(where: { $0 != 0 }) else { return nil }
      return (0, bytes + [UInt8](repeating: 0, count: trailing))
    case .integer(let count):
      // A signed number by the standard.
      guard let number = UInt64(value), number < 1 << UInt64(8 * count - 1) || count == 2 && number < 0x1_0000
      else { return nil }
      return (21, (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) })
    case .flag: return value == "1" ? (21, [1]) : value == "0" ? (21, [0]) : nil
    case .choice(let names):
      let name = value.lowercased()
      guard let byte = names.first(where: { $0.name == name })?.value ?? UInt8(value) else { return nil }
      return (21, [byte])
    }
  }

  /// The value in a `data` box; `nil` where it is none of this kind.
  func value(type: Int, _ bytes: [UInt8]) -> String? {
    switch kind {
    case .text:
      if type == 2 { return Self.utf16(bytes) }
      return type <= 1 ? String(decoding: bytes, as: UTF8.self) : nil
    case .pair:
      guard type == 0 || type == 21, bytes.count >= 4 else { return nil }
      let numbers = [2, 4].map { $0 + 1 < bytes.count ? Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) : 0 }
      if numbers[0] == 0, numbers[1] == 0 { return nil }
      return numbers[1] == 0 ? "\(numbers[0])" : "\(numbers[0])/\(numbers[1])"
    case .integer, .flag, .choice:
      guard type == 0 || type == 21 || type == 22, (1...8).contains(bytes.count) else { return nil }
      let number = bytes.reduce(0) { $0 << 8 | UInt64($1) }
      if case .choice(let names) = kind, let name = names.first(where: { $0.value == number })?.name {
        return name
      }
      return String(number)
    }
  }

  /// What a value has to be, for messages.
  var expectation: String {
    switch kind {
    case .text: "text"
    case .pair: "a place and perhaps a total, as 3 or 3/12, up to 65535"
    case .integer(let count):
      "a whole number from 0 to \(count == 2 ? 0xFFFF : UInt64(1) << UInt64(8 * count - 1) - 1)"
    case .flag: "1 or 0"
    case .choice(let names): "one of " + names.map(\.name).joined(separator: ", ") + ", or a number up to 255"
    }
  }

  private static func utf16(_ bytes: [UInt8]) -> String {
    var units: [UInt16] = []
    for index in stride(from: 0, to: bytes.count - 1, by: 2) {
      units.append(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]))
    }
    return String(decoding: units, as: UTF16.self)
  }
}
