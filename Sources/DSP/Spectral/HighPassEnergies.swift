/// Energies of a sound's eighths behind a high-pass filter of first order (corner near a tenth of the
/// sampling rate): y[n] = ¾·(x[n] − x[n−1]) + ½·y[n−1].
public struct HighPassEnergies: Sendable {
  /// The last eight outputs.
  private var last = SIMD8<Float>(repeating: 0)

  public init() {}

  /// Takes the `count` samples (a multiple of 64) at `start`, which follow those of the call before; the
  /// eight in front of them are read again.
  public mutating func next(_ samples: [Float], at start: Int, count: Int) -> SIMD8<Float> {
    precondition(start >= 8 && count & 63 == 0, "eighths of whole registers")
    var result = SIMD8<Float>(repeating: 0)
    var outputs = last
    SpectralKernels.reading(samples, start - 8..<start + count) { x in
      let length = count / 8
      for part in 0..<8 {
        var energy = Lanes8(repeating: 0)
        var next = x + (8 + part * length)
        let end = next + length
        while next < end {
          outputs = Lanes.multiplyAdd(
            outputs, Lanes8(repeating: 1.0 / 256), Self.response(next))
          energy = Lanes.multiplyAdd(outputs, outputs, energy)
          next += 8
        }
        result[part] = sum(energy)
      }
    }
    last = outputs
    return result
  }

  /// The filter's output without what came out eight samples before.
  @inline(__always)
  private static func response(_ x: UnsafePointer<Float>) -> Lanes8 {
    var near = load(x) * Lanes8(repeating: 0.75)
    near = Lanes.negativeMultiplyAdd(load(x - 1), Lanes8(repeating: 0.375), near)
    near = Lanes.negativeMultiplyAdd(load(x - 2), Lanes8(repeating: 0.187_5), near)
    near = Lanes.negativeMultiplyAdd(load(x - 3), Lanes8(repeating: 0.093_75), near)
    var far = load(x - 4) * Lanes8(repeating: 0.046_875)
    far = Lanes.multiplyAdd(load(x - 5), Lanes8(repeating: 0.023_437_5), far)
    far = Lanes.multiplyAdd(load(x - 6), Lanes8(repeating: 0.011_718_75), far)
    far = Lanes.multiplyAdd(load(x - 7), Lanes8(repeating: 0.005_859_375), far)
    far = Lanes.multiplyAdd(load(x - 8), Lanes8(repeating: 0.005_859_375), far)
    return near - far
  }
}
