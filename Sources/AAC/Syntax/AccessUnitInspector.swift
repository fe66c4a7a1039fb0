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

  /// The elements by their usual short names (`SCE`, `CPE`, `LFE`, `CCE`, `DSE`, `PCE`, `FIL`), in order.
  public var elements: [String] = []
  public var channels: [Channel] = []
  public var tools: Set<Tool> = []
}

/// Looks into access units one after the other, without decoding them.
public struct AccessUnitInspector: Sendable {
  private let bands: ScaleFactorBands
  private var block = RawDataBlock()

  /// - Throws: `unsupported` for object types whose syntax is not known here.
  public init(_ configuration: AudioSpecificConfig) throws(AACError) {
    guard configuration.objectType.isDecodable, configuration.lowDelaySBR == nil else {
      throw AACError(.unsupported("looking into \(configuration.objectType.name) access units"))
    }
    block.syntax = StreamSyntax(configuration)
    bands = ScaleFactorBands(
      samplingRate: configuration.samplingRate, frameLength: configuration.frameLength)
  }

  /// - Throws: where the bytes are no access unit, with the position of the fault.
  public mutating func inspect(_ accessUnit: [UInt8]) throws(AACError) -> AccessUnitSummary {
    var bits = BitReader(accessUnit)
    try block.parse(&bits, bands: bands)
    var summary = AccessUnitSummary()
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
      case .programConfig: summary.elements.append("PCE")
      case .fill: summary.elements.append("FIL")
      }
    }
    for payload in block.extensions {
      switch payload.content {
      case .dynamicRange: summary.tools.insert(.dynamicRange)
      case .spectralBandReplication: summary.tools.insert(.spectralBandReplication)
      default: break
      }
    }
    return summary
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
