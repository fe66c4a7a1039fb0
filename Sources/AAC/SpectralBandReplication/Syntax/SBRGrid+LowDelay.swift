/// `sbr_ld_grid()`: the grids of low delay. No border lies in another frame.
extension SBRGrid {
  /// Time slots that are fewer than this do not become an envelope behind a transient.
  private static let shortestRest = 2
  /// Time slots of an envelope with a transient.
  private static let transientLength = 4

  /// - Parameter slots: time slots of a frame, 16 or 15.
  mutating func parseLowDelay(_ bits: inout BitReader, slots: Int) throws(AACError) {
    pointer = 0
    isCoarseAlone = false
    guard try bits.flag() else {
      frameClass = .fixed
      try parseFixed(&bits, slots, isLowDelay: true)
      return
    }
    frameClass = .transient
    pointer = try bits.uint(4)
    guard pointer < slots else {
      throw bits.failure(.outOfRange("bs_transient_position", value: pointer, allowed: 0...slots - 1))
    }
    setTransientBorders(slots: slots)
    try parseResolutions(&bits)
  }

  /// The transient's envelope begins at its position, but for positions so early that it begins with the frame.
  mutating func setTransientBorders(slots: Int) {
    borders[0] = 0
    envelopeCount = 1
    if pointer >= 2 {
      borders[1] = pointer
      envelopeCount = 2
    }
    let end = pointer + Self.transientLength
    if end + Self.shortestRest <= slots {
      borders[envelopeCount] = end
      envelopeCount += 1
    }
    borders[envelopeCount] = slots
  }
}
