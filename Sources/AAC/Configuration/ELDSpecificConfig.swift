/// Low-delay spectral band replication as the configuration announces it.
public struct LowDelaySBRConfig: Sendable, Hashable {
  /// The output rate is twice that of the core; else it is the core's, and the replicated bands fill the part
  /// of its spectrum that the core leaves empty.
  public var isDualRate = false  // ldSbrSamplingRate
  public var hasChecksums = false  // ldSbrCrcFlag
  /// A header for each single and pair element, as it stands in the bit stream.
  public var headers: [SBRHeaderBits] = []

  public init(isDualRate: Bool = false, hasChecksums: Bool = false, headers: [SBRHeaderBits] = []) {
    self.isDualRate = isDualRate
    self.hasChecksums = hasChecksums
    self.headers = headers
  }
}

/// An sbr_header(), unread: the low `count` bits of `value`.
public struct SBRHeaderBits: Sendable, Hashable {
  public var value: Int
  public var count: Int

  public init(value: Int, count: Int) {
    self.value = value
    self.count = count
  }
}

extension AudioSpecificConfig {
  /// Reads `ELDSpecificConfig()`. Extensions are passed over.
  mutating func parseELDSpecificConfig(_ bits: inout BitReader) throws(AACError) {
    frameLengthFlag = try bits.flag()
    sectionDataResilience = try bits.flag()
    scaleFactorDataResilience = try bits.flag()
    spectralDataResilience = try bits.flag()
    if try bits.flag() {
      var config = LowDelaySBRConfig()
      config.isDualRate = try bits.flag()
      config.hasChecksums = try bits.flag()
      for element in elements where element.kind != .lowFrequency {
        config.headers.append(try SBRHeaderBits(parsing: &bits))
      }
      lowDelaySBR = config
    }
    while try bits.uint(4) != 0 {  // eldExtType
      var length = try bits.uint(4)
      if length == 15 {
        let more = try bits.uint(8)
        length += more
        if more == 255 { length += try bits.uint(16) }
      }
      try bits.skip(length * 8)
    }
  }

  func writeELDSpecificConfig(to bits: inout BitWriter) {
    bits.put(frameLengthFlag)
    bits.put(sectionDataResilience)
    bits.put(scaleFactorDataResilience)
    bits.put(spectralDataResilience)
    bits.put(lowDelaySBR != nil)
    if let lowDelaySBR {
      bits.put(lowDelaySBR.isDualRate)
      bits.put(lowDelaySBR.hasChecksums)
      for header in lowDelaySBR.headers { bits.put(header.value, header.count) }
    }
    bits.put(0, 4)  // ELDEXT_TERM
  }
}

extension SBRHeaderBits {
  /// Bits up to the two flags that tell whether more follow, and bits behind each flag.
  private static let fixedBits = 14
  private static let firstExtraBits = 5
  private static let secondExtraBits = 6

  init(parsing bits: inout BitReader) throws(AACError) {
    count = Self.fixedBits + 2
    value = try bits.uint(count)
    // bs_header_extra_1 and bs_header_extra_2
    let extra = (value & 2 != 0 ? Self.firstExtraBits : 0) + (value & 1 != 0 ? Self.secondExtraBits : 0)
    value = value << extra | (try bits.uint(extra))
    count += extra
  }
}
