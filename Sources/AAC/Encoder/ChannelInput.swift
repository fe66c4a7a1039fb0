import DSP

/// One input channel: the blocks that the next frame needs, and what its analysis remembers.
///
/// `samples` holds three blocks: the two that the frame transforms and one to look ahead.
final class ChannelInput {
  var samples: [Float]
  var detector = TransientDetector()
  var longMemory: Psychoacoustics.Memory
  var shortMemory: Psychoacoustics.Memory
  private var wasShort = false

  init(frameLength: Int, longMemory: Psychoacoustics.Memory, shortMemory: Psychoacoustics.Memory) {
    samples = [Float](repeating: 0, count: 3 * frameLength)
    self.longMemory = longMemory
    self.shortMemory = shortMemory
  }

  /// Masking remembers windows of one length only: the other's memory is of another time.
  func beginWindows(short isShort: Bool) {
    if isShort != wasShort {
      longMemory.forget()
      shortMemory.forget()
    }
    wasShort = isShort
  }

  /// Moves on by one block.
  func advance(by frameLength: Int) {
    SpectralKernels.shift(&samples, by: frameLength)
  }
}
