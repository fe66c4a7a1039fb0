/// Finds the frames of an ADTS stream, whatever happened to it.
///
/// A frame is taken where its header is confirmed by the next one, by a tag, or by the end of the data.
/// All state changes at the very end of a step, so that a step which needs more data can be repeated.
struct ADTSFramer {
  /// What a step found.
  enum Step {
    case frame(Frame)
    /// This many frames are missing, by the bytes that they left.
    case lost(Int)
    case end
  }

  struct Frame {
    var header: ADTSHeader
    var start: Int64
    var end: Int64
    /// The header itself cannot be trusted; the access unit behind it perhaps.
    var isRepaired: Bool
  }

  /// How far a damaged frame's successor is looked for before the place is left.
  private static let reach = 2 * ADTSHeader.maximumFrameLength

  /// Next byte to be looked at.
  private(set) var position: Int64
  /// Header of the frame before, while the chain holds.
  private var last: ADTSHeader?
  /// The stream's header, also after the chain broke.
  private var known: ADTSHeader?
  private var frameCount: Int64 = 0
  private var frameBytes: Int64 = 0

  init(at position: Int64) { self.position = position }

  /// The next frame. `junkLimit` bounds how far a first header is looked for.
  mutating func next(
    in window: ByteWindow, junkLimit: Int = .max, warnings: inout WarningList
  ) throws(ContainerError) -> Step {
    while true {
      if try window.isAtEnd(position) { return .end }
      guard let last else {
        return try search(in: window, junkLimit: junkLimit, warnings: &warnings)
      }
      if let header = try Self.header(at: position, in: window), header.steadyPart == last.steadyPart {
        let next = position + Int64(header.frameLength)
        if try Self.isConfirmed(header, at: position, isKnown: true, in: window) {
          return take(header, end: next)
        }
        return try resolve(header, in: window, warnings: &warnings)
      }
      if let length = try TagBlock.length(at: position, in: window) {
        position += length
        continue
      }
      if let header = try Self.header(at: position, in: window),
        try isChange(header, from: last, in: window)
      {
        return take(header, end: position + Int64(header.frameLength))
      }
      if let step = try mend(last, in: window, warnings: &warnings) { return step }
    }
  }

  private mutating func take(_ header: ADTSHeader, end: Int64, isRepaired: Bool = false) -> Step {
    let frame = Frame(header: header, start: position, end: end, isRepaired: isRepaired)
    position = end
    last = header
    known = header
    frameCount &+= 1
    frameBytes += frame.end - frame.start
    return .frame(frame)
  }

  // MARK: Headers

  static func header(at offset: Int64, in window: ByteWindow) throws(ContainerError) -> ADTSHeader? {
    guard let word = try window.number(ADTSHeader.byteCount, at: offset) else { return nil }
    return ADTSHeader(word)
  }

  /// Whether what follows the frame at `offset` speaks for it: a header of the same kind, a tag, or the
  /// end. In a stream that is known already, the beginning of another one will do too.
  static func isConfirmed(
    _ header: ADTSHeader, at offset: Int64, isKnown: Bool, in window: ByteWindow
  ) throws(ContainerError) -> Bool {
    let next = offset + Int64(header.frameLength)
    guard try window.available(header.frameLength, at: offset) == header.frameLength else {
      return false
    }
    if try window.isAtEnd(next) { return true }
    if let follower = try Self.header(at: next, in: window) {
      if follower.steadyPart == header.steadyPart { return true }
      let after = next + Int64(follower.frameLength)
      if isKnown, let second = try Self.header(at: after, in: window),
        second.steadyPart == follower.steadyPart
      {
        return true
      }
    }
    if try Self.isNearlyHeader(at: next, of: header, in: window),
      let word = try window.number(ADTSHeader.byteCount, at: next)
    {
      // All but its length is right.
      if word & ADTSHeader.steadyMask == header.steadyPart { return true }
      // The next header has a wrong bit; the one behind it can speak in its place.
      let after = next + Int64(word >> 13 & 0x1FFF)
      if let second = try Self.header(at: after, in: window), second.steadyPart == header.steadyPart {
        return true
      }
    }
    return try TagBlock.length(at: next, in: window) != nil
  }

  /// Whether a stream of another configuration begins with `header`. One or two flipped bits in the
  /// header of a single frame look like that too.
  private func isChange(
    _ header: ADTSHeader, from last: ADTSHeader, in window: ByteWindow
  ) throws(ContainerError) -> Bool {
    guard try Self.isConfirmed(header, at: position, isKnown: false, in: window) else { return false }
    let next = position + Int64(header.frameLength)
    if let follower = try Self.header(at: next, in: window), follower.steadyPart == header.steadyPart {
      return true
    }
    return try !Self.isNearlyHeader(at: position, of: last, in: window)
  }

  /// Whether a damaged header of `known`'s stream seems to stand at `offset`: at most two of its steady
  /// bits differ.
  private static func isNearlyHeader(
    at offset: Int64, of known: ADTSHeader, in window: ByteWindow
  ) throws(ContainerError) -> Bool {
    guard let word = try window.number(ADTSHeader.byteCount, at: offset) else { return false }
    return ((word ^ known.word) & ADTSHeader.steadyMask).nonzeroBitCount <= 2
  }

  /// The first confirmed header in `range` that fits `known`, or any where `known` is `nil`.
  private static func firstConfirmed(
    from start: Int64, limit: Int, known: ADTSHeader?, in window: ByteWindow
  ) throws(ContainerError) -> Int64? {
    var place = start
    let end = limit == .max ? Int64.max : start + Int64(limit)
    while place < end {
      let rest = Int(clamping: min(end - place, 1 << 30))
      guard let found = try window.firstSync(from: place, limit: rest, mask: 0xF6, pattern: 0xF0) else {
        return nil
      }
      if let header = try header(at: found, in: window),
        known == nil || header.steadyPart == known?.steadyPart,
        try isConfirmed(header, at: found, isKnown: known != nil, in: window)
      {
        return found
      }
      place = found + 1
    }
    return nil
  }

  // MARK: Damage

  /// A good header whose successor is missing: the length is wrong, the next header is damaged, or the
  /// data ends.
  private mutating func resolve(
    _ header: ADTSHeader, in window: ByteWindow, warnings: inout WarningList
  ) throws(ContainerError) -> Step {
    let start = position
    let claimed = start + Int64(header.frameLength)
    let found = try Self.firstConfirmed(
      from: start + Int64(ADTSHeader.byteCount), limit: Self.reach, known: header, in: window)
    let present = try window.available(header.frameLength, at: start)
    if let found {
      let real = Int(found - start)
      let isOneBitOff = (real ^ header.frameLength).nonzeroBitCount == 1
      let nextIsDamaged = try Self.isNearlyHeader(at: claimed, of: header, in: window)
      if found < claimed || (isOneBitOff && !nextIsDamaged) {
        warnings.add(
          .repaired, "the ADTS frame length is \(header.frameLength) where \(real) bytes are", at: start)
        return take(header, end: found, isRepaired: true)
      }
    } else if present < header.frameLength {
      warnings.add(.cutOff, "the last frame has \(present) of \(header.frameLength) bytes", at: start)
      position = start + Int64(present)
      return .end
    } else {
      // The last frame: where bytes are left over, and one bit explains it, they belong to it.
      let rest = try window.available(ADTSHeader.maximumFrameLength + 1, at: start)
      if rest <= ADTSHeader.maximumFrameLength, (rest ^ header.frameLength).nonzeroBitCount == 1 {
        warnings.add(
          .repaired, "the ADTS frame length is \(header.frameLength) where \(rest) bytes are", at: start)
        return take(header, end: start + Int64(rest), isRepaired: true)
      }
    }
    return take(header, end: claimed)
  }

  /// No header where one is due. `nil`: the chain is given up, or the data behind was recognised.
  private mutating func mend(
    _ last: ADTSHeader, in window: ByteWindow, warnings: inout WarningList
  ) throws(ContainerError) -> Step? {
    let start = position
    let found = try Self.firstConfirmed(from: start + 1, limit: Self.reach, known: last, in: window)
    guard let found else {
      let rest = try window.available(ADTSHeader.maximumFrameLength + 1, at: start)
      if rest > last.headerLength, rest <= ADTSHeader.maximumFrameLength,
        try Self.isNearlyHeader(at: start, of: last, in: window)
      {
        return replaceHeader(last, end: start + Int64(rest), warnings: &warnings)
      }
      self.last = nil
      return nil
    }
    let gap = Int(found - start)
    if gap > last.headerLength, gap <= ADTSHeader.maximumFrameLength,
      try Self.isNearlyHeader(at: start, of: last, in: window)
    {
      return replaceHeader(last, end: found, warnings: &warnings)
    }
    position = found
    return DamagedGap.lostFrames(
      gap, at: start, frameBytes: frameBytes, frameCount: frameCount, name: "ADTS", warnings: &warnings
    ).map { .lost($0) }
  }

  /// Takes what is between `position` and `end` as a frame of `last`'s kind.
  private mutating func replaceHeader(
    _ last: ADTSHeader, end: Int64, warnings: inout WarningList
  ) -> Step {
    warnings.add(.repaired, "a damaged ADTS header was replaced", at: position)
    var header = last
    header.frameLength = Int(end - position)
    header.blockCount = 1
    return take(header, end: end, isRepaired: true)
  }

  /// Looks for a first header, or for one after the chain broke.
  private mutating func search(
    in window: ByteWindow, junkLimit: Int, warnings: inout WarningList
  ) throws(ContainerError) -> Step {
    let start = position
    guard let found = try Self.firstConfirmed(from: start, limit: junkLimit, known: nil, in: window),
      let header = try Self.header(at: found, in: window)
    else {
      try finishSearch(from: start, in: window, warnings: &warnings)
      return .end
    }
    if found > start {
      warnings.add(
        .junk, "\(found - start) bytes that are no ADTS were passed over", at: start, skipped: found - start)
    }
    position = found
    return take(header, end: found + Int64(header.frameLength))
  }

  /// Counts what is behind the last frame: a frame that is cut off, or junk.
  private mutating func finishSearch(
    from start: Int64, in window: ByteWindow, warnings: inout WarningList
  ) throws(ContainerError) {
    guard let known else { return }
    if let header = try Self.header(at: start, in: window), header.steadyPart == known.steadyPart {
      let present = try window.available(header.frameLength, at: start)
      warnings.add(.cutOff, "the last frame has \(present) of \(header.frameLength) bytes", at: start)
    } else {
      warnings.add(
        .junk, "what follows is no ADTS and was passed over", at: start,
        skipped: window.source.length.map { $0 - start } ?? 0)
    }
    if let length = window.source.length { position = length }
  }
}
