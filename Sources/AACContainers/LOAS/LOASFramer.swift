/// Finds the frames of an AudioSyncStream: a sync word of 11 bits and a length of 13 in front of each
/// element (ISO/IEC 14496-3, 1.7.2).
///
/// A frame is taken where it is confirmed by the next one, by a tag, or by the end of the data. All state
/// changes at the very end of a step, so that a step which needs more data can be repeated.
struct LOASFramer {
  enum Step {
    case frame(Frame)
    /// This many frames are missing, by the bytes that they left.
    case lost(Int)
    case end
  }

  /// An element and its header.
  struct Frame {
    var start: Int64
    var end: Int64
    var byteCount: Int { Int(end - start) - LOASFramer.headerLength }
  }

  static let headerLength = 3
  static let maximumElementLength = 0x1FFF
  static let syncWord: UInt64 = 0x2B7
  /// How far a damaged frame's successor is looked for before the place is left.
  private static let reach = 2 * (maximumElementLength + headerLength)

  /// Next byte to be looked at.
  private(set) var position: Int64
  private var isLinked = false
  private var frameCount: Int64 = 0
  private var frameBytes: Int64 = 0

  init(at position: Int64) { self.position = position }

  /// The next frame. `junkLimit` bounds how far a first frame is looked for.
  mutating func next(
    in window: ByteWindow, junkLimit: Int = .max, warnings: inout WarningList
  ) throws(ContainerError) -> Step {
    while true {
      if try window.isAtEnd(position) { return .end }
      guard isLinked else { return try search(in: window, junkLimit: junkLimit, warnings: &warnings) }
      if let end = try Self.end(at: position, in: window) {
        if try Self.count(from: position, atMost: 2, in: window) == 2 { return take(to: end) }
        return try resolve(end, in: window, warnings: &warnings)
      }
      if let length = try TagBlock.length(at: position, in: window) {
        position += length
        continue
      }
      if let step = try mend(in: window, warnings: &warnings) { return step }
    }
  }

  private mutating func take(to end: Int64) -> Step {
    let frame = Frame(start: position, end: end)
    position = end
    isLinked = true
    frameCount &+= 1
    frameBytes += end - frame.start
    return .frame(frame)
  }

  // MARK: Headers

  /// Where the frame at `offset` ends; `nil` where there is none.
  private static func end(at offset: Int64, in window: ByteWindow) throws(ContainerError) -> Int64? {
    guard let word = try window.number(headerLength, at: offset), word >> 13 == syncWord else { return nil }
    let length = Int64(word & 0x1FFF)
    return length > 0 ? offset + Int64(headerLength) + length : nil
  }

  /// How many frames stand in a row from `offset` on, `limit` at most; `enough` of them that end where the
  /// data does, or where a tag begins, count as `limit`.
  static func count(
    from offset: Int64, atMost limit: Int, enough: Int = 1, in window: ByteWindow
  ) throws(ContainerError) -> Int {
    var place = offset
    for index in 0..<limit {
      guard let end = try end(at: place, in: window) else {
        guard index >= enough else { return index }
        if try window.isAtEnd(place) { return limit }
        return try TagBlock.length(at: place, in: window) != nil ? limit : index
      }
      let length = Int(end - place)
      // The last one need not be there as a whole; its header is enough.
      if index < limit - 1, try window.available(length, at: place) < length { return index }
      place = end
    }
    return limit
  }

  /// The first place from `start` on where frames stand in a row; `enough` as for `count`.
  static func first(
    from start: Int64, limit: Int, chain: Int, enough: Int = 1, in window: ByteWindow
  ) throws(ContainerError) -> Int64? {
    var place = start
    let end = limit == .max ? Int64.max : start + Int64(limit)
    while place < end {
      let rest = Int(clamping: min(end - place, 1 << 30))
      guard
        let found = try window.firstSync(from: place, limit: rest, first: 0x56, mask: 0xE0, pattern: 0xE0)
      else { return nil }
      if try count(from: found, atMost: chain, enough: enough, in: window) == chain { return found }
      place = found + 1
    }
    return nil
  }

  // MARK: Damage

  /// A header whose successor is missing: its length is wrong, the next header is damaged, or the data ends.
  private mutating func resolve(
    _ end: Int64, in window: ByteWindow, warnings: inout WarningList
  ) throws(ContainerError) -> Step {
    let start = position
    let length = Int(end - start)
    let found = try Self.first(
      from: start + Int64(Self.headerLength), limit: Self.reach, chain: 2, in: window)
    if let found, found < end {
      warnings.add(
        .repaired, "the LOAS frame length is \(length) where \(found - start) bytes are", at: start)
      return take(to: found)
    }
    let present = try window.available(length, at: start)
    if present < length {
      warnings.add(.cutOff, "the last frame has \(present) of \(length) bytes", at: start)
      position = start + Int64(present)
      return .end
    }
    return take(to: end)
  }

  /// No header where one is due. `nil`: the chain is given up, or the data behind was recognised.
  private mutating func mend(
    in window: ByteWindow, warnings: inout WarningList
  ) throws(ContainerError) -> Step? {
    let start = position
    guard let found = try Self.first(from: start + 1, limit: Self.reach, chain: 2, in: window) else {
      isLinked = false
      return nil
    }
    let gap = Int(found - start)
    position = found
    return DamagedGap.lostFrames(
      gap, at: start, frameBytes: frameBytes, frameCount: frameCount, name: "LOAS", warnings: &warnings
    ).map { .lost($0) }
  }

  /// Looks for a first frame, or for one after the chain broke.
  private mutating func search(
    in window: ByteWindow, junkLimit: Int, warnings: inout WarningList
  ) throws(ContainerError) -> Step {
    let start = position
    // One frame and the end are enough right where the last one ended, but not somewhere in junk.
    let isHere = try Self.count(from: start, atMost: 3, in: window) == 3
    guard
      let found = try isHere
        ? start : Self.first(from: start, limit: junkLimit, chain: 3, enough: 2, in: window),
      let end = try Self.end(at: found, in: window)
    else {
      guard frameCount > 0 else { return .end }
      warnings.add(
        .junk, "what follows is no LOAS and was passed over", at: start,
        skipped: window.source.length.map { $0 - start } ?? 0)
      if let length = window.source.length { position = length }
      return .end
    }
    if found > start {
      warnings.add(
        .junk, "\(found - start) bytes that are no LOAS were passed over", at: start, skipped: found - start)
    }
    position = found
    return take(to: end)
  }
}
