/// Goes from tag to tag of a Flash video. All state changes at the end of a step, so that a step which needs more
/// data can be repeated.
struct FLVWalk {
  /// How far a tag is looked for behind damage.
  private static let reach = 1 << 20
  private static let largestFind = 1 << 14

  /// Where the next tag is looked for.
  private(set) var position: Int64

  /// - Throws: `notAAC` where `offset` is not the start of a Flash video.
  init(from offset: Int64, in window: ByteWindow) throws(ContainerError) {
    guard try window.number(3, at: offset) == 0x464C56 else {  // "FLV"
      throw ContainerError(.notAAC("data without an FLV header"), at: offset)
    }
    guard let length = try window.number(4, at: offset + 5) else {  // DataOffset
      throw ContainerError(.truncated("the FLV header"), at: offset)
    }
    guard (9...0xFFFF).contains(length) else {
      throw ContainerError(.malformed("the FLV header says to be \(length) bytes long"), at: offset + 5)
    }
    position = offset + Int64(length) + Int64(FLVTag.trailerLength)
  }

  /// The next tag; `nil` at the end.
  mutating func next(
    in window: ByteWindow, warnings: inout WarningList
  ) throws(ContainerError) -> FLVTag? {
    if let tag = try FLVTag(at: position, in: window), try tag.isConfirmed(in: window) {
      position = tag.end
      return tag
    }
    let start = position
    if let tag = try search(in: window) {
      warnings.add(.junk, "\(tag.start - start) bytes that are no FLV were passed over", at: start)
      position = tag.end
      return tag
    }
    if try window.available(1, at: start) > 0 {
      warnings.add(.cutOff, "the last tag is cut off, or what follows is no FLV", at: start)
    }
    position = window.source.length ?? .max / 2
    return nil
  }

  /// The first confirmed tag behind the position that is not large: video between will be left out.
  private func search(in window: ByteWindow) throws(ContainerError) -> FLVTag? {
    for place in (position + 1)..<(position + Int64(Self.reach)) {
      guard let first = try window.number(1, at: place) else { return nil }
      guard FLVTag.Kind(rawValue: Int(first)) != nil, let tag = try FLVTag(at: place, in: window),
        tag.size <= Self.largestFind
      else { continue }
      // Loaded at once, so that one look at a place costs little.
      _ = try window.available(Int(tag.end - place), at: place)
      guard try tag.isConfirmed(in: window) else { continue }
      return tag
    }
    return nil
  }
}
