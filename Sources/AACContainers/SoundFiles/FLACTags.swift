/// Comments and pictures of a FLAC file (RFC 9639, 8.6 and 8.8).
enum FLACTags {
  private static let mostBlocks = 256
  private static let largestComments = 1 << 20
  private static let frontCover: UInt32 = 3

  static func read(in window: ByteWindow, into tags: inout Tags) throws(ContainerError) {
    var place: Int64 = 4
    // Pictures of that size in all.
    var room = Artwork.sizeLimit
    var pictures: [(isFront: Bool, artwork: Artwork)] = []
    defer { tags.artwork = (pictures.filter(\.isFront) + pictures.filter { !$0.isFront }).map(\.artwork) }
    for _ in 0..<mostBlocks {
      guard let head = try window.number(4, at: place) else { return }
      let size = Int(head & 0xFF_FFFF)
      if let length = window.source.length, place + 4 + Int64(size) > length { return }
      switch head >> 24 & 0x7F {
      case 4 where size <= largestComments:
        VorbisComments.read(try window.bytes(size, at: place + 4), into: &tags)
      case 6 where size <= room:
        room -= size
        var parser = ByteParser(try window.bytes(size, at: place + 4), name: "a picture", base: place + 4)
        if let picture = try? picture(&parser) { pictures.append(picture) }
      default: break
      }
      if head >> 31 == 1 { return }
      place += 4 + Int64(size)
    }
  }

  private static func picture(
    _ parser: inout ByteParser
  ) throws(ContainerError) -> (isFront: Bool, artwork: Artwork) {
    let kind = try parser.uint32()
    // Its type and a description.
    for _ in 0..<2 { try parser.skip(Int(try parser.uint32())) }
    // Width, height, depth, colours.
    try parser.skip(16)
    return (kind == frontCover, try Artwork(try parser.take(Int(try parser.uint32()))))
  }
}
