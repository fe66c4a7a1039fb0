extension MetadataItems {
  /// Appends a `udta` box with tags and chapters; nothing where there are none.
  static func write(
    _ tags: Tags, gapless: GaplessInfo?, chapters: [Chapter] = [], to bytes: inout ByteBuilder
  ) {
    let hasItems = !tags.isEmpty || gapless != nil
    guard hasItems || !chapters.isEmpty else { return }
    bytes.box("udta") {
      if !chapters.isEmpty { ChapterList.write(chapters, to: &$0) }
      guard hasItems else { return }
      var items = listContent(tags)
      if let gapless { putFreeForm(appleMean, GaplessInfo.name, [gapless.text], to: &items) }
      putMeta(items.bytes, to: &$0)
    }
  }

  /// Appends a `meta` box around the content of an `ilst`.
  static func putMeta(_ items: [UInt8], to bytes: inout ByteBuilder) {
    bytes.fullBox("meta") {
      $0.fullBox("hdlr") {
        $0.uint32(0)
        $0.fourCC("mdir")
        $0.fourCC("appl")
        $0.zeros(9)
      }
      $0.box("ilst") { $0.append(items) }
    }
  }

  /// The boxes in an `ilst`.
  static func listContent(_ tags: Tags) -> ByteBuilder {
    var bytes = ByteBuilder()
    for field in tags.fields { bytes.append(field.original ?? self.bytes(of: field)) }
    for item in tags.foreignItems { bytes.append(item.bytes) }
    bytes.append(tags.artworkOriginal ?? self.bytes(of: tags.artwork))
    return bytes
  }

  static func bytes(of pictures: [Artwork]) -> [UInt8] {
    var bytes = ByteBuilder()
    guard !pictures.isEmpty else { return [] }
    bytes.box("covr") {
      for picture in pictures { putData(picture.typeCode, picture.data, to: &$0) }
    }
    return bytes.bytes
  }

  /// Values that are not what the key means are stored under its name in free form.
  static func bytes(of field: Tags.Field) -> [UInt8] {
    var bytes = ByteBuilder()
    let atom = TagAtom.byKey[field.key]
    let data = field.values.map { atom?.data(of: $0) }
    if let atom, data.contains(where: { $0 != nil }) {
      bytes.box(atom.type) {
        for case let data? in data { putData(data.type, data.bytes, to: &$0) }
      }
    }
    let others = zip(field.values, data).filter { $0.1 == nil }.map(\.0)
    guard !others.isEmpty else { return bytes.bytes }
    if let colon = field.key.firstIndex(of: ":") {
      let name = String(field.key[field.key.index(after: colon)...])
      putFreeForm(String(field.key[..<colon]), name, others, to: &bytes)
    } else {
      putFreeForm(appleMean, field.key, others, to: &bytes)
    }
    return bytes.bytes
  }

  private static func putData(_ type: Int, _ data: [UInt8], to bytes: inout ByteBuilder) {
    bytes.box("data") {
      $0.uint32(Int64(type))
      $0.uint32(0)
      $0.append(data)
    }
  }

  private static func putFreeForm(
    _ mean: String, _ name: String, _ values: [String], to bytes: inout ByteBuilder
  ) {
    bytes.box("----") {
      $0.fullBox("mean") { $0.append(mean) }
      $0.fullBox("name") { $0.append(name) }
      for value in values { putData(1, [UInt8](value.utf8), to: &$0) }
    }
  }
}
