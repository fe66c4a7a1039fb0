import AACKit
import PCM

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A picture of a sound: time to the right, frequency upwards, brightness in dB.
enum Spectrogram {
  static let width = 1000
  static let height = 256

  /// Rows of palette indices 0…255, the highest frequency first.
  static func draw(_ sound: PCMBuffer) -> [[UInt8]] {
    let size = height * 2
    var rows = [[UInt8]](repeating: [UInt8](repeating: 0, count: width), count: height)
    guard sound.frameCount > size else { return rows }
    let window = (0..<size).map { Float(0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(size))) }
    let turns = (0..<size).map { index in
      let angle = -2 * .pi * Double(index) / Double(size)
      return (cosine: Float(cos(angle)), sine: Float(sin(angle)))
    }
    for column in 0..<width {
      let start = column * (sound.frameCount - size) / (width - 1)
      var real = [Float](repeating: 0, count: size)
      for index in 0..<size {
        for channel in sound.channels { real[index] += channel[start + index] * window[index] }
      }
      let spectrum = transform(real, [Float](repeating: 0, count: size), turns, 1)
      for row in 0..<height {
        let bin = height - 1 - row
        let (x, y) = (spectrum.real[bin], spectrum.imaginary[bin])
        let level = 10 * log10((x * x + y * y) / Float(size * size / 16) + 1e-12)
        rows[row][column] = UInt8(max(0, min(255, (level + 100) * 2.55)))
      }
    }
    return rows
  }

  /// Fourier transform of every `step`th value, by halves.
  private static func transform(
    _ real: [Float], _ imaginary: [Float], _ turns: [(cosine: Float, sine: Float)], _ step: Int
  ) -> (real: [Float], imaginary: [Float]) {
    let size = real.count
    guard size > 1 else { return (real, imaginary) }
    func half(_ values: [Float], _ first: Int) -> [Float] {
      stride(from: first, to: size, by: 2).map { values[$0] }
    }
    let even = transform(half(real, 0), half(imaginary, 0), turns, step * 2)
    let odd = transform(half(real, 1), half(imaginary, 1), turns, step * 2)
    var result = (real: real, imaginary: imaginary)
    for index in 0..<size / 2 {
      let turn = turns[index * step]
      let x = odd.real[index] * turn.cosine - odd.imaginary[index] * turn.sine
      let y = odd.real[index] * turn.sine + odd.imaginary[index] * turn.cosine
      result.real[index] = even.real[index] + x
      result.imaginary[index] = even.imaginary[index] + y
      result.real[index + size / 2] = even.real[index] - x
      result.imaginary[index + size / 2] = even.imaginary[index] - y
    }
    return result
  }
}
