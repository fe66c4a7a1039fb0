import Foundation

/// A sine's frequency, level and the ratio of it to all else in dB, by a least-squares fit.
public func fit(_ samples: [Float], rate: Double, near frequency: Double) -> (
  frequency: Double, amplitude: Double, ratio: Double
) {
  func parts(_ range: Range<Int>, _ frequency: Double) -> (cosine: Double, sine: Double) {
    var (cosine, sine) = (0.0, 0.0)
    for index in range {
      let angle = 2 * .pi * frequency * Double(index) / rate
      // A window keeps the ends of the stretch out of it.
      let window = 1 - cos(2 * .pi * (Double(index - range.lowerBound) + 0.5) / Double(range.count))
      cosine += Double(samples[index]) * cos(angle) * window
      sine += Double(samples[index]) * sin(angle) * window
    }
    return (2 * cosine / Double(range.count), 2 * sine / Double(range.count))
  }
  let half = samples.count / 2
  var frequency = frequency
  for _ in 0..<3 {
    let (first, second) = (parts(0..<half, frequency), parts(half..<2 * half, frequency))
    var turn = atan2(-second.sine, second.cosine) - atan2(-first.sine, first.cosine)
    turn -= 2 * .pi * (turn / (2 * .pi)).rounded()
    frequency += turn / (2 * .pi) * rate / Double(half)
  }
  let (cosine, sine) = parts(0..<2 * half, frequency)
  var rest = 0.0
  for index in 0..<2 * half {
    let angle = 2 * .pi * frequency * Double(index) / rate
    let error = Double(samples[index]) - cosine * cos(angle) - sine * Foundation.sin(angle)
    rest += error * error
  }
  let power = cosine * cosine + sine * sine
  return (frequency, power.squareRoot(), 10 * log10(power / 2 / max(rest / Double(2 * half), 1e-30)))
}
