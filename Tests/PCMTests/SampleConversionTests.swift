import PCM
import Testing

@Suite struct SampleConversionTests {
  /// What an integer of `bits` bits should be, spelt with the standard library's own rounding.
  private func integer(_ sample: Float, bits: Int) -> (value: Int64, clips: Bool) {
    let scale = Double(Int64(1) << Int64(bits - 1))
    let rounded = (Double(sample) * scale).rounded(.toNearestOrEven)
    let limited = min(max(rounded, -scale), scale - 1)
    return (Int64(limited), limited != rounded)
  }

  @Test(arguments: [1, 2, 3, 6]) func sixteenBits(channels: Int) throws {
    let layout = try #require(ChannelLayout.standard(channelCount: channels))
    var buffer = noise(layout, 1001, seed: 7)
    // Halves, limits and their neighbours.
    let edges: [Float] = [
      0.5, 1.5, 2.5, -0.5, -1.5, 32766.5, 32767, 32767.5, 32768, -32768, -32768.5, -32769,
    ]
    for (index, edge) in edges.enumerated() { buffer.channels[0][index] = edge / 32768 }
    var quantizer = SampleQuantizer()
    var output: [Int16] = []
    quantizer.quantize(buffer, 0..<1001, into: &output)
    var clipped = 0
    for frame in 0..<1001 {
      for channel in 0..<channels {
        let (value, clips) = integer(buffer.channels[channel][frame], bits: 16)
        #expect(Int64(output[frame * channels + channel]) == value, "seed 7, frame \(frame)")
        clipped += clips ? 1 : 0
      }
    }
    #expect(clipped > 0)
    #expect(quantizer.clippedCount == clipped)
  }

  @Test(arguments: [(8, 0), (24, 0), (24, 8), (32, 0)]) func widerIntegers(bits: Int, shift: Int) {
    let buffer = noise(.stereo, 999, seed: 8)
    var quantizer = SampleQuantizer()
    var output: [Int32] = []
    quantizer.quantize(buffer, 10..<900, bits: bits, shift: shift, into: &output)
    for frame in 10..<900 {
      for channel in 0..<2 {
        let (value, _) = integer(buffer.channels[channel][frame], bits: bits)
        #expect(Int64(output[(frame - 10) * 2 + channel]) == value << Int64(shift))
      }
    }
  }

  @Test func notANumberBecomesSilence() {
    let format = PCMFormat(sampleRate: 8000, layout: .mono)
    let buffer = PCMBuffer(format: format, channels: [[.nan, .infinity, -.infinity, 0.25]])
    var quantizer = SampleQuantizer()
    var output: [Int16] = []
    quantizer.quantize(buffer, 0..<4, into: &output)
    #expect(output == [0, 32767, -32768, 8192])
    #expect(quantizer.clippedCount == 2)
  }

  @Test func roundingHasNoBias() {
    let buffer = noise(.mono, 100_000, seed: 9, reach: 0.9)
    var quantizer = SampleQuantizer()
    var output: [Int16] = []
    quantizer.quantize(buffer, 0..<100_000, into: &output)
    var error = 0.0
    for frame in 0..<100_000 { error += Double(output[frame]) - Double(buffer.channels[0][frame]) * 32768 }
    // Uniform errors: a mean of 100 000 has a deviation of 0.289 / √100000 steps.
    #expect(abs(error / 100_000) < 0.005)
  }

  /// A constant between two steps comes out as their right mixture, with triangular noise.
  @Test func ditherKeepsTheMean() {
    let format = PCMFormat(sampleRate: 8000, layout: .mono)
    let level: Float = 0.3 / 32768
    let buffer = PCMBuffer(format: format, channels: [[Float](repeating: level, count: 200_000)])
    var quantizer = SampleQuantizer(dither: true)
    var output: [Int16] = []
    quantizer.quantize(buffer, 0..<200_000, into: &output)
    let mean = output.reduce(0.0) { $0 + Double($1) } / 200_000
    let power = output.reduce(0.0) { $0 + (Double($1) - 0.3) * (Double($1) - 0.3) } / 200_000
    #expect(abs(mean - 0.3) < 0.01)
    // Triangular dither (1/6) and the rounding (1/12) together: 1/4 of a step squared.
    #expect(abs(power - 0.25) < 0.01)
    #expect(output.allSatisfy { (-1...2).contains($0) })
  }

  @Test(arguments: SampleFormat.allCases) func bytesAndBack(format: SampleFormat) {
    let buffer = noise(.surround51, 333, seed: 10, reach: 0.99)
    var writer = SampleWriter(format)
    var bytes: [UInt8] = []
    let count = writer.write(buffer, 3..<330, into: &bytes)
    #expect(count == 327 * 6 * format.bytesPerSample)
    var back = PCMBuffer(format: buffer.format)
    format.decode(bytes, frames: 327, into: &back)
    let step: Float =
      switch format {
      case .u8: 0x1p-7
      case .s16le, .s16be: 0x1p-15
      case .s24le, .s24be: 0x1p-23
      case .s32le, .s32be: 0x1p-31
      default: 0
      }
    #expect(back.frameCount == 327)
    for channel in 0..<6 {
      for frame in 0..<327 {
        let error = back.channels[channel][frame] - buffer.channels[channel][frame + 3]
        #expect(abs(error) <= step / 2)
      }
    }
    #expect(writer.clippedCount == 0)
  }

  /// The bytes of one sample in every format, written out by hand.
  @Test func knownBytes() {
    let format = PCMFormat(sampleRate: 8000, layout: .mono)
    let buffer = PCMBuffer(format: format, channels: [[-0.25, 0.5]])
    func bytes(_ format: SampleFormat) -> [UInt8] {
      var writer = SampleWriter(format)
      var bytes: [UInt8] = []
      let count = writer.write(buffer, 0..<2, into: &bytes)
      return [UInt8](bytes.prefix(count))
    }
    #expect(bytes(.u8) == [0x60, 0xC0])
    #expect(bytes(.s16le) == [0x00, 0xE0, 0x00, 0x40])
    #expect(bytes(.s16be) == [0xE0, 0x00, 0x40, 0x00])
    #expect(bytes(.s24le) == [0x00, 0x00, 0xE0, 0x00, 0x00, 0x40])
    #expect(bytes(.s24be) == [0xE0, 0x00, 0x00, 0x40, 0x00, 0x00])
    #expect(bytes(.s32le) == [0x00, 0x00, 0x00, 0xE0, 0x00, 0x00, 0x00, 0x40])
    #expect(bytes(.s32be) == [0xE0, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00])
    #expect(bytes(.f32le) == [0x00, 0x00, 0x80, 0xBE, 0x00, 0x00, 0x00, 0x3F])
    #expect(bytes(.f32be) == [0xBE, 0x80, 0x00, 0x00, 0x3F, 0x00, 0x00, 0x00])
    #expect(bytes(.f64be) == [0xBF, 0xD0, 0, 0, 0, 0, 0, 0, 0x3F, 0xE0, 0, 0, 0, 0, 0, 0])
    #expect(bytes(.f64le) == [0, 0, 0, 0, 0, 0, 0xD0, 0xBF, 0, 0, 0, 0, 0, 0, 0xE0, 0x3F])
  }

  @Test func interleavingAndBack() {
    let buffer = noise(.surround30, 500, seed: 11)
    var samples: [Float] = []
    buffer.interleave(100..<400, into: &samples)
    #expect(samples.count == 900)
    #expect(samples[3 * 7 + 2] == buffer.channels[2][107])
    var back = PCMBuffer(format: buffer.format)
    back.fill(interleaved: samples, frames: 300)
    for channel in 0..<3 { #expect(back.channels[channel] == [Float](buffer.channels[channel][100..<400])) }
  }
}
