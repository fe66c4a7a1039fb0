import DSP

/// The signal of one channel on its way through the QMF bands, and what stays from frame to frame.
final class SBRChannel {
  let shape: SBRFrameShape
  var analysisMemory: [Float]
  var synthesisMemory: [Float]
  /// Rows of 32 bands: the shape's `history` old ones, then the frame's.
  var low: [Float]
  /// Rows of 64 bands: the frame's, then the shape's `lookahead` more.
  var high: [Float]

  /// Low bands and replicated bands of the frame at hand.
  var lowBands = 32
  var levels = SBRLevels()
  /// QMF samples at the start of the frame that the frame before has filled.
  var filled = 0
  var chirps = SIMD8<Float>()
  var inverseFilters = SIMD8<UInt8>()
  /// The frame before ended with the border that a transient begins at.
  var endsWithTransient = false
  /// Bit k: a sinusoid in QMF band k at the end of the frame before.
  var sinusoids: UInt64 = 0
  var noiseIndex = 0
  var phase = 0
  /// The grid and the sinusoids of the last frame that had data, for those that have none.
  var lastGrid = SBRGrid()
  var lastHarmonics: UInt64 = 0
  /// The smoothing has no past.
  var startsOver = true
  /// Rows of gains and noise levels: four of the past, then the frame's.
  var gainRows: [Float]
  var levelRows: [Float]
  /// Where dynamic range control is on.
  var dynamics: DynamicRangeRows?

  init(_ shape: SBRFrameShape, synthesisCount: Int) {
    self.shape = shape
    let slots = shape.slots
    analysisMemory = [Float](repeating: 0, count: QMFAnalysis.historyCount + 32 * slots)
    synthesisMemory = [Float](repeating: 0, count: synthesisCount)
    low = [Float](
      repeating: 0, count: (slots + shape.history) * QMFLayout.lowStride + QMFLayout.tail)
    high = [Float](
      repeating: 0, count: (slots + shape.lookahead) * QMFLayout.stride + QMFLayout.tail)
    gainRows = [Float](repeating: 0, count: (slots + shape.lookahead + 4) * SBRGains.room)
    levelRows = gainRows
  }

  func reset() {
    for index in analysisMemory.indices { analysisMemory[index] = 0 }
    for index in synthesisMemory.indices { synthesisMemory[index] = 0 }
    for index in low.indices { low[index] = 0 }
    for index in high.indices { high[index] = 0 }
    forget()
    filled = 0
    noiseIndex = 0
    phase = 0
    dynamics?.reset()
  }

  /// Starts the replication over.
  func forget() {
    chirps = SIMD8()
    inverseFilters = SIMD8()
    endsWithTransient = false
    sinusoids = 0
    startsOver = true
  }

  /// Brings the next frame of the core into the low bands.
  func analyze(_ samples: [Float], _ bank: QMFAnalysis) {
    let slots = shape.slots
    ReplicationKernels.moveRows(
      &low, from: slots, to: 0, count: shape.history, stride: QMFLayout.lowStride)
    bank.analyze(samples, slots: slots, memory: &analysisMemory, into: &low, row: shape.history)
    ReplicationKernels.moveRows(
      &high, from: slots, to: 0, count: shape.lookahead, stride: QMFLayout.stride)
  }

  /// Makes the frame of the low bands alone.
  func upsample() {
    ReplicationKernels.copyLow(low, bands: 32, rows: filled..<shape.slots + shape.lookahead, to: &high)
    filled = 0
    endsWithTransient = false
    sinusoids = 0
    startsOver = true
  }
}
