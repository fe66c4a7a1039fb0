/// A box of an MP4 file: where it is and what it is called.
struct Box: Sendable {
  var type: FourCC
  /// File offsets of the header, of the content, and of the first byte behind.
  var start: Int64
  var content: Int64
  var end: Int64
  /// The box says that it goes on past the end of the file.
  var isCut = false

  var contentSize: Int64 { end - content }
}

/// Walks over the boxes in a part of a file. A box never reaches outside of that part.
struct BoxCursor {
  /// No box lies behind this, so that offsets can be added without overflow.
  static let largestOffset: Int64 = 1 << 62

  private(set) var position: Int64
  /// `nil`: to the end of the file, wherever that is.
  let end: Int64?
  let parent: FourCC?

  init(from start: Int64, to end: Int64?, in parent: FourCC?) {
    position = start
    self.end = end
    self.parent = parent
  }

  init(_ box: Box, skipping count: Int64 = 0) {
    self.init(from: min(box.content + count, box.end), to: box.end, in: box.type)
  }

  /// The next box, `nil` at the end. A rest too short for a header is passed over.
  mutating func next(in window: ByteWindow) throws(ContainerError) -> Box? {
    let limit = end ?? window.source.length
    if let limit, limit - position < 8 { return nil }
    guard let head = try window.number(8, at: position) else { return nil }
    let type = FourCC(UInt32(truncatingIfNeeded: head))
    var size = Int64(head >> 32)
    var headerSize: Int64 = 8
    if size == 0, type.value == 0, parent != nil {
      return nil  // QuickTime ends some lists with a zero word.
    }
    if size == 1 {
      guard let large = try window.number(8, at: position + 8) else {
        throw ContainerError(.truncated("the box \(type)"), at: position)
      }
      size = Int64(large > UInt64(Self.largestOffset) ? UInt64(Self.largestOffset) : large)
      headerSize = 16
    } else if size == 0 {
      size = (limit ?? Self.largestOffset) - position
    }
    guard size >= headerSize, position <= Self.largestOffset else {
      throw ContainerError(.malformed("the box \(type) has the size \(size)"), at: position)
    }
    var box = Box(type: type, start: position, content: position + headerSize, end: position + size)
    if let limit, box.end > limit {
      guard parent == nil else {
        throw ContainerError(
          .malformed("the box \(type) reaches \(box.end - limit) bytes out of its surroundings"), at: position
        )
      }
      box.end = max(limit, box.content)
      box.isCut = true
    }
    position = box.end
    return box
  }
}

extension ByteWindow {
  /// The content of a small box, for parsing.
  func parser(of box: Box, limit: Int = 1 << 16) throws(ContainerError) -> ByteParser {
    let count = Int(min(box.contentSize, Int64(limit)))
    return ByteParser(try bytes(count, at: box.content), name: "the box \(box.type)", base: box.content)
  }
}
