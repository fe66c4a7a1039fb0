internal import PCM

/// What the output is: its rate, its layout, and whether it comes from the core or from QMF bands.
extension AACDecoder {
  /// Unannounced replication is looked for up to this rate of the core.
  private static let highestImplicitRate = 48000

  private var coreRate: Int { configuration.samplingRate.hertz }

  /// The output has the rate of the core although it comes from QMF bands.
  private var isDownSampled: Bool {
    if let lowDelay = configuration.lowDelaySBR { return !lowDelay.isDualRate }
    guard let announced = configuration.extensionSamplingRate else { return false }
    return announced.hertz != 2 * coreRate
  }

  var coreFormat: PCMFormat {
    PCMFormat(sampleRate: coreRate, layout: map?.layout ?? .discrete(0))
  }

  /// Frames of output for one access unit, as far as it is known (see `format`).
  public var frameLength: Int {
    configuration.frameLength * (replicates == true && !isDownSampled ? 2 : 1)
  }

  /// The stream has one channel, which is no low-frequency one.
  private var isMono: Bool { map.map { $0.elements.count == 1 && $0.elements[0].kind == .single } ?? false }

  func updateFormat() {
    format.sampleRate = replicates == true && !isDownSampled ? 2 * coreRate : coreRate
    format.layout = map?.layout ?? .discrete(0)
    if replicates == true, isMono, isStereo == true { format.layout = .stereo }
  }

  /// Learns from a block whose elements `decoder.places` belong to.
  func look(into block: RawDataBlock) {
    guard block.hasReplication else { return }
    if replicates == nil, coreRate <= Self.highestImplicitRate { replicates = true }
    guard replicates == true, isMono, isStereo != true else { return }
    var parser =
      probe
      ?? SBRElementParser(
        channelCount: 1, outputRate: 2 * coreRate, slots: configuration.frameLength / 64)
    block.forEachReplication(places: decoder.places) { _, bits, hasChecksum in
      _ = try? parser.parse(&bits, hasChecksum: hasChecksum)
    }
    if parser.parametricStereo?.isPresent == true {
      isStereo = true
      extensions.insert(.parametricStereo)
    }
    probe = parser
  }

  /// Decides from what is known so far.
  func settle() {
    let isDecided = replicates ?? false
    replicates = isDecided
    guard isDecided, let map else { return updateFormat() }
    extensions.insert(.spectralBandReplication)
    // Replication data that could not be read for want of a header may hide parametric stereo.
    if isStereo == nil { isStereo = probe.map { $0.header == nil } ?? false }
    probe = nil
    updateFormat()
    replication = SBRDecoder(
      map, coreRate: coreRate, coreFrameLength: configuration.frameLength, isDownSampled: isDownSampled,
      isStereo: isMono && isStereo == true, lowDelay: configuration.lowDelaySBR)
  }
}

extension RawDataBlock {
  /// There is data of spectral band replication behind a channel element.
  var hasReplication: Bool {
    for payload in extensions {
      if case .spectralBandReplication = payload.content { return true }
    }
    return false
  }
}

extension PCMBuffer {
  mutating func silence() {
    for channel in channels.indices {
      for frame in 0..<frameCount { channels[channel][frame] = 0 }
    }
  }
}
