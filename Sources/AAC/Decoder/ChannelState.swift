/// What one channel keeps from frame to frame, and its spectrum on the way.
final class ChannelState {
  /// The lines of the frame at hand, window after window.
  var spectrum: [Float]
  /// Second half of the block before.
  var overlap: [Float]
  var windowShape: WindowShape = .sine
  var windowSequence: WindowSequence = .onlyLong

  init(frameLength: Int) {
    spectrum = [Float](repeating: 0, count: frameLength)
    overlap = [Float](repeating: 0, count: frameLength)
  }

  func reset() {
    for index in spectrum.indices { spectrum[index] = 0 }
    for index in overlap.indices { overlap[index] = 0 }
    windowShape = .sine
    windowSequence = .onlyLong
  }
}
