/// How an encrypted track says by which scheme (`sinf`: ISO/IEC 14496-12, 8.12; ISO/IEC 23001-7).
enum Protection {
  /// What an `enca` or `drms` entry of `stsd` is, for people; `nil` for other entries.
  static func name(of entry: Box, in window: ByteWindow) -> String? {
    guard entry.type == "enca" || entry.type == "drms" else { return nil }
    if let scheme = scheme(of: entry, in: window) { return "encrypted audio (\(name(ofScheme: scheme)))" }
    return entry.type == "drms" ? "encrypted audio (Apple FairPlay)" : "encrypted audio"
  }

  private static func name(ofScheme scheme: FourCC) -> String {
    switch scheme {
    case "cenc", "cbc1", "cens", "cbcs": "Common Encryption, \(scheme)"
    case "piff": "PlayReady, piff"
    case "itun": "Apple FairPlay, itun"
    case "odkm": "OMA, odkm"
    case "ACII", "ACGK": "ISMACryp, \(scheme)"
    default: "scheme \(scheme)"
    }
  }

  /// scheme_type of the `schm` box.
  private static func scheme(of entry: Box, in window: ByteWindow) -> FourCC? {
    // Behind the fields of a sound description of version 0, 1 or 2.
    for size in [28, 28 + 16, 28 + 36] as [Int64] {
      guard let sinf = child("sinf", of: entry, skipping: size, in: window),
        let schm = child("schm", of: sinf, in: window),
        var parser = try? window.parser(of: schm, limit: 64),
        (try? parser.skip(4)) != nil  // version, flags
      else { continue }
      return try? parser.fourCC()
    }
    return nil
  }

  private static func child(
    _ type: FourCC, of parent: Box, skipping count: Int64 = 0, in window: ByteWindow
  ) -> Box? {
    var cursor = BoxCursor(parent, skipping: count)
    while let box = try? cursor.next(in: window) {
      if box.type == type { return box }
    }
    return nil
  }
}
