import Testing

@testable import DSP

/// One channel out of interleaved samples, for every number of frames around whole registers.
struct SampleKernelTests {
  static let frameCounts = [0, 1, 7, 8, 9, 15, 16, 17, 40, 45]

  @Test(arguments: [1, 2, 3, 6]) func channelsAreTakenApart(stride: Int) {
    var random = Generator(seed: printedSeed(#function))
    for frames in Self.frameCounts {
      // More frames than asked for; the extremes among them.
      let integers = (0..<(frames + 2) * stride).map { index in
        index % 5 == 0
          ? Int16.min : index % 7 == 0 ? Int16.max : Int16.random(in: .min ... .max, using: &random)
      }
      let floats = random.floats((frames + 2) * stride)
      for channel in 0..<stride {
        var target = [Float](repeating: 9, count: frames + 1)
        SampleKernels.deinterleave(integers, channel: channel, of: stride, frames: frames, into: &target)
        #expect(
          target
            == (0..<frames).map { Float(Double(integers[channel + $0 * stride]) / 32768) } + [9],
          "\(frames) frames, channel \(channel)")
        SampleKernels.deinterleave(floats, channel: channel, of: stride, frames: frames, into: &target)
        #expect(
          target == (0..<frames).map { floats[channel + $0 * stride] } + [9],
          "\(frames) frames, channel \(channel)")
      }
    }
  }
}
