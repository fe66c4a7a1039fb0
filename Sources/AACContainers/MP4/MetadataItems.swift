/// `ilst`: iTunes' tags in `moov/udta/meta`.
enum MetadataItems {
  private static let itemLimit = 512
  private static let textLimit = 1 << 16
  static let appleMean = "com.apple.iTunes"

  /// Box types of the keys whose values are text.
  static let textTypes: [(key: String, type: FourCC)] = [
    (Tags.Key.title, "©nam"), (Tags.Key.artist, "©ART"), (Tags.Key.album, "©alb"),
    (Tags.Key.albumArtist, "aART"), (Tags.Key.composer, "©wrt"), (Tags.Key.date, "©day"),
    (Tags.Key.genre, "©gen"), (Tags.Key.comment, "©cmt"), (Tags.Key.copyright, "cprt"),
    (Tags.Key.grouping, "©grp"), (Tags.Key.lyrics, "©lyr"), (Tags.Key.description, "desc"),
    (Tags.Key.encoder, "©too"),
  ]

  struct Content: Equatable {
    var tags = Tags()
    var gapless: GaplessInfo?
    var remarks: [String] = []
  }

  /// Reads a `udta` box. Faults in it are remarked upon and do not keep the file from being played.
  static func read(userData: Box, in window: ByteWindow) -> Content {
    var content = Content()
    do {
      var cursor = BoxCursor(userData)
      while let box = try cursor.next(in: window) {
        guard box.type == "meta" else { continue }
        try read(meta: box, in: window, into: &content)
      }
    } catch {
      content.remarks.append("the tags are damaged: \(error)")
    }
    return content
  }

  /// Reads a `meta` box, with or without the version that QuickTime leaves out.
  static func read(meta: Box, in window: ByteWindow, into content: inout Content) throws(ContainerError) {
    let second = try window.number(4, at: meta.content + 4).map { FourCC(UInt32(truncatingIfNeeded: $0)) }
    let isPlain = second == "hdlr" || second == "ilst"
    var cursor = BoxCursor(meta, skipping: isPlain ? 0 : 4)
    while let box = try cursor.next(in: window) {
      guard box.type == "ilst" else { continue }
      var items = BoxCursor(box)
      var count = 0
      while count < itemLimit, let item = try items.next(in: window) {
        count += 1
        try read(item: item, in: window, into: &content)
      }
    }
  }

  private static func read(
    item: Box, in window: ByteWindow, into content: inout Content
  ) throws(ContainerError) {
    if item.type == "----" { return try readFreeForm(item, in: window, into: &content) }
    var cursor = BoxCursor(item)
    while let box = try cursor.next(in: window) {
      guard box.type == "data", box.contentSize >= 8 else { continue }
      guard let key = key(of: item.type) else { return }
      let (kind, bytes) = try data(box, in: window)
      if let value = value(of: item.type, kind: kind, bytes), content.tags[key] == nil {
        content.tags[key] = value
      }
      return
    }
  }

  private static func readFreeForm(
    _ item: Box, in window: ByteWindow, into content: inout Content
  ) throws(ContainerError) {
    var mean = ""
    var name = ""
    var cursor = BoxCursor(item)
    while let box = try cursor.next(in: window) {
      switch box.type {
      case "mean": mean = try text(box, skipping: 4, in: window)
      case "name": name = try text(box, skipping: 4, in: window)
      case "data" where box.contentSize >= 8:
        let (kind, bytes) = try data(box, in: window)
        guard kind == 1 || kind == 0, !name.isEmpty else { return }
        let value = String(decoding: bytes, as: UTF8.self)
        if name == GaplessInfo.name {
          content.gapless = GaplessInfo(parsing: value)
          return
        }
        let key = mean == appleMean || mean.isEmpty ? name : "\(mean):\(name)"
        if content.tags[key] == nil { content.tags[key] = value }
        return
      default: break
      }
    }
  }

  private static func text(_ box: Box, skipping count: Int64, in window: ByteWindow) throws(ContainerError)
    -> String
  {
    guard box.contentSize >= count else { return "" }
    let length = Int(min(box.contentSize - count, 256))
    return String(decoding: try window.bytes(length, at: box.content + count), as: UTF8.self)
  }

  /// The type and the bytes of a `data` box.
  private static func data(_ box: Box, in window: ByteWindow) throws(ContainerError) -> (kind: Int, [UInt8]) {
    let kind = Int(try window.number(4, at: box.content) ?? 0) & 0xFF_FFFF
    let length = Int(min(box.contentSize - 8, Int64(textLimit)))
    return (kind, try window.bytes(length, at: box.content + 8))
  }

  private static func key(of type: FourCC) -> String? {
    if let known = textTypes.first(where: { $0.type == type }) { return known.key }
    switch type {
    case "trkn": return Tags.Key.track
    case "disk": return Tags.Key.disc
    case "gnre": return Tags.Key.genre
    case "tmpo": return Tags.Key.beatsPerMinute
    case "cpil": return Tags.Key.compilation
    default: return nil
    }
  }

  private static func value(of type: FourCC, kind: Int, _ bytes: [UInt8]) -> String? {
    func number(_ index: Int) -> Int {
      index + 1 < bytes.count ? Int(bytes[index]) << 8 | Int(bytes[index + 1]) : 0
    }
    switch type {
    case "trkn", "disk":
      let (place, total) = (number(2), number(4))
      return place == 0 && total == 0 ? nil : total == 0 ? "\(place)" : "\(place)/\(total)"
    case "gnre":
      let index = number(0) - 1
      return Genres.names.indices.contains(index) ? Genres.names[index] : nil
    case "tmpo", "cpil":
      guard !bytes.isEmpty, bytes.count <= 4 else { return nil }
      return String(bytes.reduce(0) { $0 << 8 | Int($1) })
    default:
      if kind == 2 { return utf16(bytes) }
      return kind <= 1 ? String(decoding: bytes, as: UTF8.self) : nil
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

extension MetadataItems {
  /// Appends a `udta` box with the tags; nothing where there are none.
  static func write(_ tags: Tags, gapless: GaplessInfo?, to bytes: inout ByteBuilder) {
    guard !tags.isEmpty || gapless != nil else { return }
    bytes.box("udta") {
      $0.fullBox("meta") {
        $0.fullBox("hdlr") {
          $0.uint32(0)
          $0.fourCC("mdir")
          $0.fourCC("appl")
          $0.zeros(9)
        }
        $0.box("ilst") {
          for item in tags.items { put(item, to: &$0) }
          if let gapless { putFreeForm(appleMean, GaplessInfo.name, gapless.text, to: &$0) }
        }
      }
    }
  }

  private static func put(_ item: Tags.Item, to bytes: inout ByteBuilder) {
    switch item.key {
    case Tags.Key.track: putPair("trkn", item.value, trailing: 2, to: &bytes)
    case Tags.Key.disc: putPair("disk", item.value, trailing: 0, to: &bytes)
    case Tags.Key.beatsPerMinute:
      guard let value = UInt16(item.value) else { break }
      return putData("tmpo", kind: 21, [UInt8(value >> 8), UInt8(value & 0xFF)], to: &bytes)
    case Tags.Key.compilation:
      return putData("cpil", kind: 21, [item.value == "0" ? 0 : 1], to: &bytes)
    default:
      if let type = textTypes.first(where: { $0.key == item.key })?.type {
        putData(type, kind: 1, [UInt8](item.value.utf8), to: &bytes)
      } else if let colon = item.key.firstIndex(of: ":") {
        let name = String(item.key[item.key.index(after: colon)...])
        putFreeForm(String(item.key[..<colon]), name, item.value, to: &bytes)
      } else {
        putFreeForm(appleMean, item.key, item.value, to: &bytes)
      }
    }
  }

  private static func putPair(_ type: FourCC, _ value: String, trailing: Int, to bytes: inout ByteBuilder) {
    let parts = value.split(separator: "/").map { UInt16($0.filter(\.isNumber)) ?? 0 }
    let (place, total) = (parts.first ?? 0, parts.count > 1 ? parts[1] : 0)
    var data: [UInt8] = [0, 0]
    for number in [place, total] { data += [UInt8(number >> 8), UInt8(number & 0xFF)] }
    data += [UInt8](repeating: 0, count: trailing)
    putData(type, kind: 0, data, to: &bytes)
  }

  private static func putData(_ type: FourCC, kind: Int, _ data: [UInt8], to bytes: inout ByteBuilder) {
    bytes.box(type) {
      $0.box("data") {
        $0.uint32(Int64(kind))
        $0.uint32(0)
        $0.append(data)
      }
    }
  }

  private static func putFreeForm(
    _ mean: String, _ name: String, _ value: String, to bytes: inout ByteBuilder
  ) {
    bytes.box("----") {
      $0.fullBox("mean") { $0.append(mean) }
      $0.fullBox("name") { $0.append(name) }
      $0.box("data") {
        $0.uint32(1)
        $0.uint32(0)
        $0.append(value)
      }
    }
  }
}
