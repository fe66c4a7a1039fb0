#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Finds by how many frames one signal is later than another.
enum Alignment {
  /// The lag of `second` behind `first`, within ±`limit`, at which the two differ least: `first[n]` then
  /// belongs to `second[n + lag]`. Of lags that fit about equally well, as in periodic sounds, the smallest
  /// wins.
  static func lag(_ first: [[Float]], _ second: [[Float]], limit: Int) -> Int {
    let firstCount = first.first?.count ?? 0
    let secondCount = second.first?.count ?? 0
    // All lags are judged by one stretch of the first signal, which has its counterpart at each of them.
    let start = min(limit, firstCount / 4)
    let middle = start + (firstCount - start) / 2
    let end = min(firstCount, max(secondCount - limit, middle))
    let largest = min(limit, secondCount - end)
    guard end > start, largest >= -start else { return 0 }
    let products = correlation(first, start..<end, second, -start...largest)
    let energies = runningEnergy(second)
    let energy = runningEnergy(first)
    let own = energy[end] - energy[start]
    let errors = (-start...largest).map { lag in
      let both = own + energies[end + lag] - energies[start + lag]
      return both > 0 ? (both - 2 * products[lag + start]) / both : 1
    }
    guard let least = errors.min(), least < 1 else { return 0 }
    let bound = least * 1.05 + 1e-4
    let candidates = errors.indices.filter { index in
      let before = index > 0 ? errors[index - 1] : .infinity
      let after = index + 1 < errors.count ? errors[index + 1] : .infinity
      return errors[index] <= bound && errors[index] <= before && errors[index] <= after
    }
    return candidates.map { $0 - start }.min { abs($0) < abs($1) } ?? 0
  }

  /// Sums of the squares of everything before an index, over all channels.
  private static func runningEnergy(_ channels: [[Float]]) -> [Double] {
    var sums = [Double](repeating: 0, count: (channels.first?.count ?? 0) + 1)
    for samples in channels {
      for index in samples.indices { sums[index + 1] += Double(samples[index]) * Double(samples[index]) }
    }
    for index in sums.indices.dropFirst() { sums[index] += sums[index - 1] }
    return sums
  }

  /// Σ first[n] · second[n + lag] over n of `range` and all channels, for each lag of `lags`.
  private static func correlation(
    _ first: [[Float]], _ range: Range<Int>, _ second: [[Float]], _ lags: ClosedRange<Int>
  ) -> [Double] {
    let longest = max(first.first?.count ?? 0, second.first?.count ?? 0)
    var size = 1
    while size < longest + max(-lags.lowerBound, lags.upperBound) + 1 { size *= 2 }
    var productReal = [Double](repeating: 0, count: size)
    var productImaginary = productReal
    for (first, second) in zip(first, second) {
      // Both real signals in one complex transform: first in the real part, second in the imaginary one.
      var real = [Double](repeating: 0, count: size)
      var imaginary = real
      for index in range { real[index] = Double(first[index]) }
      for index in second.indices { imaginary[index] = Double(second[index]) }
      transform(&real, &imaginary)
      for index in 0..<size {
        let mirror = (size - index) % size
        let firstReal = (real[index] + real[mirror]) / 2
        let firstImaginary = (imaginary[index] - imaginary[mirror]) / 2
        let secondReal = (imaginary[index] + imaginary[mirror]) / 2
        let secondImaginary = (real[mirror] - real[index]) / 2
        // conj(first) · second, conjugated for an inverse by a forward transform.
        productReal[index] += firstReal * secondReal + firstImaginary * secondImaginary
        productImaginary[index] += firstImaginary * secondReal - firstReal * secondImaginary
      }
    }
    transform(&productReal, &productImaginary)
    return lags.map { productReal[($0 + size) % size] / Double(size) }
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
