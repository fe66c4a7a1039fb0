extension PCMBuffer {
  /// Takes `frames` frames of interleaved samples; the buffer's format says how many channels they have.
  ///
  /// `samples` must hold `frames * channelCount` values. Allocates only when a channel has to grow.
  public mutating func fill(interleaved samples: [Float], frames: Int) {
    resize(to: frames, format: format)
    let stride = channelCount
    precondition(frames >= 0 && samples.count >= frames * stride, "samples for every frame")
    for channel in 0..<stride {
      deinterleave(samples, from: channel, by: stride, frames, into: &channels[channel])
    }
  }

  /// Writes frames of the buffer as interleaved samples to the start of `output`, which grows where it is
  /// too short and never shrinks.
  public func interleave(_ frames: Range<Int>, into output: inout [Float]) {
    let stride = channelCount
    precondition(frames.lowerBound >= 0 && frames.upperBound <= frameCount, "frames of the buffer")
    grow(&output, to: frames.count * stride, filler: 0)
    for channel in 0..<stride {
      PCM.interleave(channels[channel], frames, to: channel, by: stride, into: &output)
    }
  }
}

private func deinterleave(
  _ samples: [Float], from first: Int, by stride: Int, _ frames: Int, into output: inout [Float]
) {
  var index = first
  for frame in 0..<frames {
    output[frame] = samples[index]
    index &+= stride
  }
}

private func interleave(
  _ samples: [Float], _ frames: Range<Int>, to first: Int, by stride: Int, into output: inout [Float]
) {
  var index = first
  for frame in frames {
    output[index] = samples[frame]
    index &+= stride
  }
}

/// Makes `array` at least `count` long.
func grow<Element>(_ array: inout [Element], to count: Int, filler: Element) {
  if array.count < count { array.append(contentsOf: repeatElement(filler, count: count - array.count)) }
}
