/// One channel out of interleaved samples.
public enum SampleKernels {
  /// target[i] = x[channel + i·stride]·2⁻¹⁵ for `frames` values: full scale becomes ±1.
  public static func deinterleave(
    _ x: [Int16], channel: Int, of stride: Int, frames: Int, into target: inout [Float]
  ) {
    check(channel, stride, frames, x.count)
    SpectralKernels.writing(&target, 0, frames) { target in
      x.withUnsafeBufferPointer { x in
        guard let x = x.baseAddress else { return }
        let scale = Lanes8(repeating: 0x1p-15)
        var frame = 0
        if stride == 1 {
          while frame &+ 8 <= frames {
            store(Lanes.floats(load(x + frame)) * scale, target + frame)
            frame &+= 8
          }
        } else if stride == 2 {
          while frame &+ 8 <= frames {
            let place = UnsafeRawPointer(x + 2 &* frame)
            let pairs = place.loadUnaligned(as: SIMD16<Int16>.self)
            let values = channel == 0 ? pairs.evenHalf : pairs.oddHalf
            store(Lanes.floats(values) * scale, target + frame)
            frame &+= 8
          }
        }
        while frame < frames {
          target[frame] = Float(x[channel &+ frame &* stride]) * 0x1p-15
          frame &+= 1
        }
      }
    }
  }

  /// target[i] = x[channel + i·stride] for `frames` values.
  public static func deinterleave(
    _ x: [Float], channel: Int, of stride: Int, frames: Int, into target: inout [Float]
  ) {
    check(channel, stride, frames, x.count)
    SpectralKernels.writing(&target, 0, frames) { target in
      x.withUnsafeBufferPointer { x in
        guard let x = x.baseAddress else { return }
        var frame = 0
        if stride == 2 {
          while frame &+ 8 <= frames {
            let (low, high) = (load(x + 2 &* frame), load(x + (2 &* frame &+ 8)))
            store(channel == 0 ? Lanes.evens(low, high) : Lanes.odds(low, high), target + frame)
            frame &+= 8
          }
        }
        while frame < frames {
          target[frame] = x[channel &+ frame &* stride]
          frame &+= 1
        }
      }
    }
  }

  private static func check(_ channel: Int, _ stride: Int, _ frames: Int, _ count: Int) {
    precondition(
      channel >= 0 && channel < stride && frames >= 0 && frames <= count / stride, "samples for every frame")
  }
}
