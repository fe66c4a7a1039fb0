extension SampleFormat {
  /// Fills `buffer` with `frames` frames of interleaved samples that stand at the start of `bytes`, which
  /// must hold them. The buffer's format says how many channels there are.
  public func decode(_ bytes: [UInt8], frames: Int, into buffer: inout PCMBuffer) {
    let stride = buffer.channelCount
    let size = bytesPerSample
    precondition(frames >= 0 && bytes.count >= frames * stride * size, "bytes for every frame")
    buffer.resize(to: frames, format: buffer.format)
    for channel in 0..<stride {
      read(bytes, from: channel * size, by: stride * size, frames, into: &buffer.channels[channel])
    }
  }

  private func read(
    _ bytes: [UInt8], from first: Int, by step: Int, _ frames: Int, into output: inout [Float]
  ) {
    switch self {
    case .u8: readUnsigned8(bytes, first, step, frames, &output)
    case .s16le: readSigned16(bytes, first, step, frames, 0, 1, &output)
    case .s16be: readSigned16(bytes, first, step, frames, 1, 0, &output)
    case .s24le: readSigned24(bytes, first, step, frames, 0, 2, &output)
    case .s24be: readSigned24(bytes, first, step, frames, 2, 0, &output)
    case .s32le, .s32be: readSigned32(bytes, first, step, frames, isBigEndian, &output)
    case .f32le, .f32be: readFloat32(bytes, first, step, frames, isBigEndian, &output)
    case .f64le, .f64be: readFloat64(bytes, first, step, frames, isBigEndian, &output)
    }
  }
}

private func readUnsigned8(
  _ bytes: [UInt8], _ first: Int, _ step: Int, _ frames: Int, _ output: inout [Float]
) {
  var index = first
  for frame in 0..<frames {
    output[frame] = (Float(bytes[index]) - 128) * 0x1p-7
    index &+= step
  }
}

/// `low` and `high` are the places of the bytes within the sample.
private func readSigned16(
  _ bytes: [UInt8], _ first: Int, _ step: Int, _ frames: Int, _ low: Int, _ high: Int,
  _ output: inout [Float]
) {
  var index = first
  for frame in 0..<frames {
    let value = UInt16(bytes[index &+ low]) | UInt16(bytes[index &+ high]) &<< 8
    output[frame] = Float(Int16(truncatingIfNeeded: value)) * 0x1p-15
    index &+= step
  }
}

private func readSigned24(
  _ bytes: [UInt8], _ first: Int, _ step: Int, _ frames: Int, _ low: Int, _ high: Int,
  _ output: inout [Float]
) {
  var index = first
  for frame in 0..<frames {
    let value =
      UInt32(bytes[index &+ low]) &<< 8 | UInt32(bytes[index &+ 1]) &<< 16
      | UInt32(bytes[index &+ high]) &<< 24
    output[frame] = Float(Int32(truncatingIfNeeded: value)) * 0x1p-31
    index &+= step
  }
}

@inline(__always)
private func word(_ bytes: [UInt8], _ index: Int) -> UInt32 {
  UInt32(bytes[index]) | UInt32(bytes[index &+ 1]) &<< 8 | UInt32(bytes[index &+ 2]) &<< 16
    | UInt32(bytes[index &+ 3]) &<< 24
}

private func readSigned32(
  _ bytes: [UInt8], _ first: Int, _ step: Int, _ frames: Int, _ swapped: Bool, _ output: inout [Float]
) {
  var index = first
  for frame in 0..<frames {
    let value = word(bytes, index)
    output[frame] = Float(Int32(truncatingIfNeeded: swapped ? value.byteSwapped : value)) * 0x1p-31
    index &+= step
  }
}

private func readFloat32(
  _ bytes: [UInt8], _ first: Int, _ step: Int, _ frames: Int, _ swapped: Bool, _ output: inout [Float]
) {
  var index = first
  for frame in 0..<frames {
    let value = word(bytes, index)
    output[frame] = Float(bitPattern: swapped ? value.byteSwapped : value)
    index &+= step
  }
}

private func readFloat64(
  _ bytes: [UInt8], _ first: Int, _ step: Int, _ frames: Int, _ swapped: Bool, _ output: inout [Float]
) {
  var index = first
  for frame in 0..<frames {
    let value = UInt64(word(bytes, index)) | UInt64(word(bytes, index &+ 4)) &<< 32
    output[frame] = Float(Double(bitPattern: swapped ? value.byteSwapped : value))
    index &+= step
  }
}
