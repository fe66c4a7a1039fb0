/// `sbr_data()` of one single channel or channel pair element (ISO/IEC 14496-3, tables 4.64 and 4.65).
struct SBRData: Equatable, Sendable {
  var isCoupled = false  // bs_coupling
  var channels: [SBRChannelData]

  init(channelCount: Int) {
    channels = (0..<channelCount).map { _ in SBRChannelData() }
  }
}

extension SBRData {
  /// Reads the element's data up to its extension.
  mutating func parse(
    _ bits: inout BitReader, header: SBRHeader, bands: SBRBands, slots: Int, isLowDelay: Bool = false,
    previous: SBRData
  ) throws(AACError) {
    let isPair = channels.count == 2
    if try bits.flag() { try bits.skip(isPair ? 8 : 4) }  // bs_data_extra
    isCoupled = false
    if isPair { isCoupled = try bits.flag() }
    try parseGrids(&bits, header, slots, isLowDelay)
    for channel in channels.indices { try channels[channel].parseDirections(&bits) }
    try channels[0].parseInverseFilters(&bits, bands)
    if isCoupled {
      channels[1].inverseFilters = channels[0].inverseFilters
      for channel in 0..<2 {
        try parseEnvelopes(channel, &bits, bands, previous)
        try parseNoises(channel, &bits, bands, previous)
      }
    } else {
      if isPair { try channels[1].parseInverseFilters(&bits, bands) }
      for channel in channels.indices { try parseEnvelopes(channel, &bits, bands, previous) }
      for channel in channels.indices { try parseNoises(channel, &bits, bands, previous) }
    }
    for channel in channels.indices { try channels[channel].parseHarmonics(&bits, bands) }
  }

  private mutating func parseGrids(
    _ bits: inout BitReader, _ header: SBRHeader, _ slots: Int, _ isLowDelay: Bool
  ) throws(AACError) {
    for channel in channels.indices {
      if channel == 1, isCoupled {
        channels[1].grid = channels[0].grid
      } else if isLowDelay {
        try channels[channel].grid.parseLowDelay(&bits, slots: slots)
      } else {
        try channels[channel].grid.parse(&bits, slots: slots)
      }
      let grid = channels[channel].grid
      let isAlone = grid.frameClass == .fixed && grid.envelopeCount == 1
      channels[channel].isCoarse = isAlone ? grid.isCoarseAlone : header.isCoarse
    }
  }

  private mutating func parseEnvelopes(
    _ channel: Int, _ bits: inout BitReader, _ bands: SBRBands, _ previous: SBRData
  ) throws(AACError) {
    try channels[channel].parseEnvelopes(
      &bits, bands, previous: previous.channels[channel], balance: isCoupled && channel == 1)
  }

  private mutating func parseNoises(
    _ channel: Int, _ bits: inout BitReader, _ bands: SBRBands, _ previous: SBRData
  ) throws(AACError) {
    try channels[channel].parseNoises(
      &bits, bands, previous: previous.channels[channel], balance: isCoupled && channel == 1)
  }
}
