/// The window sequence of each frame, from the attacks in the blocks around it.
///
/// Frame p transforms blocks p−1 and p. Its eight short windows resolve the second half of block p−1 and
/// the first half of block p; an attack there calls for them. A frame before short windows is a start
/// window, one after them a stop window (ISO/IEC 14496-3, 4.6.11).
struct BlockSwitching: Sendable {
  private var previousBlock: UInt8 = 0
  private var currentBlock: UInt8 = 0
  private var sequence: WindowSequence = .onlyLong

  /// - Parameter nextBlock: attacks in block p+1, as `TransientDetector` gives them.
  /// - Returns: the sequence of frame p.
  mutating func next(nextBlock: UInt8) -> WindowSequence {
    let isShort = Self.needsShort(previousBlock, currentBlock)
    let nextIsShort = Self.needsShort(currentBlock, nextBlock)
    let wasShort = sequence == .eightShort
    // A start window promises short windows: they follow even if nothing asks for them any more.
    let promised = sequence == .longStart
    if isShort || promised || (wasShort && nextIsShort) {
      sequence = .eightShort
    } else if nextIsShort {
      sequence = .longStart
    } else {
      sequence = wasShort ? .longStop : .onlyLong
    }
    previousBlock = currentBlock
    currentBlock = nextBlock
    return sequence
  }

  private static func needsShort(_ earlier: UInt8, _ later: UInt8) -> Bool {
    earlier & 0xF0 != 0 || later & 0x0F != 0
  }
}
