/// What an access unit is made of, for people and tests.
public struct AccessUnitSummary: Sendable, Equatable {
  /// A coding tool that an access unit uses.
  public enum Tool: String, Sendable, Hashable, CaseIterable {
    case midSide
    case intensity
    case noiseSubstitution
    case temporalNoiseShaping
    case pulses
    case coupling
    case dynamicRange
    case spectralBandReplication
    /// The predictors of the object type Main.
    case prediction
    case longTermPrediction
  }

  /// One channel of the core coder.
  public struct Channel: Sendable, Equatable {
    public var windowSequence: WindowSequence
    public var windowShape: WindowShape
    public var globalGain: Int
    /// Bands coded in each window group.
    public var maxBand: Int
  }

  /// Gains of dynamic range control (`dynamic_range_info()`).
  public struct DynamicRange: Sendable, Equatable {
    /// The programme that the gains are for (pce_instance_tag).
    public var programTag: Int?
    /// Mean level of the programme in dB from full scale (prog_ref_level).
    public var programReferenceLevel: Double?
    /// A gain in dB for each band, negative ones attenuate.
    public var gains: [Double]
    /// Upper edges of the bands in units of four lines, less one (drc_band_top); empty for one band over everything.
    public var bandTops: [Int]
    /// Channels, in element order, that the gains leave alone.
    public var excludedChannels: [Int]
  }

  /// The elements by their usual short names (`SCE`, `CPE`, `LFE`, `CCE`, `DSE`, `PCE`, `FIL`), in order.
  public var elements: [String] = []
  public var channels: [Channel] = []
  public var tools: Set<Tool> = []
  public var dynamicRange: [DynamicRange] = []
  /// The last program config element in the access unit.
  public var programConfig: ProgramConfig?
}

/// Looks into access units one after the other, without decoding them.
public struct AccessUnitInspector: Sendable {
  private let bands: ScaleFactorBands
  private var block = RawDataBlock()
  /// Of a stream with low-delay replication, by element.
  private var parsers: [SBRElementParser?] = []
  private var hasChecksums = false

  /// - Throws: `unsupported` for object types whose syntax is not known here.
  public init(_ configuration: AudioSpecificConfig) throws(AACError) {
    guard configuration.objectType.isDecodable else {
      throw AACError(.unsupported("looking into \(configuration.objectType.name) access units"))
    }
    block.syntax = StreamSyntax(configuration)
    bands = ScaleFactorBands(
      samplingRate: configuration.samplingRate, frameLength: configuration.frameLength)
    if let lowDelay = configuration.lowDelaySBR {
      let shape = SBRFrameShape(coreFrameLength: configuration.frameLength, isLowDelay: true)
      parsers = SBRElementParser.all(
        of: configuration.elements.map(\.kind), outputRate: 2 * configuration.samplingRate.hertz,
        slots: shape.gridSlots, lowDelay: lowDelay)
      hasChecksums = lowDelay.hasChecksums
    }
  }

  /// - Throws: where the bytes are no access unit, with the position of the fault.
  public mutating func inspect(_ accessUnit: [UInt8]) throws(AACError) -> AccessUnitSummary {
    var bits = BitReader(accessUnit)
    try block.parse(&bits, bands: bands)
    var summary = AccessUnitSummary()
    if block.syntax.hasLowDelayReplication {
      try inspectReplication(&bits)
      summary.tools.insert(.spectralBandReplication)
    }
    for element in block.elements {
      switch element {
      case .single(let single):
        summary.elements.append("SCE")
        summary.add(block.streams[single.stream])
      case .lowFrequency(let single):
        summary.elements.append("LFE")
        summary.add(block.streams[single.stream])
      case .pair(let pair):
        summary.elements.append("CPE")
        summary.add(block.streams[pair.left])
        summary.add(block.streams[pair.right])
        if pair.commonWindow, pair.midSide.mode != .off { summary.tools.insert(.midSide) }
      case .coupling:
        summary.elements.append("CCE")
        summary.tools.insert(.coupling)
      case .dataStream: summary.elements.append("DSE")
      case .programConfig(let config):
        summary.elements.append("PCE")
        summary.programConfig = config
      case .fill: summary.elements.append("FIL")
      }
    }
    for payload in block.extensions {
      switch payload.content {
      case .dynamicRange(let info):
        summary.tools.insert(.dynamicRange)
        summary.dynamicRange.append(AccessUnitSummary.DynamicRange(info))
      case .spectralBandReplication: summary.tools.insert(.spectralBandReplication)
      default: break
      }
    }
    return summary
  }

  /// Reads over the data of low-delay replication to what lies behind it.
  private mutating func inspectReplication(_ bits: inout BitReader) throws(AACError) {
    for index in parsers.indices {
      let start = bits
      if try parsers[index]?.parseLowDelay(&bits, hasChecksum: hasChecksums) == .damaged {
        throw start.failure(.inconsistent("an SBR payload whose checksum does not fit"))
      }
    }
    block.parseResilientExtensions(&bits)
  }
}

extension AccessUnitSummary.DynamicRange {
  init(_ info: DynamicRangeInfo) {
    programTag = info.programTag
    programReferenceLevel = info.referenceLevel.map { 0 - Double($0) / 4 }
    gains = (0..<info.bandCount).map { Double(info.gains[$0]) / 4 }
    bandTops = info.hasBands ? (0..<info.bandCount).map { Int(info.bandTops[$0]) } : []
    excludedChannels = (0..<DynamicRangeInfo.largestExclusionCount).filter(info.excludes)
  }
}

extension AccessUnitSummary {
  fileprivate mutating func add(_ stream: ChannelStream) {
    channels.append(
      Channel(
        windowSequence: stream.info.windowSequence, windowShape: stream.info.windowShape,
        globalGain: stream.globalGain, maxBand: stream.info.maxBand))
    if stream.tns != nil { tools.insert(.temporalNoiseShaping) }
    if stream.pulses != nil { tools.insert(.pulses) }
    switch stream.info.predictor {
    case .perLine(let data) where data.used != 0: tools.insert(.prediction)
    case .longTerm(let data?) where data.used != 0: tools.insert(.longTermPrediction)
    default: break
    }
    for book in stream.codebooks.prefix(stream.bandCount) {
      switch book {
      case Codebook.noise: tools.insert(.noiseSubstitution)
      case Codebook.intensityInPhase, Codebook.intensityOutOfPhase: tools.insert(.intensity)
      default: break
      }
    }
  }
}
