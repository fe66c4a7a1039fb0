#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Peak and effective level of each channel over everything that was added since the last reset.
public struct LevelMeter: Sendable, Equatable {
  /// The largest magnitude of each channel; 1 is full scale.
  public private(set) var peaks: [Float]
  public private(set) var frameCount: Int = 0
  private var sums: [Double]

  public init(channelCount: Int) {
    peaks = [Float](repeating: 0, count: channelCount)
    sums = [Double](repeating: 0, count: channelCount)
  }

  /// Adds all frames of `buffer`. Channels beyond the meter's own are left out; NaN counts as silence.
  public mutating func add(_ buffer: PCMBuffer) {
    for channel in 0..<min(peaks.count, buffer.channelCount) {
      let (peak, sum) = measure(buffer.channels[channel], buffer.frameCount)
      peaks[channel] = max(peaks[channel], peak)
      sums[channel] += sum
    }
    frameCount += buffer.frameCount
  }

  /// Root of the mean square of a channel, 0 before the first frame.
  public func rms(_ channel: Int) -> Float {
    frameCount == 0 ? 0 : Float((sums[channel] / Double(frameCount)).squareRoot())
  }

  public mutating func reset() { self = LevelMeter(channelCount: peaks.count) }

  /// A level in dB of full scale; `-infinity` for silence.
  public static func decibels(_ level: Float) -> Float { level > 0 ? 20 * log10(level) : -.infinity }
}

/// Four running sums, so that additions do not wait for each other.
private func measure(_ samples: [Float], _ count: Int) -> (peak: Float, sum: Double) {
  var peak = SIMD4<Float>()
  var sum = SIMD4<Double>()
  var index = 0
  while index &+ 4 <= count {
    let raw = SIMD4(samples[index], samples[index &+ 1], samples[index &+ 2], samples[index &+ 3])
    let value = raw.replacing(with: 0, where: raw .!= raw)
    let negated = 0 - value
    peak.replace(with: value, where: value .> peak)
    peak.replace(with: negated, where: negated .> peak)
    let wide = SIMD4<Double>(value)
    sum += wide * wide
    index &+= 4
  }
  while index < count {
    let value = samples[index] == samples[index] ? samples[index] : 0
    peak[0] = max(peak[0], value.magnitude)
    sum[0] += Double(value) * Double(value)
    index &+= 1
  }
  return (peak.max(), sum.sum())
}
