/// Turns `Float` samples into integers: full scale ±1 becomes ±2^(bits-1), rounded to the nearest integer
/// (halves to even, so without bias) and limited to what fits. NaN becomes 0.
///
/// Keeps the count of what was limited and the state of the dither.
public struct SampleQuantizer: Sendable {
  /// Samples so far whose rounded value did not fit the integers.
  public private(set) var clippedCount: Int = 0
  /// Triangular dither of ±1 step peak, which makes the rounding error independent of the signal.
  public let dither: Bool
  private var random: UInt64

  /// `seed` sets the dither noise; equal seeds give equal output.
  public init(dither: Bool = false, seed: UInt64 = 0x9E37_79B9_7F4A_7C15) {
    self.dither = dither
    random = seed | 1
  }

  /// Writes frames of `buffer` as interleaved 16-bit integers to the start of `output`, which grows where
  /// it is too short.
  public mutating func quantize(
    _ buffer: PCMBuffer, _ frames: Range<Int>, into output: inout [Int16]
  ) {
    let stride = buffer.channelCount
    precondition(frames.lowerBound >= 0 && frames.upperBound <= buffer.frameCount, "frames of the buffer")
    grow(&output, to: frames.count * stride, filler: 0)
    for channel in 0..<stride {
      let samples = buffer.channels[channel]
      if dither {
        clippedCount += ditherTo16(samples, frames, channel, stride, &random, &output)
      } else {
        clippedCount += roundTo16(samples, frames, channel, stride, &output)
      }
    }
  }

  /// Writes frames of `buffer` as interleaved integers of `bits` (2…32) bits, shifted left by `shift`, to
  /// the start of `output`, which grows where it is too short. `bits + shift` must not pass 32.
  public mutating func quantize(
    _ buffer: PCMBuffer, _ frames: Range<Int>, bits: Int, shift: Int = 0, into output: inout [Int32]
  ) {
    let stride = buffer.channelCount
    precondition((2...32).contains(bits) && shift >= 0 && bits + shift <= 32, "bits of an Int32")
    precondition(frames.lowerBound >= 0 && frames.upperBound <= buffer.frameCount, "frames of the buffer")
    grow(&output, to: frames.count * stride, filler: 0)
    let scale = Double(UInt32(1) << UInt32(bits - 1))
    for channel in 0..<stride {
      let samples = buffer.channels[channel]
      if dither {
        clippedCount += ditherTo32(samples, frames, channel, stride, scale, shift, &random, &output)
      } else {
        clippedCount += roundTo32(samples, frames, channel, stride, scale, shift, &output)
      }
    }
  }
}

/// Adding 1.5 · 2^23 to a `Float` below 2^22 leaves its rounded integer in the low bits.
private let floatRounder: Float = 12_582_912
private let floatRounderBits: UInt32 = 0x4B40_0000
/// The same for a `Double`, 1.5 · 2^52.
private let doubleRounder: Double = 6_755_399_441_055_744
private let doubleRounderBits: UInt64 = 0x4338_0000_0000_0000

/// Returns how many samples were limited.
private func roundTo16(
  _ samples: [Float], _ frames: Range<Int>, _ first: Int, _ stride: Int, _ output: inout [Int16]
) -> Int {
  var clipped = 0
  var index = first
  for frame in frames {
    let scaled = samples[frame] * 32768
    let number = scaled == scaled ? scaled : 0
    clipped &+= number >= 32767.5 || number < -32768.5 ? 1 : 0
    let upper = number < 32767 ? number : 32767
    let limited = upper > -32768 ? upper : -32768
    output[index] = Int16(truncatingIfNeeded: (limited + floatRounder).bitPattern &- floatRounderBits)
    index &+= stride
  }
  return clipped
}

private func roundTo32(
  _ samples: [Float], _ frames: Range<Int>, _ first: Int, _ stride: Int, _ scale: Double, _ shift: Int,
  _ output: inout [Int32]
) -> Int {
  let top = scale - 1
  let bottom = -scale
  var clipped = 0
  var index = first
  for frame in frames {
    let scaled = Double(samples[frame]) * scale
    let number = scaled == scaled ? scaled : 0
    clipped &+= number >= top + 0.5 || number < bottom - 0.5 ? 1 : 0
    let upper = number < top ? number : top
    let limited = upper > bottom ? upper : bottom
    let bits = (limited + doubleRounder).bitPattern &- doubleRounderBits
    output[index] = Int32(truncatingIfNeeded: bits) &<< Int32(truncatingIfNeeded: shift)
    index &+= stride
  }
  return clipped
}

/// The next value of a 64-bit xorshift generator.
@inline(__always)
private func next(_ state: inout UInt64) -> UInt64 {
  state ^= state &<< 13
  state ^= state &>> 7
  state ^= state &<< 17
  return state
}

/// The sum of two even distributions: a triangle from -1 to 1.
@inline(__always)
private func triangle(_ state: inout UInt64) -> Double {
  let bits = next(&state)
  let low = Double(UInt32(truncatingIfNeeded: bits))
  let high = Double(UInt32(truncatingIfNeeded: bits &>> 32))
  return (low - high) * 0x1p-32
}

private func ditherTo16(
  _ samples: [Float], _ frames: Range<Int>, _ first: Int, _ stride: Int, _ random: inout UInt64,
  _ output: inout [Int16]
) -> Int {
  var clipped = 0
  var index = first
  for frame in frames {
    let value = rounded(Double(samples[frame]) * 32768 + triangle(&random), 32768, &clipped)
    output[index] = Int16(truncatingIfNeeded: value)
    index &+= stride
  }
  return clipped
}

private func ditherTo32(
  _ samples: [Float], _ frames: Range<Int>, _ first: Int, _ stride: Int, _ scale: Double, _ shift: Int,
  _ random: inout UInt64, _ output: inout [Int32]
) -> Int {
  var clipped = 0
  var index = first
  for frame in frames {
    let value = rounded(Double(samples[frame]) * scale + triangle(&random), scale, &clipped)
    output[index] = Int32(truncatingIfNeeded: value) &<< Int32(truncatingIfNeeded: shift)
    index &+= stride
  }
  return clipped
}

@inline(__always)
private func rounded(_ scaled: Double, _ scale: Double, _ clipped: inout Int) -> UInt64 {
  let number = scaled == scaled ? scaled : 0
  clipped &+= number >= scale - 0.5 || number < -scale - 0.5 ? 1 : 0
  let upper = number < scale - 1 ? number : scale - 1
  let limited = upper > -scale ? upper : -scale
  return (limited + doubleRounder).bitPattern &- doubleRounderBits
}
