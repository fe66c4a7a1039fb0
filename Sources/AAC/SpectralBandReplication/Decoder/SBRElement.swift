import DSP

/// One channel element of a stream with spectral band replication: its payloads and its channels.
final class SBRElement {
  /// `nil` for what has no payloads (a low-frequency element).
  private(set) var parser: SBRElementParser?
  let channels: [SBRChannel]
  /// Of a mono element that is heard in stereo.
  let parametricStereo: PSDecoder?
  /// There is data for the frame at hand.
  private var hasData = false

  init(
    kind: ChannelElement.Kind, _ shape: SBRFrameShape, parser: SBRElementParser?, synthesisCount: Int,
    isStereo: Bool
  ) {
    channels = (0..<kind.width).map { _ in SBRChannel(shape, synthesisCount: synthesisCount) }
    self.parser = parser
    parametricStereo = isStereo ? PSDecoder(slots: shape.slots, synthesisCount: synthesisCount) : nil
  }

  func reset() {
    parser?.reset()
    for channel in channels { channel.reset() }
    parametricStereo?.reset()
    hasData = false
  }

  /// The parametric stereo parameters are the frame's own.
  var hasFreshStereo: Bool { hasData && parser?.hasFreshStereo == true }

  func beginFrame() { hasData = false }

  /// Takes the frame's payload. One that is broken counts as missing: only its frame is heard without
  /// replication.
  func take(_ bits: inout BitReader, hasChecksum: Bool) {
    guard !hasData else { return }
    hasData = (try? parser?.parse(&bits, hasChecksum: hasChecksum)) ?? false
  }

  /// Takes the frame's payload of a low-delay stream.
  ///
  /// - Returns: whether `bits` is where the next element's payload begins.
  func takeLowDelay(_ bits: inout BitReader, hasChecksum: Bool) -> Bool {
    guard let result = try? parser?.parseLowDelay(&bits, hasChecksum: hasChecksum) else { return false }
    hasData = result == .data
    return true
  }

  /// Makes the frame's QMF samples of one channel from the core's samples.
  func process(_ channel: Int, _ samples: [Float], _ bank: QMFAnalysis, _ work: inout SBRWork) {
    let state = channels[channel]
    state.analyze(samples, bank)
    guard hasData, let parser, let header = parser.header, let bands = parser.bands else {
      state.upsample()
      return
    }
    if channel == 0 { dequantize(parser.data) }
    state.replicate(
      parser.data.channels[channel], header, bands, hasReset: parser.hasReset, &work)
  }

  private func dequantize(_ data: SBRData) {
    if data.isCoupled {
      SBRLevels.dequantize(
        data.channels[0], balances: data.channels[1], &channels[0].levels, &channels[1].levels)
    } else {
      for (channel, state) in zip(data.channels, channels) { state.levels.dequantize(channel) }
    }
  }
}
