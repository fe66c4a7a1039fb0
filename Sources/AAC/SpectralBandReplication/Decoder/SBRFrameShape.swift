import DSP

/// How the QMF samples of a frame lie in time.
struct SBRFrameShape: Equatable, Sendable {
  /// QMF samples of a frame.
  let slots: Int
  /// QMF samples of one step of the time grid.
  let step: Int  // RATE
  /// QMF samples of the low bands from earlier frames.
  let history: Int  // T_HFGen
  let modulation: QMFModulation

  /// QMF samples by which a frame's low bands reach into the next one.
  var lookahead: Int { history - ReplicationKernels.delay }
  /// QMF samples that the sound is late behind the core's: the analysis has the middle of its window five samples
  /// back, in low delay one, less one, and the low bands wait.
  var delay: Int { lookahead + (modulation == .lowDelay ? 0 : 4) }
  /// Steps of the time grid.
  var gridSlots: Int { slots / step }

  init(coreFrameLength: Int, isLowDelay: Bool) {
    slots = coreFrameLength / QMFAnalysis.bands
    step = isLowDelay ? 1 : 2
    history = isLowDelay ? ReplicationKernels.delay : 8
    modulation = isLowDelay ? .lowDelay : .symmetric
  }
}
