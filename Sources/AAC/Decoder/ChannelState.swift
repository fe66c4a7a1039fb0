/// What one channel keeps from frame to frame, and its spectrum on the way.
final class ChannelState {
  /// The lines of the frame at hand, window after window.
  var spectrum: [Float]
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

  init(frameLength: Int, overlapCount: Int? = nil) {
    spectrum = [Float](repeating: 0, count: frameLength)
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
  }
}
