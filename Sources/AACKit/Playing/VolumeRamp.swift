import PCM

/// A factor on samples that goes over to another one within a few milliseconds, without a click. At exactly 1 samples
/// stay as they are.
struct VolumeRamp {
  private static let seconds = 0.02

  /// The factor of the next frame.
  private(set) var factor: Float
  private var target: Float
  private var step: Float = 0

  init(_ factor: Float) {
    self.factor = factor
    target = factor
  }

  /// Brings frames to the volume `volume`, from the one that they had before.
  mutating func apply(_ volume: Float, to buffer: inout PCMBuffer) {
    if volume != target {
      target = volume
      let frames = max(1, Double(buffer.format.sampleRate) * Self.seconds)
      step = (target - factor) / Float(frames)
    }
    guard factor != 1 || target != 1 else { return }
    var end = factor
    for channel in buffer.channels.indices {
      end = scale(&buffer.channels[channel], min(buffer.frameCount, buffer.channels[channel].count))
    }
    factor = end
  }

  /// Scales one channel and returns the factor behind it.
  private func scale(_ samples: inout [Float], _ count: Int) -> Float {
    var factor = factor
    for frame in 0..<count {
      if factor != target {
        factor += step
        if step > 0 ? factor >= target : factor <= target { factor = target }
      }
      samples[frame] *= factor
    }
    return factor
  }
}
