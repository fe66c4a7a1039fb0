/// Reads the SBR payloads of one channel element, frame after frame (`sbr_extension_data()`,
/// ISO/IEC 14496-3, table 4.62).
///
/// What later payloads depend on (the header, the values that differences start from) changes only with a
/// payload that is right from end to end.
struct SBRElementParser: Sendable {
  let channelCount: Int
  /// Rate after replication.
  let outputRate: Int
  /// Time slots of a frame, 16 or 15.
  let slots: Int

  /// `nil` until a header has been received.
  private(set) var header: SBRHeader?
  private(set) var bands: SBRBands?
  /// Of the last payload that was right.
  private(set) var data: SBRData
  /// The tables are others than those of the payload before.
  private(set) var hasReset = false
  private(set) var parametricStereo: PSParser?
  /// The last payload had parameters for it.
  private(set) var hasFreshStereo = false

  private var spare: SBRData
  private var resetIsDue = false

  init(channelCount: Int, outputRate: Int, slots: Int) {
    self.channelCount = channelCount
    self.outputRate = outputRate
    self.slots = slots
    data = SBRData(channelCount: channelCount)
    spare = SBRData(channelCount: channelCount)
    if channelCount == 1 { parametricStereo = PSParser(slots: 2 * slots) }
  }

  /// Forgets everything (after a seek).
  mutating func reset() {
    self = SBRElementParser(channelCount: channelCount, outputRate: outputRate, slots: slots)
  }

  /// Reads one payload: all of `bits`, behind its extension_type.
  ///
  /// - Returns: whether there is data for the frame, which there is not before the first header.
  mutating func parse(_ bits: inout BitReader, hasChecksum: Bool) throws(AACError) -> Bool {
    if hasChecksum {
      let expected = try bits.uint(SBRChecksum.bitCount)
      guard try SBRChecksum.compute(bits) == expected else {
        throw bits.failure(.inconsistent("an SBR payload whose checksum does not fit"))
      }
    }
    if try bits.flag() { try adopt(SBRHeader(parsing: &bits)) }
    guard let header, let bands else { return false }
    if resetIsDue {
      for channel in data.channels.indices { data.channels[channel].forget() }
    }
    try spare.parse(&bits, header: header, bands: bands, slots: slots, previous: data)
    // Its faults are its own: the replication goes on.
    hasFreshStereo = false
    try? parseExtensions(&bits)
    swap(&data, &spare)
    hasReset = resetIsDue
    resetIsDue = false
    return true
  }

  private mutating func adopt(_ new: SBRHeader) throws(AACError) {
    if header?.resets(new) != false {
      header = nil
      bands = try SBRBands(new, outputRate: outputRate)
      resetIsDue = true
    }
    header = new
  }

  /// bs_extended_data.
  private mutating func parseExtensions(_ bits: inout BitReader) throws(AACError) {
    guard try bits.flag() else { return }
    var size = try bits.uint(4)
    if size == 15 { size += try bits.uint(8) }
    guard size * 8 <= bits.remaining else { throw bits.shortage(of: size * 8) }
    let end = bits.position + size * 8
    while end - bits.position > 7 {
      let id = try bits.uint(2)
      guard id == Self.parametricStereoID, parametricStereo != nil else { return }
      try parametricStereo?.parse(&bits, end: end)
      hasFreshStereo = true
    }
  }

  private static let parametricStereoID = 2  // EXTENSION_ID_PS
}
