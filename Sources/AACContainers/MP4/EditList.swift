/// `elst` (ISO/IEC 14496-12, 8.6.6): which part of the media is to be heard.
struct EditList: Equatable {
  struct Edit: Equatable {
    /// In the movie's time scale; 0 in fragmented files: to the end.
    var duration: UInt64
    /// In the media's time scale; −1: silence.
    var mediaTime: Int64
    /// As fast as it was recorded.
    var hasUsualRate = true
  }

  /// The first edits; more than these are only counted.
  private(set) var edits: [Edit] = []
  private(set) var count = 0
  private static let kept = 1 << 14

  /// The first edit that plays something.
  var firstUseful: Edit? { edits.first { $0.mediaTime >= 0 } }
  /// Silence in front of it, in the movie's time scale.
  var leadingSilence: UInt64 {
    edits.prefix { $0.mediaTime < 0 }.reduce(0) { $0 &+ $1.duration }
  }
  /// The edits behind the first useful one, as far as they are kept.
  var later: ArraySlice<Edit> {
    guard let first = edits.firstIndex(where: { $0.mediaTime >= 0 }) else { return [] }
    return edits[(first + 1)...]
  }
}

extension EditList {
  init(_ box: Box, in window: ByteWindow) throws(ContainerError) {
    var parser = try window.parser(of: box, limit: 8 + Self.kept * 20)
    let version = try parser.uint8()
    try parser.skip(3)
    let claimed = try parser.uint32()
    let size = version == 1 ? 20 : 12
    guard Int64(claimed) * Int64(size) <= box.contentSize - 8 else {
      throw ContainerError(
        .malformed("the box elst claims \(claimed) entries in \(box.contentSize - 8) bytes"), at: box.start)
    }
    count = Int(claimed)
    for _ in 0..<min(count, Self.kept) {
      if version == 1 {
        edits.append(Edit(duration: try parser.uint64(), mediaTime: try parser.int64()))
      } else {
        edits.append(Edit(duration: UInt64(try parser.uint32()), mediaTime: Int64(try parser.int32())))
      }
      edits[edits.count - 1].hasUsualRate = try parser.uint32() == 0x1_0000  // media_rate
    }
  }

  /// Appends an `edts` box.
  static func write(_ edits: [Edit], to bytes: inout ByteBuilder) {
    let isLarge = edits.contains { $0.duration > UInt64(UInt32.max) || $0.mediaTime > Int64(Int32.max) }
    bytes.box("edts") {
      $0.fullBox("elst", version: isLarge ? 1 : 0) {
        $0.uint32(Int64(edits.count))
        for edit in edits {
          if isLarge {
            $0.uint64(Int64(clamping: edit.duration))
            $0.uint64(edit.mediaTime)
          } else {
            $0.uint32(Int64(edit.duration))
            $0.uint32(edit.mediaTime)
          }
          $0.uint16(1)  // media_rate
          $0.uint16(0)
        }
      }
    }
  }
}
