/// `chpl` in `udta`: Nero's list of chapters.
enum ChapterList {
  /// Its clock has steps of 100 ns.
  private static let scale = 1e7

  /// Reads the content of the box, as far as it makes sense.
  static func read(_ bytes: [UInt8]) -> [Chapter] {
    var parser = ByteParser(bytes, name: "the box chpl")
    var chapters: [Chapter] = []
    do throws(ContainerError) {
      let version = try parser.uint8()
      try parser.skip(3)
      // The count has a byte in old files; later ones have reserved bytes in front, which long lists use.
      if version > 0 { try parser.skip(1) }
      let count = version > 0 ? Int(try parser.uint32()) : try parser.uint8()
      while chapters.count < min(count, Chapter.countLimit) {
        let start = Double(try parser.uint64()) / scale
        let title = try parser.take(try parser.uint8())
        chapters.append(Chapter(start: start, title: String(decoding: title, as: UTF8.self)))
      }
    } catch {
      // What came before the fault is good.
    }
    return Chapter.sorted(chapters)
  }

  /// Appends the box. Titles are cut at 255 bytes.
  static func write(_ chapters: [Chapter], to bytes: inout ByteBuilder) {
    bytes.fullBox("chpl", version: 1) {
      $0.uint8(0)
      $0.uint32(Int64(chapters.count))
      for chapter in chapters {
        $0.uint64(Int64((chapter.start * scale).rounded()))
        let title = chapter.titleBytes(atMost: 255)
        $0.uint8(title.count)
        $0.append(title)
      }
    }
  }
}
