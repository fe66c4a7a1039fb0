/// What one channel keeps from frame to frame, and its spectrum on the way.
final class ChannelState {
  /// The lines of the frame at hand, window after window.
  var spectrum: [Float]
  /// The lines of the frame before while the frame at hand is not yet believed; else nothing of use.
  var spare: [Float]
  /// Second half of the block before.
  var overlap: [Float]
  var windowShape: WindowShape = .sine
  var windowSequence: WindowSequence = .onlyLong
  /// For the object type Main.
  var prediction: Prediction?
  /// For the object types with long-term prediction; else empty.
  var history: LongTermPrediction.History = []
  /// Lag of the last long-term prediction.
  var lag = 0
  /// Gains of dynamic range control.
  var dynamics = DynamicRangeInfo()
  /// With long-term prediction, the overlap without those gains; empty until they are heard.
  var plainOverlap: [Float] = []
  /// Concealed frames in a row up to now.
  var run = 0
  /// The overlap is not what the next frame's encoder reckoned with.
  var isBroken = false
  /// Has been decoded since the start.
  var isHeard = false

  init(frameLength: Int, overlapCount: Int? = nil) {
    spectrum = [Float](repeating: 0, count: frameLength)
    spare = spectrum
    overlap = [Float](repeating: 0, count: overlapCount ?? frameLength)
  }

  func reset() {
    for index in spectrum.indices { spectrum[index] = 0 }
    for index in overlap.indices { overlap[index] = 0 }
    windowShape = .sine
    windowSequence = .onlyLong
    prediction?.reset()
    for index in history.indices { history[index] = 0 }
    lag = 0
    dynamics = DynamicRangeInfo()
    plainOverlap.removeAll()
    run = 0
    isBroken = false
    isHeard = false
  }
}
