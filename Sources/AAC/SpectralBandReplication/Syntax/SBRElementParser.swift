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
  /// The header of a low-delay stream's configuration; such streams have grids of their own.
  let initialHeader: SBRHeader?

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

  /// There is data, and it is for the tables in force.
  var canHold: Bool { hasData && header != nil && bands != nil && !resetIsDue }

  private var spare: SBRData
  private var resetIsDue = false
  private var hasData = false
  private var tidiness = Tidiness()

  var isLowDelay: Bool { initialHeader != nil }

  init(channelCount: Int, outputRate: Int, slots: Int) {
    self.init(channelCount: channelCount, outputRate: outputRate, slots: slots, initialHeader: nil)
    if channelCount == 1 { parametricStereo = PSParser(slots: 2 * slots) }
  }

  /// For a low-delay stream. A header whose bands cannot be is as good as none.
  init(channelCount: Int, outputRate: Int, slots: Int, lowDelay header: SBRHeader) {
    self.init(channelCount: channelCount, outputRate: outputRate, slots: slots, initialHeader: header)
    try? adopt(header)
  }

  private init(channelCount: Int, outputRate: Int, slots: Int, initialHeader: SBRHeader?) {
    self.channelCount = channelCount
    self.outputRate = outputRate
    self.slots = slots
    self.initialHeader = initialHeader
    data = SBRData(channelCount: channelCount)
    spare = SBRData(channelCount: channelCount)
  }

  /// A parser for each element, `nil` for what has no payloads (a low-frequency element).
  static func all(
    of kinds: [ChannelElement.Kind], outputRate: Int, slots: Int, lowDelay: LowDelaySBRConfig?
  ) -> [SBRElementParser?] {
    var headers = (lowDelay?.headers ?? []).makeIterator()
    return kinds.map { kind in
      guard kind != .lowFrequency else { return nil }
      guard lowDelay != nil else {
        return SBRElementParser(channelCount: kind.width, outputRate: outputRate, slots: slots)
      }
      let header = headers.next().flatMap { try? SBRHeader($0) } ?? SBRHeader()
      return SBRElementParser(
        channelCount: kind.width, outputRate: outputRate, slots: slots, lowDelay: header)
    }
  }

  /// Forgets everything (after a seek).
  mutating func reset() {
    if let initialHeader {
      self = SBRElementParser(
        channelCount: channelCount, outputRate: outputRate, slots: slots, lowDelay: initialHeader)
    } else {
      self = SBRElementParser(channelCount: channelCount, outputRate: outputRate, slots: slots)
    }
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
    let old = (header, bands, resetIsDue)
    do throws(AACError) {
      guard try parseSpare(&bits) else { return false }
      if tidiness.doubts(try Self.bitsLeft(behind: bits)) {
        throw bits.failure(.inconsistent("an SBR payload that ends before its data does"))
      }
    } catch {
      // A header in front of broken data may be as broken.
      if old.0 != nil { (header, bands, resetIsDue) = old }
      throw error
    }
    // Its faults are its own: the replication goes on.
    hasFreshStereo = false
    try? parseExtensions(&bits)
    keepSpare()
    return true
  }

  /// What a payload of a low-delay stream came to.
  enum LowDelayResult: Equatable, Sendable {
    case data
    /// Its checksum does not fit; it may end somewhere else.
    case damaged
  }

  /// Reads one payload of a low-delay stream (`low_delay_sbr_data()`), which ends where its data end; its
  /// checksum covers no more.
  ///
  /// - Throws: where the payload has no end that could be found. Then, as with a damaged one, not even its
  ///   header is believed: another may never come.
  mutating func parseLowDelay(_ bits: inout BitReader, hasChecksum: Bool) throws(AACError) -> LowDelayResult {
    let old = (header, bands, resetIsDue)
    let expected = hasChecksum ? try bits.uint(SBRChecksum.bitCount) : 0
    let start = bits
    do throws(AACError) {
      guard try parseSpare(&bits) else {
        throw bits.failure(.inconsistent("an SBR payload without a header"))
      }
      try parseExtensions(&bits)
      let count = bits.position - start.position
      let found = hasChecksum ? try SBRChecksum.compute(start, count: count) : 0
      guard found == expected else {
        (header, bands, resetIsDue) = old
        return .damaged
      }
    } catch {
      (header, bands, resetIsDue) = old
      throw error
    }
    keepSpare()
    return .data
  }

  /// The header and the data up to the extension.
  private mutating func parseSpare(_ bits: inout BitReader) throws(AACError) -> Bool {
    if try bits.flag() { try adopt(SBRHeader(parsing: &bits)) }
    guard let header, let bands else { return false }
    try spare.parse(
      &bits, header: header, bands: bands, slots: slots, isLowDelay: isLowDelay,
      previous: resetIsDue ? SBRData(channelCount: channelCount) : data)
    return true
  }

  private mutating func keepSpare() {
    swap(&data, &spare)
    hasReset = resetIsDue
    resetIsDue = false
    hasData = true
  }

  private mutating func adopt(_ new: SBRHeader) throws(AACError) {
    if header?.resets(new) != false {
      header = nil
      bands = try SBRBands(new, outputRate: outputRate)
      resetIsDue = true
    }
    header = new
  }

  /// Bits that would be left behind bs_extended_data; fewer than 0 where it is longer than what there is.
  private static func bitsLeft(behind data: BitReader) throws(AACError) -> Int {
    var bits = data
    guard try bits.flag() else { return bits.remaining }
    var size = try bits.uint(4)
    if size == 15 { size += try bits.uint(8) }
    return bits.remaining - size * 8
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
      guard id == Self.parametricStereoID, parametricStereo != nil else { break }
      try parametricStereo?.parse(&bits, end: end)
      hasFreshStereo = true
    }
    try bits.skip(max(0, end - bits.position))
  }

  private static let parametricStereoID = 2  // EXTENSION_ID_PS
}
