public import PCM

/// Decodes AAC access units to PCM.
///
/// Low-complexity streams of 1024 or 960 lines, with any channel configuration or program config element.
/// Of streams with spectral band replication the core is decoded, at the rate of the core; `notes` says so.
///
/// As well as low-complexity streams, those of the object types Main and LTP are decoded, the error-resilient
/// types ER LC and ER LTP, and the low-delay types LD and ELD, of 512 or 480 lines.
///
/// Not safe for use from several threads at a time; separate decoders share nothing.
public final class AACDecoder {
  /// What the sound lacks although it was decoded without an error.
  public struct Notes: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// The stream has spectral band replication (and perhaps parametric stereo): only its core is heard.
    public static let ignoresSpectralBandReplication = Notes(rawValue: 1)
  }

  public let configuration: AudioSpecificConfig
  /// Format of the sound as far as it is known: from the configuration, then from the stream itself (a
  /// program config element in the stream can change it).
  public private(set) var format: PCMFormat
  /// Grows while the stream is decoded.
  public private(set) var notes: Notes = []

  private let decoder: BlockDecoder
  private var block = RawDataBlock()
  /// `nil` until a program config element tells the channels.
  private var map: ElementMap?
  private var programConfig: ProgramConfig?

  /// - Throws: `unsupported` with the name of an object type that is not decoded.
  public init(_ configuration: AudioSpecificConfig) throws(AACError) {
    try configuration.checkDecodable()
    self.configuration = configuration
    block.syntax = StreamSyntax(configuration)
    decoder = BlockDecoder(
      syntax: block.syntax,
      bands: ScaleFactorBands(
        samplingRate: configuration.samplingRate, frameLength: configuration.frameLength))
    if configuration.sbrPresent == true { notes.insert(.ignoresSpectralBandReplication) }
    format = PCMFormat(sampleRate: configuration.samplingRate.hertz, layout: .discrete(0))
    if let config = configuration.programConfig {
      programConfig = config
      adopt(ElementMap(config))
    } else if let elements = ChannelConfiguration.elements(of: configuration.channelConfiguration) {
      adopt(ElementMap(elements))
    }
  }

  /// Decodes one access unit into `output`, which gets the real format and frame count. After a throw
  /// `output` is empty, the decoder is usable and goes on with the next access unit.
  ///
  /// - Throws: what is wrong with the data, with its position in bits.
  public func decode(_ accessUnit: [UInt8], into output: inout PCMBuffer) throws(AACError) {
    output.frameCount = 0
    var bits = BitReader(accessUnit)
    try block.parse(&bits, bands: decoder.bands)
    var map = try currentMap()
    try decoder.prepare(block, &map)
    for payload in block.extensions {
      if case .spectralBandReplication = payload.content { notes.insert(.ignoresSpectralBandReplication) }
    }
    output.resize(to: decoder.bands.frameLength, format: format)
    decoder.render(block, map, into: &output)
  }

  /// As `decode(_:into:)`, into a buffer of its own.
  public func decode(_ accessUnit: [UInt8]) throws(AACError) -> PCMBuffer {
    var output = PCMBuffer(format: format)
    try decode(accessUnit, into: &output)
    return output
  }

  /// A frame in place of one that is lost or broken: the last spectrum again, fading out within a few
  /// frames.
  public func conceal(into output: inout PCMBuffer) {
    output.resize(to: decoder.bands.frameLength, format: format)
    guard let map else { return }
    decoder.conceal(map, into: &output)
  }

  /// Forgets the past (after a seek).
  public func reset() { decoder.reset() }

  private func adopt(_ map: ElementMap) {
    self.map = map
    format.layout = map.layout
    decoder.reset(channelCount: map.outputs.count)
  }

  /// The map for the block at hand, after a change of the layout if the block asks for one.
  private func currentMap() throws(AACError) -> ElementMap {
    for element in block.elements {
      guard case .programConfig(let config) = element else { continue }
      // A numbered configuration stays unless it cannot be what the stream holds.
      guard configuration.channelConfiguration == 0 || map?.hasKinds(of: config.elements) == false else {
        continue
      }
      if programConfig.map({ $0.hasChannels(of: config) }) != true {
        programConfig = config
        adopt(ElementMap(config))
      }
    }
    if programConfig == nil, map == nil || configuration.channelConfiguration <= 2 {
      adaptToElements()
    }
    guard let map else { throw AACError(.inconsistent("a stream that never says what its channels are")) }
    return map
  }

  /// Without a program config: guesses the layout of a stream that names none, and follows streams that
  /// are mono or stereo against what they say.
  private func adaptToElements() {
    var count = 0
    var isPair = false
    for element in block.elements {
      switch element {
      case .single, .lowFrequency: count += 1
      case .pair:
        count += 1
        isPair = true
      default: break
      }
    }
    if let map {
      guard count == 1, map.elements.count == 1, (map.elements[0].kind == .pair) != isPair else { return }
      adopt(ElementMap(guessingFrom: [isPair ? .pair : .single]))
    } else if count > 0 {
      adopt(
        ElementMap(
          guessingFrom: block.elements.compactMap {
            switch $0 {
            case .single: .single
            case .pair: .pair
            case .lowFrequency: .lowFrequency
            default: nil
            }
          }))
    }
  }
}

extension ElementMap {
  fileprivate func hasKinds(of others: [ChannelElement]) -> Bool {
    elements.map(\.channelCount).sorted() == others.map(\.channelCount).sorted()
  }
}

extension ProgramConfig {
  /// Whether the channels are the same, whatever else has changed.
  fileprivate func hasChannels(of other: ProgramConfig) -> Bool {
    front == other.front && side == other.side && back == other.back
      && lowFrequencyTags == other.lowFrequencyTags
  }
}
