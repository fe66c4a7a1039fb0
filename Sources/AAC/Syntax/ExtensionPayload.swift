/// `extension_payload()`: what a fill element carries (table 4.57).
struct ExtensionPayload: Equatable, Sendable {
  enum Content: Equatable, Sendable {
    case fill  // EXT_FILL
    case fillData  // EXT_FILL_DATA
    case dataElement  // EXT_DATA_ELEMENT
    case dynamicRange(DynamicRangeInfo)  // EXT_DYNAMIC_RANGE
    case spatialAudio  // EXT_SAC_DATA
    case spectralBandReplication(hasChecksum: Bool)  // EXT_SBR_DATA, EXT_SBR_DATA_CRC
    case other(type: Int)
  }

  var content: Content
  /// Bits of the access unit that the payload takes, behind its extension_type.
  var bits: Range<Int>
}

extension ExtensionPayload {
  static let typeBits = 4

  /// Reads one payload that ends at or before position `end`. Only dynamic range data tells its own length
  /// and leaves room for another payload; all others reach to `end`.
  init(parsing bits: inout BitReader, end: Int) throws(AACError) {
    let type = try bits.uint(Self.typeBits)
    let start = bits.position
    switch type {
    case 0: content = .fill
    case 1: content = .fillData
    case 2: content = .dataElement
    case 11:
      content = .dynamicRange(try DynamicRangeInfo(parsing: &bits))
      // The length counts whole bytes from the type on.
      let taken = bits.position - start + Self.typeBits
      let aligned = start + (taken + 7) / 8 * 8 - Self.typeBits
      guard aligned <= end else {
        throw bits.failure(.inconsistent("dynamic range data runs over its fill element"))
      }
      try bits.skip(aligned - bits.position)
      self.bits = start..<aligned
      return
    case 12: content = .spatialAudio
    case 13: content = .spectralBandReplication(hasChecksum: false)
    case 14: content = .spectralBandReplication(hasChecksum: true)
    default: content = .other(type: type)
    }
    try bits.skip(end - start)
    self.bits = start..<end
  }
}
