import DSP

@testable import AAC

/// Mean powers of 64 bands of equal width.
enum PowerMeter {
  static func bands(_ samples: [Float]) -> [Double] {
    let transform = RealFFT(size: 1024)
    let window = (0..<1024).map { 1 - abs(Float($0) - 511.5) / 512 }
    var powers = [Double](repeating: 0, count: 64)
    var block = [Float](repeating: 0, count: 1024)
    var spectrum = [Float](repeating: 0, count: 513)
    var start = 0
    while start + 1024 <= samples.count {
      for index in 0..<1024 { block[index] = samples[start + index] * window[index] }
      transform.powerSpectrum(block, into: &spectrum)
      for bin in 0..<512 { powers[bin / 8] += Double(spectrum[bin]) }
      start += 1024
    }
    return powers.map { $0 / Double(max(1, start / 1024)) }
  }
}
