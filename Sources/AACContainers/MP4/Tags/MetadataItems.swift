/// `ilst`: iTunes' tags in `moov/udta/meta`.
enum MetadataItems {
  static let appleMean = "com.apple.iTunes"
  private static let itemLimit = 4096
  /// Bytes of one item, and of all.
  private static let sizeLimit = Int64(Artwork.sizeLimit) + 1 << 16
  private static let totalLimit: Int64 = 64 << 20

  struct Content: Equatable {
    var tags = Tags()
    var gapless: GaplessInfo?
    /// The boxes that told it.
    var gaplessBoxes: [UInt8] = []
    var chapters: [Chapter] = []
    var remarks: [String] = []
    /// Some items were too many or too large, or damaged, or in another place.
    var isIncomplete = false
  }

  /// Reads a `udta` box. Faults in it are remarked upon and do not keep the file from being played.
  static func read(userData: Box, in window: ByteWindow) -> Content {
    var content = Content()
    do {
      var cursor = BoxCursor(userData)
      while let box = try cursor.next(in: window) {
        switch box.type {
        case "meta": try read(meta: box, in: window, into: &content)
        case "chpl" where content.chapters.isEmpty:
          content.chapters = ChapterList.read(
            try window.bytes(Int(min(box.contentSize, 1 << 20)), at: box.content))
        default: break
        }
      }
    } catch {
      content.remarks.append("the tags are damaged: \(error)")
      content.isIncomplete = true
    }
    return content
  }

  /// Whether a `meta` box holds QuickTime's other kind of metadata, whose items are numbered by a list of keys.
  static func isKeyed(handler: FourCC?) -> Bool { handler == "mdta" }

  /// Reads a `meta` box, with or without the version that QuickTime leaves out.
  static func read(meta: Box, in window: ByteWindow, into content: inout Content) throws(ContainerError) {
    let second = try window.number(4, at: meta.content + 4).map { FourCC(UInt32(truncatingIfNeeded: $0)) }
    let isPlain = second == "hdlr" || second == "ilst" || second == "free" || second == "keys"
    var cursor = BoxCursor(meta, skipping: isPlain ? 0 : 4)
    var total: Int64 = 0
    while let box = try cursor.next(in: window) {
      if box.type == "hdlr" {
        let handler = try window.number(4, at: box.content + 8).map { FourCC(UInt32(truncatingIfNeeded: $0)) }
        if isKeyed(handler: handler) { return }
      }
      guard box.type == "ilst" else { continue }
      var items = BoxCursor(box)
      var count = 0
      while let item = try items.next(in: window) {
        let size = item.end - item.start
        count += 1
        total += size
        guard count <= itemLimit, size <= sizeLimit, total <= totalLimit else {
          content.isIncomplete = true
          content.remarks.append("some tags are left out: there are too many, or they are too large")
          break
        }
        add(try window.whole(from: item.start, to: item.end), to: &content)
      }
    }
    content.tags.forgetOriginals(field: bytes(of:), artwork: bytes(of:))
  }

  /// Takes an item by its whole box.
  private static func add(_ whole: [UInt8], to content: inout Content) {
    var bytes = whole
    if bytes.count >= 8, BoxSlice.number(bytes, 0, 4) == 0 {
      // "Up to the end" holds for the last item only, which this one need not be when it is written.
      for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: bytes.count >> (24 - 8 * index)) }
    }
    guard let item = BoxSlice.list(bytes, bytes.indices)?.boxes.first else { return }
    let key = TagAtom.byType[item.type]?.key ?? item.type.description
    guard let children = BoxSlice.list(bytes, item.content..<item.end)?.boxes else {
      content.remarks.append("the tag \(key) is damaged and is left as it is")
      return content.tags.add(foreign: key, box: bytes)
    }
    let values = children.filter { $0.type == "data" && $0.end - $0.content >= 8 }.map { box in
      (
        type: Int(BoxSlice.number(bytes, box.content, 4)) & 0xFF_FFFF,
        bytes: [UInt8](bytes[box.content + 8..<box.end])
      )
    }
    switch item.type {
    case "----":
      addFreeForm(bytes, children, values, to: &content)
    case "covr" where !values.isEmpty && values.allSatisfy { !$0.bytes.isEmpty }:
      content.tags.add(values.map { Artwork(stored: $0.bytes, typeCode: $0.type) }, box: bytes)
    case "gnre":
      let number = values.first.map { $0.bytes.reduce(0) { ($0 << 8 | Int($1)) & 0xFF_FFFF } - 1 } ?? -1
      guard values.count == 1, Genres.names.indices.contains(number) else {
        return content.tags.add(foreign: Tags.Key.genre, box: bytes)
      }
      content.tags.add(Genres.names[number], to: Tags.Key.genre, box: bytes)
    default:
      let texts = TagAtom.byType[item.type].map { atom in values.map { atom.value(type: $0.type, $0.bytes) } }
      add(texts, key, bytes, to: &content)
    }
  }

  private static func add(_ values: [String?]?, _ key: String, _ box: [UInt8], to content: inout Content) {
    let known = values?.compactMap { $0 } ?? []
    guard let values, !known.isEmpty, known.count == values.count else {
      return content.tags.add(foreign: key, box: box)
    }
    for (index, value) in known.enumerated() {
      content.tags.add(value, to: key, box: index == 0 ? box : [])
    }
  }

  private static func addFreeForm(
    _ bytes: [UInt8], _ children: [BoxSlice], _ values: [(type: Int, bytes: [UInt8])],
    to content: inout Content
  ) {
    func text(_ type: FourCC) -> String {
      guard let box = children.first(where: { $0.type == type }), box.end - box.content >= 4 else {
        return ""
      }
      return String(decoding: bytes[box.content + 4..<min(box.end, box.content + 260)], as: UTF8.self)
    }
    let (mean, name) = (text("mean"), text("name"))
    if name == GaplessInfo.name {
      let value = values.first.map { String(decoding: $0.bytes, as: UTF8.self) }
      content.gapless = content.gapless ?? value.flatMap { GaplessInfo(parsing: $0) }
      content.gaplessBoxes += bytes
      return
    }
    let texts: [String?] = values.map { value in
      let text = String(decoding: value.bytes, as: UTF8.self)
      return value.type == 1 || value.type == 0 && [UInt8](text.utf8) == value.bytes ? text : nil
    }
    let key = freeFormKey(mean: mean, name: name, values: texts)
    if name.isEmpty { return content.tags.add(foreign: key, box: bytes) }
    add(texts, key, bytes, to: &content)
  }

  /// iTunes' own names go without it, unless they would be taken for something else.
  private static func freeFormKey(mean: String, name: String, values: [String?]) -> String {
    guard mean.isEmpty || mean == appleMean else { return "\(mean):\(name)" }
    var isClear = !name.contains(":")
    if let atom = TagAtom.byKey[name] {
      isClear = values.allSatisfy { $0.map { atom.data(of: $0) == nil } ?? false }
    }
    return isClear ? name : "\(appleMean):\(name)"
  }
}
