public import PCM

/// `AudioSpecificConfig()`: everything a decoder has to know before the first access unit
/// (ISO/IEC 14496-3, 1.6.2.1).
public struct AudioSpecificConfig: Sendable, Hashable {
  /// How spectral band replication and parametric stereo are announced.
  public enum Signalling: String, Sendable, Hashable {
    /// Not at all: the data may still appear in fill elements.
    case none
    /// By a sync extension behind a plain configuration (0x2B7, 0x548).
    case backwardCompatible
    /// By object type 5 or 29 in front.
    case hierarchical
  }

  /// Type of the core coder (LC where SBR is signalled around LC).
  public var objectType: AudioObjectType = .lowComplexity
  /// Rate of the core coder.
  public var samplingRate: SamplingRate
  /// 0 where `programConfig` describes the channels.
  public var channelConfiguration: Int
  public var programConfig: ProgramConfig?
  /// 960 instead of 1024 lines (480 instead of 512 for the low-delay types).
  public var frameLengthFlag = false
  public var coreCoderDelay: Int?  // dependsOnCoreCoder
  public var signalling: Signalling = .none
  /// `nil` where nothing is said about spectral band replication.
  public var sbrPresent: Bool?
  public var psPresent: Bool?
  /// Output rate with spectral band replication.
  public var extensionSamplingRate: SamplingRate?
  /// The error-resilience flags of the types 17…23 and 39 (section, scale factor, spectral data).
  public var sectionDataResilience = false
  public var scaleFactorDataResilience = false
  public var spectralDataResilience = false
  /// How the error-resilient types are protected: 0 not at all, 1 by access units in classes.
  public var errorProtection = 0  // epConfig
  /// `nil` but for enhanced low-delay streams with spectral band replication.
  public var lowDelaySBR: LowDelaySBRConfig?

  /// Lines (and core frames) of one access unit.
  public var frameLength: Int {
    switch objectType {
    case .lowDelay, .enhancedLowDelay: frameLengthFlag ? 480 : 512
    default: frameLengthFlag ? 960 : 1024
    }
  }

  /// The channel elements in bit-stream order; empty where only a program config element in the stream
  /// can tell.
  public var elements: [ChannelElement] {
    programConfig?.elements ?? ChannelConfiguration.elements(of: channelConfiguration) ?? []
  }

  /// A low-complexity stream of a rate and a layout.
  ///
  /// - Throws: `unsupported` where neither a channel configuration nor a program config element can carry
  ///   the layout.
  public init(samplingRate: SamplingRate, layout: ChannelLayout) throws(AACError) {
    self.samplingRate = samplingRate
    if let number = ChannelConfiguration.number(for: layout) {
      channelConfiguration = number
    } else if let config = ProgramConfig(layout: layout, samplingRateIndex: samplingRate.tableIndex) {
      channelConfiguration = 0
      programConfig = config
    } else {
      throw AACError(.unsupported("the channel layout \(layout.name)"))
    }
  }
}

extension AudioSpecificConfig {
  static let sbrSyncExtension = 0x2B7
  static let psSyncExtension = 0x548

  /// Reads a configuration; bytes behind it are ignored.
  public init(parsing bytes: [UInt8]) throws(AACError) {
    var bits = BitReader(bytes)
    try self.init(parsing: &bits)
  }

  /// Reads up to `bits.remaining`; the sync extensions are looked for in what is left.
  public init(parsing bits: inout BitReader) throws(AACError) {
    objectType = try AudioObjectType(parsing: &bits)
    samplingRate = try SamplingRate(parsing: &bits)
    channelConfiguration = try bits.uint(4)
    if objectType == .spectralBandReplication || objectType == .parametricStereo {
      signalling = .hierarchical
      sbrPresent = true
      psPresent = objectType == .parametricStereo
      extensionSamplingRate = try SamplingRate(parsing: &bits)
      objectType = try AudioObjectType(parsing: &bits)
    }
    if channelConfiguration != 0, ChannelConfiguration.elements(of: channelConfiguration) == nil {
      throw bits.failure(.reserved("channelConfiguration", value: channelConfiguration))
    }
    if objectType == .enhancedLowDelay {
      guard channelConfiguration != 0 else {
        throw bits.failure(.reserved("channelConfiguration of ELD audio", value: 0))
      }
      try parseELDSpecificConfig(&bits)
    } else {
      guard objectType.hasGASpecificConfig, objectType.rawValue != 7, objectType != .errorResilientBSAC
      else {
        throw bits.failure(.unsupported("\(objectType.name) audio"))
      }
      try parseGASpecificConfig(&bits)
    }
    if objectType.hasErrorProtection {
      errorProtection = try bits.uint(2)
      guard errorProtection < 2 else { throw bits.failure(.unsupported("epConfig \(errorProtection)")) }
    }
    if signalling == .none { try parseSyncExtension(&bits) }
  }

  private mutating func parseGASpecificConfig(_ bits: inout BitReader) throws(AACError) {
    frameLengthFlag = try bits.flag()
    if try bits.flag() { coreCoderDelay = try bits.uint(14) }
    let extensionFlag = try bits.flag()
    if channelConfiguration == 0 { programConfig = try ProgramConfig(parsing: &bits) }
    if objectType == .scalable || objectType == .errorResilientScalable { try bits.skip(3) }
    guard extensionFlag else { return }
    if (17...23).contains(objectType.rawValue) {
      sectionDataResilience = try bits.flag()
      scaleFactorDataResilience = try bits.flag()
      spectralDataResilience = try bits.flag()
    }
    try bits.skip(1)  // extensionFlag3
  }

  private mutating func parseSyncExtension(_ bits: inout BitReader) throws(AACError) {
    guard bits.remaining >= 16, try bits.uint(11) == Self.sbrSyncExtension else { return }
    guard try AudioObjectType(parsing: &bits) == .spectralBandReplication else { return }
    signalling = .backwardCompatible
    let present = try bits.flag()
    sbrPresent = present
    guard present else { return }
    extensionSamplingRate = try SamplingRate(parsing: &bits)
    guard bits.remaining >= 12, try bits.uint(11) == Self.psSyncExtension else { return }
    psPresent = try bits.flag()
  }

  /// The configuration as bytes, padded with zero bits.
  public var bytes: [UInt8] {
    var bits = BitWriter()
    write(to: &bits)
    bits.alignToByte()
    return bits.bytes
  }

  func write(to bits: inout BitWriter) {
    let extensionRate = extensionSamplingRate ?? samplingRate
    if signalling == .hierarchical {
      let outer: AudioObjectType = psPresent == true ? .parametricStereo : .spectralBandReplication
      outer.write(to: &bits)
    } else {
      objectType.write(to: &bits)
    }
    samplingRate.write(to: &bits)
    bits.put(programConfig == nil ? channelConfiguration : 0, 4)
    if signalling == .hierarchical {
      extensionRate.write(to: &bits)
      objectType.write(to: &bits)
    }
    if objectType == .enhancedLowDelay {
      writeELDSpecificConfig(to: &bits)
    } else {
      writeGASpecificConfig(to: &bits)
    }
    if objectType.hasErrorProtection { bits.put(errorProtection, 2) }
    guard signalling == .backwardCompatible else { return }
    bits.put(Self.sbrSyncExtension, 11)
    AudioObjectType.spectralBandReplication.write(to: &bits)
    bits.put(sbrPresent == true)
    guard sbrPresent == true else { return }
    extensionRate.write(to: &bits)
    if let psPresent {
      bits.put(Self.psSyncExtension, 11)
      bits.put(psPresent)
    }
  }

  private func writeGASpecificConfig(to bits: inout BitWriter) {
    let isErrorResilient = (17...23).contains(objectType.rawValue)
    bits.put(frameLengthFlag)
    bits.put(coreCoderDelay != nil)
    if let coreCoderDelay { bits.put(coreCoderDelay, 14) }
    bits.put(isErrorResilient)
    programConfig?.write(to: &bits)
    if objectType == .scalable || objectType == .errorResilientScalable { bits.put(0, 3) }
    guard isErrorResilient else { return }
    bits.put(sectionDataResilience)
    bits.put(scaleFactorDataResilience)
    bits.put(spectralDataResilience)
    bits.put(0, 1)
  }
}
