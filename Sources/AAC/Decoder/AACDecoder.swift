public import PCM

/// Decodes AAC access units to PCM.
///
/// Low-complexity streams of 1024 or 960 lines, with any channel configuration or program config element, with
/// spectral band replication (HE-AAC) and parametric stereo (HE-AAC v2).
///
/// Rate and layout of the output are decided once, from the configuration and the first access units:
///
/// - Where the configuration announces spectral band replication, the output has the announced rate from the
///   first frame on, whether the data comes early, late or never.
/// - Where it says nothing, the first access unit decides: with replication data in it, the output has twice
///   the rate of the core. Data that appears only later is not heard, and `notes` says so: a stream never
///   changes its rate. Where the configuration denies replication, its data is not heard either.
/// - A mono stream is stereo where the configuration announces parametric stereo, or where the first access
///   unit has its data, or where that has replication data that cannot be read for want of a header. It stays
///   mono otherwise, and `notes` says so should parametric stereo appear later.
/// - Give `prepare(for:)` more than one access unit where the first may not tell.
///
/// As well as low-complexity streams, those of the object types Main and LTP are decoded, the error-resilient
/// types ER LC and ER LTP, and the low-delay types LD and ELD, of 512 or 480 lines, ELD also with its low-delay form
/// of spectral band replication. That is always announced and comes with every access unit.
///
/// Damage: `decode(_:into:)` throws and leaves everything as it was, `conceal(into:)` makes up a frame, and
/// `decodeOrConceal(_:into:)` does what is best for the sound; `lastFrame` tells what became of a frame.
///
/// Not safe for use from several threads at a time; separate decoders share nothing.
public final class AACDecoder {
  /// What the sound lacks although it was decoded without an error.
  public struct Notes: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Data of spectral band replication appeared after the rate was decided without it, or against the
    /// configuration: only the core is heard.
    public static let ignoresSpectralBandReplication = Notes(rawValue: 1)
    /// Data of parametric stereo appeared after the layout was decided without it: the sound stays mono.
    public static let ignoresParametricStereo = Notes(rawValue: 2)
  }

  /// Tools that the sound is made with.
  public struct Extensions: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// The output comes from the bands of spectral band replication, be its data there or not.
    public static let spectralBandReplication = Extensions(rawValue: 1)
    /// Parametric stereo data has been found, and the output is stereo.
    public static let parametricStereo = Extensions(rawValue: 2)
  }

  public let configuration: AudioSpecificConfig
  /// Format of the sound as far as it is known: from the configuration, then from the stream itself. It is
  /// final, but for another program config element in the stream, after `prepare(for:)` or the first `decode`.
  public internal(set) var format: PCMFormat
  /// Grows while the stream is decoded.
  public internal(set) var notes: Notes = []
  /// Grows while the stream is decoded.
  public internal(set) var extensions: Extensions = []
  /// How far the stream's dynamic range control is followed; `nil`, as at the start, not at all. It can be changed
  /// between two frames. Streams without the data sound the same either way.
  public var dynamics: DynamicRangeControl?
  /// The programme's mean level in dB from full scale, as the stream last told it (prog_ref_level).
  public var programReferenceLevel: Double? { decoder.programLevel.map { 0 - Double($0) / 4 } }
  /// How the stream wants to be mixed down, as its last program config element says.
  public private(set) var matrixMixdown: ProgramConfig.MatrixMixdown?

  /// What became of the last access unit that was decoded or concealed.
  public internal(set) var lastFrame = FrameReport()

  let decoder: BlockDecoder
  var block = RawDataBlock()
  /// `nil` until a program config element tells the channels.
  private(set) var map: ElementMap?
  private(set) var programConfig: ProgramConfig?
  /// Whether the output comes from QMF bands; `nil` until that is decided.
  var replicates: Bool?
  /// The mono stream is heard in stereo; `nil` until that is decided.
  var isStereo: Bool?
  /// Reads the replication data of a mono stream's first access units.
  var probe: SBRElementParser?
  var replication: SBRDecoder?
  var resilience = Resilience()
  /// The core's frame, where it is not the output.
  var core: PCMBuffer

  /// - Throws: `unsupported` with the name of an object type that is not decoded.
  public init(_ configuration: AudioSpecificConfig) throws(AACError) {
    try configuration.checkDecodable()
    self.configuration = configuration
    block.syntax = StreamSyntax(configuration)
    decoder = BlockDecoder(
      syntax: block.syntax,
      bands: ScaleFactorBands(
        samplingRate: configuration.samplingRate, frameLength: configuration.frameLength))
    format = PCMFormat(sampleRate: configuration.samplingRate.hertz, layout: .discrete(0))
    core = PCMBuffer(format: format)
    replicates = configuration.lowDelaySBR != nil ? true : configuration.sbrPresent
    if replicates == true { extensions.insert(.spectralBandReplication) }
    if configuration.psPresent == true { isStereo = true }
    if let config = configuration.programConfig {
      programConfig = config
      matrixMixdown = config.matrixMixdown
      adopt(ElementMap(config))
    } else if let elements = ChannelConfiguration.elements(of: configuration.channelConfiguration) {
      adopt(ElementMap(elements))
    } else {
      updateFormat()
    }
  }

  /// Looks into the first access units of a stream to make `format` final. Decoding begins with the same
  /// units afterwards. Units that cannot be read are passed over. Without this call the first `decode` looks
  /// into its own.
  public func prepare(for accessUnits: [[UInt8]]) {
    var hasLooked = false
    for accessUnit in accessUnits {
      var bits = BitReader(accessUnit)
      guard (try? block.parse(&bits, bands: decoder.bands)) != nil, var map = try? currentMap(),
        (try? decoder.prepare(block, &map)) != nil
      else { continue }
      look(into: block)
      hasLooked = true
    }
    if hasLooked { settle() }
  }

  /// Decodes one access unit into `output`, which gets the real format and frame count. After a throw
  /// `output` is empty, the decoder is usable and goes on with the next access unit.
  ///
  /// Channels that the access unit does not have are concealed; `lastFrame` tells. Nothing is judged by how it
  /// sounds.
  ///
  /// - Throws: what is wrong with the data, with its position in bits.
  public func decode(_ accessUnit: [UInt8], into output: inout PCMBuffer) throws(AACError) {
    output.frameCount = 0
    var bits = BitReader(accessUnit)
    try block.parse(&bits, bands: decoder.bands)
    var map = try currentMap()
    try decoder.prepare(block, &map)
    play(map, .all, behind: bits, into: &output)
  }

  /// As `decode(_:into:)`, into a buffer of its own.
  public func decode(_ accessUnit: [UInt8]) throws(AACError) -> PCMBuffer {
    var output = PCMBuffer(format: format)
    try decode(accessUnit, into: &output)
    return output
  }

  /// Forgets the past: what comes next begins out of silence (after a seek).
  public func reset() {
    decoder.reset()
    replication?.reset()
    resilience = Resilience()
    lastFrame = FrameReport()
  }

  func adopt(_ map: ElementMap) {
    self.map = map
    if replication != nil {
      // Other channels: what the first access units told does not hold for them.
      replication = nil
      isStereo = configuration.psPresent == true ? true : nil
      probe = nil
    }
    updateFormat()
    decoder.reset(channelCount: map.outputs.count)
  }

  /// The block at hand would change the layout.
  var asksForChange: Bool {
    for element in block.elements {
      guard case .programConfig(let config) = element, follows(config) else { continue }
      if programConfig.map({ $0.hasChannels(of: config) }) != true { return true }
    }
    return programConfig == nil && configuration.channelConfiguration <= 2 && map.map(isOther) ?? false
  }

  /// A numbered configuration stays unless it cannot be what the stream holds.
  private func follows(_ config: ProgramConfig) -> Bool {
    configuration.channelConfiguration == 0 || map?.hasKinds(of: config.elements) == false
  }

  /// The map for the block at hand, after a change of the layout if the block asks for one.
  func currentMap() throws(AACError) -> ElementMap {
    for element in block.elements {
      guard case .programConfig(let config) = element, follows(config) else { continue }
      if programConfig.map({ $0.hasChannels(of: config) }) != true {
        programConfig = config
        adopt(ElementMap(config))
      }
    }
    if programConfig == nil, map == nil || configuration.channelConfiguration <= 2 {
      adaptToElements()
    }
    if let programConfig { block.removeMixdowns(of: programConfig) }
    guard let map else { throw AACError(.inconsistent("a stream that never says what its channels are")) }
    return map
  }

  /// The only channel element of a mono or stereo stream is of the other kind.
  private func isOther(_ map: ElementMap) -> Bool {
    let (count, isPair) = countElements()
    return count == 1 && map.elements.count == 1 && (map.elements[0].kind == .pair) != isPair
  }

  private func countElements() -> (count: Int, isPair: Bool) {
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
    return (count, isPair)
  }

  /// Without a program config: guesses the layout of a stream that names none, and follows streams that
  /// are mono or stereo against what they say.
  private func adaptToElements() {
    let (count, isPair) = countElements()
    if let map {
      guard isOther(map) else { return }
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
