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
  /// The frame at hand has the last data again: its own is lost or broken.
  private(set) var isHeld = false
  /// Such frames in a row, with this one.
  private var heldCount = 0
  private let coreFrameLength: Int

  init(
    kind: ChannelElement.Kind, _ shape: SBRFrameShape, parser: SBRElementParser?, synthesisCount: Int,
    isStereo: Bool
  ) {
    coreFrameLength = QMFAnalysis.bands * shape.slots
    channels = (0..<kind.width).map { _ in SBRChannel(shape, synthesisCount: synthesisCount) }
    self.parser = parser
    parametricStereo = isStereo ? PSDecoder(slots: shape.slots, synthesisCount: synthesisCount) : nil
  }

  func reset() {
    parser?.reset()
    for channel in channels { channel.reset() }
    parametricStereo?.reset()
    hasData = false
    isHeld = false
    heldCount = 0
  }

  /// The parametric stereo parameters are the frame's own.
  var hasFreshStereo: Bool { hasData && parser?.hasFreshStereo == true }

  func beginFrame() {
    hasData = false
    isHeld = false
  }

  /// Takes the frame's payload. In place of one that is broken the last one is held.
  func take(_ bits: inout BitReader, hasChecksum: Bool) {
    guard !hasData else { return }
    do {
      hasData = try parser?.parse(&bits, hasChecksum: hasChecksum) ?? false
    } catch {
      hold()
    }
    if hasData { isHeld = false }
  }

  /// Lets the frame have the last envelopes again, fading: its own are lost or not to be believed.
  func hold() {
    hasData = false
    isHeld = true
  }

  /// Takes the frame's payload of a low-delay stream.
  ///
  /// - Returns: whether `bits` is where the next element's payload begins.
  func takeLowDelay(_ bits: inout BitReader, hasChecksum: Bool) -> Bool {
    guard let result = try? parser?.parseLowDelay(&bits, hasChecksum: hasChecksum) else { return false }
    if result == .data { hasData = true } else { hold() }
    return true
  }

  /// Makes the frame's QMF samples of one channel from the core's samples.
  func process(_ channel: Int, _ samples: [Float], _ bank: QMFAnalysis, _ work: inout SBRWork) {
    let state = channels[channel]
    state.analyze(samples, bank)
    if channel == 0 { heldCount = isHeld ? min(heldCount + 1, 1 << 20) : 0 }
    guard let parser, let header = parser.header, let bands = parser.bands else {
      state.upsample()
      return
    }
    if hasData {
      if channel == 0 { dequantize(parser.data) }
      state.replicate(
        parser.data.channels[channel], header, bands, hasReset: parser.hasReset, &work)
      state.lastGrid = parser.data.channels[channel].grid
      state.lastHarmonics = parser.data.channels[channel].harmonics
    } else if isHeld, parser.canHold {
      replicateHeld(state, parser.data.channels[channel], header, bands, &work)
    } else {
      state.upsample()
    }
  }

  /// The envelope, noise floor and sinusoids that the last frame ended with, as loud as the core is by then.
  private func replicateHeld(
    _ state: SBRChannel, _ data: SBRChannelData, _ header: SBRHeader, _ bands: SBRBands, _ work: inout SBRWork
  ) {
    let last = state.lastGrid
    if heldCount == 1 { state.levels.keep(envelope: last.envelopeCount - 1, noise: last.noiseCount - 1) }
    let ratio = ConcealmentFade.ratio(run: heldCount - 1, frameLength: coreFrameLength)
    state.levels.scale(by: ratio * ratio)
    var held = data
    held.grid = last.held(from: state.filled / state.shape.step, slots: state.shape.gridSlots)
    held.harmonics = ratio > 0 ? state.lastHarmonics : 0
    held.inverseFilters = state.inverseFilters
    state.replicate(held, header, bands, hasReset: false, &work)
    state.lastGrid = held.grid
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
