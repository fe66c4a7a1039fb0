/// Comments of the form `NAME=value` (RFC 9639, 8.6), in little-endian lengths.
enum VorbisComments {
  private static let mostComments = 4096
  private static let largestValue = 1 << 16

  private static let keys: [String: String] = [
    "TITLE": Tags.Key.title, "ARTIST": Tags.Key.artist, "ALBUM": Tags.Key.album,
    "ALBUMARTIST": Tags.Key.albumArtist, "ALBUM ARTIST": Tags.Key.albumArtist,
    "COMPOSER": Tags.Key.composer, "DATE": Tags.Key.date, "YEAR": Tags.Key.date, "GENRE": Tags.Key.genre,
    "COMMENT": Tags.Key.comment, "DESCRIPTION": Tags.Key.comment, "COPYRIGHT": Tags.Key.copyright,
    "GROUPING": Tags.Key.grouping, "LYRICS": Tags.Key.lyrics, "UNSYNCEDLYRICS": Tags.Key.lyrics,
    "BPM": Tags.Key.beatsPerMinute, "COMPILATION": Tags.Key.compilation, "CONDUCTOR": Tags.Key.conductor,
    "PUBLISHER": Tags.Key.publisher, "LABEL": Tags.Key.publisher, "PERFORMER": Tags.Key.performer,
    "PRODUCER": Tags.Key.producer, "WORK": Tags.Key.work, "TITLESORT": Tags.Key.sortTitle,
    "ARTISTSORT": Tags.Key.sortArtist, "ALBUMSORT": Tags.Key.sortAlbum,
    "ALBUMARTISTSORT": Tags.Key.sortAlbumArtist, "COMPOSERSORT": Tags.Key.sortComposer,
  ]
  /// What is no longer true, or is taken from elsewhere.
  private static let dropped: Set<String> = [
    "ENCODER", "ENCODED-BY", "CUESHEET", "METADATA_BLOCK_PICTURE", "COVERART", "COVERARTMIME",
    "WAVEFORMATEXTENSIBLE_CHANNEL_MASK",
  ]

  /// What can be read of a list of comments.
  static func read(_ bytes: [UInt8], into tags: inout Tags) {
    var place = 0
    func length() -> Int? {
      guard bytes.count - place >= 4 else { return nil }
      defer { place += 4 }
      let size = bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
      return size
    }
    func text() -> ArraySlice<UInt8>? {
      guard let size = length(), size <= bytes.count - place else { return nil }
      defer { place += size }
      return bytes[place..<place + size]
    }
    var counts = Counts()
    guard text() != nil, let count = length() else { return }
    for _ in 0..<min(count, mostComments) {
      guard let comment = text() else { break }
      guard let sign = comment.firstIndex(of: UInt8(ascii: "=")), sign > comment.startIndex,
        comment.endIndex - sign <= largestValue
      else { continue }
      let name = String(decoding: comment[..<sign], as: UTF8.self)
      let value = String(decoding: comment[(sign + 1)...], as: UTF8.self)
      if !value.isEmpty, !counts.take(name.uppercased(), value) { add(name, value, to: &tags) }
    }
    counts.finish(&tags)
  }

  private static func add(_ name: String, _ value: String, to tags: inout Tags) {
    let upper = name.uppercased()
    guard !dropped.contains(upper) else { return }
    let key = keys[upper] ?? (upper.hasPrefix("REPLAYGAIN_") ? upper.lowercased() : name)
    guard Tags.problem(of: value, for: key) == nil, !tags.values(of: key).contains(value) else { return }
    tags.append(value, to: key)
  }

  /// Numbers and how many there are come apart; other files have `3/12`.
  private struct Counts {
    private var numbers: [String: String] = [:]
    private var totals: [String: String] = [:]

    mutating func take(_ name: String, _ value: String) -> Bool {
      switch name {
      case "TRACKNUMBER": numbers[Tags.Key.track] = value
      case "DISCNUMBER": numbers[Tags.Key.disc] = value
      case "TRACKTOTAL", "TOTALTRACKS": totals[Tags.Key.track] = value
      case "DISCTOTAL", "TOTALDISCS": totals[Tags.Key.disc] = value
      default: return false
      }
      return true
    }

    func finish(_ tags: inout Tags) {
      for key in [Tags.Key.track, Tags.Key.disc] {
        guard let number = numbers[key] else { continue }
        let value = totals[key].map { number.contains("/") ? number : "\(number)/\($0)" } ?? number
        if Tags.problem(of: value, for: key) == nil {
          tags[key] = value
        } else if Tags.problem(of: number, for: key) == nil {
          tags[key] = number
        }
      }
    }
  }
}
