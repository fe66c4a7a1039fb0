/// Writes frames of buffers as bytes of a sample format, interleaved.
public struct SampleWriter: Sendable {
  public let format: SampleFormat
  private var quantizer: SampleQuantizer
  private var shorts: [Int16] = []
  private var words: [Int32] = []
  private var floats: [Float] = []

  /// `dither` counts for the integer formats only.
  public init(_ format: SampleFormat, dither: Bool = false) {
    self.format = format
    quantizer = SampleQuantizer(dither: dither)
  }

  /// Samples so far that did not fit the integers. The float formats limit nothing.
  public var clippedCount: Int { quantizer.clippedCount }

  /// Writes frames of `buffer` to the start of `output`, which grows where it is too short, and returns
  /// the number of bytes.
  public mutating func write(
    _ buffer: PCMBuffer, _ frames: Range<Int>, into output: inout [UInt8]
  ) -> Int {
    let samples = frames.count * buffer.channelCount
    let size = samples * format.bytesPerSample
    grow(&output, to: size, filler: 0)
    switch format {
    case .u8:
      quantizer.quantize(buffer, frames, bits: 8, into: &words)
      write8(words, samples, &output)
    case .s16le, .s16be:
      quantizer.quantize(buffer, frames, into: &shorts)
      write16(shorts, samples, format.isBigEndian, &output)
    case .s24le, .s24be:
      quantizer.quantize(buffer, frames, bits: 24, into: &words)
      write24(words, samples, format.isBigEndian, &output)
    case .s32le, .s32be:
      quantizer.quantize(buffer, frames, bits: 32, into: &words)
      write32(words, samples, format.isBigEndian, &output)
    case .f32le, .f32be:
      buffer.interleave(frames, into: &floats)
      writeFloat32(floats, samples, format.isBigEndian, &output)
    case .f64le, .f64be:
      buffer.interleave(frames, into: &floats)
      writeFloat64(floats, samples, format.isBigEndian, &output)
    }
    return size
  }
}

private func write8(_ samples: [Int32], _ count: Int, _ output: inout [UInt8]) {
  for index in 0..<count { output[index] = UInt8(truncatingIfNeeded: samples[index] &+ 128) }
}

private func write16(_ samples: [Int16], _ count: Int, _ swapped: Bool, _ output: inout [UInt8]) {
  for index in 0..<count {
    let value = swapped ? samples[index].byteSwapped : samples[index]
    output[index &* 2] = UInt8(truncatingIfNeeded: value)
    output[index &* 2 &+ 1] = UInt8(truncatingIfNeeded: value &>> 8)
  }
}

private func write24(_ samples: [Int32], _ count: Int, _ swapped: Bool, _ output: inout [UInt8]) {
  for index in 0..<count {
    let value = swapped ? samples[index].byteSwapped &>> 8 : samples[index]
    output[index &* 3] = UInt8(truncatingIfNeeded: value)
    output[index &* 3 &+ 1] = UInt8(truncatingIfNeeded: value &>> 8)
    output[index &* 3 &+ 2] = UInt8(truncatingIfNeeded: value &>> 16)
  }
}

@inline(__always)
private func put(_ value: UInt32, _ index: Int, _ output: inout [UInt8]) {
  output[index] = UInt8(truncatingIfNeeded: value)
  output[index &+ 1] = UInt8(truncatingIfNeeded: value &>> 8)
  output[index &+ 2] = UInt8(truncatingIfNeeded: value &>> 16)
  output[index &+ 3] = UInt8(truncatingIfNeeded: value &>> 24)
}

private func write32(_ samples: [Int32], _ count: Int, _ swapped: Bool, _ output: inout [UInt8]) {
  for index in 0..<count {
    let value = UInt32(bitPattern: samples[index])
    put(swapped ? value.byteSwapped : value, index &* 4, &output)
  }
}

private func writeFloat32(_ samples: [Float], _ count: Int, _ swapped: Bool, _ output: inout [UInt8]) {
  for index in 0..<count {
    let value = samples[index].bitPattern
    put(swapped ? value.byteSwapped : value, index &* 4, &output)
  }
}

private func writeFloat64(_ samples: [Float], _ count: Int, _ swapped: Bool, _ output: inout [UInt8]) {
  for index in 0..<count {
    let wide = Double(samples[index]).bitPattern
    let value = swapped ? wide.byteSwapped : wide
    put(UInt32(truncatingIfNeeded: value), index &* 8, &output)
    put(UInt32(truncatingIfNeeded: value &>> 32), index &* 8 &+ 4, &output)
  }
}
