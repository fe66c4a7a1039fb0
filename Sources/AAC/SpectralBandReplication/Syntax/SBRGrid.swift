/// `sbr_grid()`: how a frame is divided in time (ISO/IEC 14496-3, table 4.66). Borders are time slots of two
/// QMF samples; those of a frame's end can lie up to three slots in the next frame.
///
/// `sbr_ld_grid()` of low delay has slots of one QMF sample, and its frames end where they end.
struct SBRGrid: Equatable, Sendable {
  enum FrameClass: Int, Sendable {
    case fixed  // FIXFIX
    case fixedVariable  // FIXVAR
    case variableFixed  // VARFIX
    case variable  // VARVAR
    /// Only in low delay, as the other one beside `fixed`.
    case transient  // LD_TRAN
  }

  /// Numbers in place, so that copies of a grid share no storage.
  struct Borders: Equatable, Sendable {
    private var values = SIMD8<Int16>()

    subscript(index: Int) -> Int {
      get { Int(values[index & 7]) }
      set { values[index & 7] = Int16(truncatingIfNeeded: newValue) }
    }
  }

  static let largestEnvelopeCount = 5

  var frameClass = FrameClass.fixed
  var envelopeCount = 1
  /// `envelopeCount` + 1 rising borders.
  var borders = Borders()
  /// Bit e is set where envelope e has the high frequency resolution.
  var resolutions: UInt8 = 0
  /// bs_pointer; of the class `transient` bs_transient_position.
  var pointer = 0
  /// A single envelope of the class `fixed` has steps of 3 dB; only low delay can say so.
  var isCoarseAlone = false  // bs_amp_res

  var noiseCount: Int { envelopeCount > 1 ? 2 : 1 }
  var start: Int { borders[0] }
  var end: Int { borders[envelopeCount] }
  func isHigh(_ envelope: Int) -> Bool { resolutions >> UInt8(envelope) & 1 != 0 }

  /// The envelope that begins with the transient, which can be the first of the next frame; -1 for none.
  var transient: Int {  // l_A
    switch frameClass {
    case .fixed: -1
    case .fixedVariable, .variable: pointer > 0 ? envelopeCount + 1 - pointer : -1
    case .variableFixed: pointer > 1 ? pointer - 1 : -1
    case .transient: pointer < 2 ? 0 : 1
    }
  }

  /// The envelope that begins with the second noise floor.
  var noiseBorder: Int {
    switch frameClass {
    case .fixed: envelopeCount / 2
    case .variableFixed: pointer == 0 ? 1 : pointer == 1 ? envelopeCount - 1 : pointer - 1
    case .fixedVariable, .variable: envelopeCount - max(pointer - 1, 1)
    case .transient: 1
    }
  }

  /// One envelope from `start` on to the frame's end, as fine as the last one here.
  func held(from start: Int, slots: Int) -> SBRGrid {
    var grid = SBRGrid()
    grid.borders[0] = min(max(start, 0), slots - 1)
    grid.borders[1] = slots
    grid.resolutions = isHigh(envelopeCount - 1) ? 1 : 0
    return grid
  }

  /// Bits of bs_pointer.
  private var pointerBits: Int { envelopeCount + 1 <= 2 ? 1 : envelopeCount + 1 <= 4 ? 2 : 3 }
}

extension SBRGrid {
  /// - Parameter slots: time slots of a frame, 16 or 15.
  mutating func parse(_ bits: inout BitReader, slots: Int) throws(AACError) {
    frameClass = FrameClass(rawValue: try bits.uint(2)) ?? .fixed
    pointer = 0
    isCoarseAlone = false
    switch frameClass {
    case .fixed, .transient: try parseFixed(&bits, slots, isLowDelay: false)
    case .fixedVariable:
      let end = slots + (try bits.uint(2))
      let count = try bits.uint(2)
      envelopeCount = count + 1
      borders[0] = 0
      try parseTrailing(&bits, end, count)
      try parsePointer(&bits)
      try parseResolutions(&bits)
      var reversed: UInt8 = 0
      for envelope in 0..<envelopeCount where isHigh(envelope) {
        reversed |= 1 << UInt8(envelopeCount - 1 - envelope)
      }
      resolutions = reversed
    case .variableFixed:
      borders[0] = try bits.uint(2)
      let count = try bits.uint(2)
      envelopeCount = count + 1
      borders[envelopeCount] = slots
      try parseLeading(&bits, count)
      try parsePointer(&bits)
      try parseResolutions(&bits)
    case .variable:
      borders[0] = try bits.uint(2)
      let end = slots + (try bits.uint(2))
      let leading = try bits.uint(2)
      let trailing = try bits.uint(2)
      envelopeCount = leading + trailing + 1
      guard envelopeCount <= Self.largestEnvelopeCount else {
        throw bits.failure(.outOfRange("envelopes", value: envelopeCount, allowed: 1...5))
      }
      try parseLeading(&bits, leading)
      try parseTrailing(&bits, end, trailing)
      try parsePointer(&bits)
      try parseResolutions(&bits)
    }
    for envelope in 0..<envelopeCount where borders[envelope] >= borders[envelope + 1] {
      throw bits.failure(.inconsistent("envelope borders that do not rise"))
    }
  }

  mutating func parseFixed(_ bits: inout BitReader, _ slots: Int, isLowDelay: Bool) throws(AACError) {
    envelopeCount = 1 << (try bits.uint(2))
    guard envelopeCount <= 4 else {
      throw bits.failure(.outOfRange("envelopes", value: envelopeCount, allowed: 1...4))
    }
    if isLowDelay, envelopeCount == 1 { isCoarseAlone = try bits.flag() }
    resolutions = try bits.flag() ? 0xFF : 0
    let step = (slots + envelopeCount / 2) / envelopeCount
    for envelope in 0..<envelopeCount { borders[envelope] = envelope * step }
    borders[envelopeCount] = slots
  }

  /// bs_rel_bord_0: each border follows the one before.
  private mutating func parseLeading(_ bits: inout BitReader, _ count: Int) throws(AACError) {
    for envelope in 0..<count { borders[envelope + 1] = borders[envelope] + 2 * (try bits.uint(2)) + 2 }
  }

  /// bs_rel_bord_1: counted back from the end.
  private mutating func parseTrailing(
    _ bits: inout BitReader, _ end: Int, _ count: Int
  ) throws(AACError) {
    borders[envelopeCount] = end
    for envelope in 0..<count {
      let later = borders[envelopeCount - envelope]
      borders[envelopeCount - envelope - 1] = later - 2 * (try bits.uint(2)) - 2
    }
    // With no leading borders the last one read lies where the first envelope ends.
    guard borders[0] >= 0 else { throw bits.failure(.inconsistent("envelope borders before the frame")) }
  }

  private mutating func parsePointer(_ bits: inout BitReader) throws(AACError) {
    pointer = try bits.uint(pointerBits)
    guard pointer <= envelopeCount + 1 else {
      throw bits.failure(.outOfRange("bs_pointer", value: pointer, allowed: 0...envelopeCount + 1))
    }
  }

  mutating func parseResolutions(_ bits: inout BitReader) throws(AACError) {
    resolutions = 0
    for envelope in 0..<envelopeCount where try bits.flag() { resolutions |= 1 << UInt8(envelope) }
  }
}
