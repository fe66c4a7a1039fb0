#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Finds by how many frames one signal is later than another.
enum Alignment {
  /// The lag of `second` behind `first`, within ±`limit`, at which the two differ least: `first[n]` then
  /// belongs to `second[n + lag]`. Of equal lags the smallest wins.
  static func lag(_ first: [Float], _ second: [Float], limit: Int) -> Int {
    let limit = min(limit, max(0, min(first.count, second.count) / 2))
    let products = correlation(first, second, limit: limit)
    let firstEnergy = runningEnergy(first)
    let secondEnergy = runningEnergy(second)
    var best = (lag: 0, error: Double.infinity)
    // Rounding of the transform: what lies within is equal.
    let noise = 1e-12
    for distance in 0...limit {
      for lag in distance == 0 ? [0] : [distance, -distance] {
        let start = max(0, -lag)
        let end = min(first.count, second.count - lag)
        guard end > start else { continue }
        let energy =
          firstEnergy[end] - firstEnergy[start] + secondEnergy[end + lag] - secondEnergy[start + lag]
        guard energy > 0 else { continue }
        let error = (energy - 2 * products[lag + limit]) / energy
        if error < best.error - noise { best = (lag, error) }
      }
    }
    return best.error < 1 ? best.lag : 0
  }

  /// Sums of the squares of everything before an index.
  private static func runningEnergy(_ samples: [Float]) -> [Double] {
    var sums = [Double](repeating: 0, count: samples.count + 1)
    for index in samples.indices {
      sums[index + 1] = sums[index] + Double(samples[index]) * Double(samples[index])
    }
    return sums
  }

  /// Σ first[n] · second[n + lag] for lags from `-limit` to `limit`.
  private static func correlation(_ first: [Float], _ second: [Float], limit: Int) -> [Double] {
    var size = 1
    while size < max(first.count, second.count) + limit + 1 { size *= 2 }
    // Both real signals in one complex transform: first in the real part, second in the imaginary one.
    var real = [Double](repeating: 0, count: size)
    var imaginary = real
    for index in first.indices { real[index] = Double(first[index]) }
    for index in second.indices { imaginary[index] = Double(second[index]) }
    transform(&real, &imaginary)
    var productReal = [Double](repeating: 0, count: size)
    var productImaginary = productReal
    for index in 0..<size {
      let mirror = (size - index) % size
      let firstReal = (real[index] + real[mirror]) / 2
      let firstImaginary = (imaginary[index] - imaginary[mirror]) / 2
      let secondReal = (imaginary[index] + imaginary[mirror]) / 2
      let secondImaginary = (real[mirror] - real[index]) / 2
      // conj(first) · second, conjugated for an inverse by a forward transform.
      productReal[index] = firstReal * secondReal + firstImaginary * secondImaginary
      productImaginary[index] = firstImaginary * secondReal - firstReal * secondImaginary
    }
    transform(&productReal, &productImaginary)
    return (-limit...limit).map { productReal[($0 + size) % size] / Double(size) }
  }

  /// A Fourier transform in place, radix 2; the size is a power of two.
  private static func transform(_ real: inout [Double], _ imaginary: inout [Double]) {
    let size = real.count
    var reversed = 0
    for index in 1..<max(1, size) {
      var bit = size >> 1
      while reversed & bit != 0 {
        reversed ^= bit
        bit >>= 1
      }
      reversed |= bit
      if index < reversed {
        real.swapAt(index, reversed)
        imaginary.swapAt(index, reversed)
      }
    }
    let cosines = (0..<max(1, size / 2)).map { cos(2 * .pi * Double($0) / Double(size)) }
    let sines = (0..<max(1, size / 2)).map { -sin(2 * .pi * Double($0) / Double(size)) }
    var half = 1
    while half < size {
      let step = size / (2 * half)
      var start = 0
      while start < size {
        for index in 0..<half {
          let (upper, lower) = (start + index, start + index + half)
          let (c, s) = (cosines[index * step], sines[index * step])
          let x = real[lower] * c - imaginary[lower] * s
          let y = real[lower] * s + imaginary[lower] * c
          real[lower] = real[upper] - x
          imaginary[lower] = imaginary[upper] - y
          real[upper] += x
          imaginary[upper] += y
        }
        start += 2 * half
      }
      half *= 2
    }
  }
}
