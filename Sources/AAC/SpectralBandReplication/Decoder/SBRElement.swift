import DSP

/// One channel element of a stream with spectral band replication: its payloads and its channels.
final class SBRElement {
  /// `nil` for what has no payloads (a low-frequency element).
  private(set) var parser: SBRElementParser?
  let channels: [SBRChannel]
  /// Of a mono element that is heard in stereo.
  let parametricStereo: PSDecoder?
  private let slots: Int
  /// There is data for the frame at hand.
  private var hasData = false

  init(
    kind: ChannelElement.Kind, slots: Int, outputRate: Int, synthesisCount: Int, isStereo: Bool
  ) {
    self.slots = slots
    channels = (0..<kind.width).map { _ in SBRChannel(slots: slots, synthesisCount: synthesisCount) }
    if kind != .lowFrequency {
      parser = SBRElementParser(channelCount: kind.width, outputRate: outputRate, slots: slots / 2)
    }
    parametricStereo = isStereo ? PSDecoder(slots: slots, synthesisCount: synthesisCount) : nil
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
