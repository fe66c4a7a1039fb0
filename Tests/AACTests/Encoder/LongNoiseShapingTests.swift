import DSP
import Foundation
import PCM
import Testing

@testable import AAC

/// Noise shaping in long windows: what a filter gains, and what two of them gain over one.
struct LongNoiseShapingTests {
  /// Trains of pulses.
  static func pulses(frames: Int, period: Int, phase: Int, decay: Double, seed: UInt64) -> [Float] {
    Signal.noise(frames: frames, amplitude: 0.5, seed: seed).enumerated().map { frame, value in
      value * Float(exp(-Double((frame + phase) % period) / decay))
    }
  }

  /// Noise between the pulses, where it is heard, at the same rate: less with filters.
  @Test func noiseStaysUnderPulses() throws {
    let period = 700
    let sound = Self.pulses(frames: 60000, period: period, phase: 0, decay: 40, seed: 5)
    func between(_ tools: EncoderSettings.Tools) throws -> (decibels: Double, shaped: Int) {
      let (packets, settings) = try EncoderToolTests.encodeMono(sound, .constant(64000), without: tools)
      let decoded = try decode(packets, settings)[0]
      var energy = 1e-12
      for frame in 4096..<55000 where frame % period >= 300 {
        let noise = Double(decoded[frame] - sound[frame])
        energy += noise * noise
      }
      let streams = try EncoderToolTests.streams(packets)
      return (10 * log10(energy), streams.count { !$0.info.isShort && $0.tns != nil })
    }
    let others: EncoderSettings.Tools = [.shortBlocks, .noiseSubstitution]
    let with = try between(others)
    let without = try between(others.union(.temporalNoiseShaping))
    #expect(with.shaped > 40 && without.shaped == 0, "\(with) and \(without)")
    #expect(with.decibels < without.decibels - 2, "\(with) and \(without)")
  }

  /// Low lines of some clicks, or of noise, under high lines of others: each part has a filter of its own,
  /// and both together leave fewer bits than the best filter over the whole.
  @Test(arguments: [true, false]) func partsHaveFiltersOfTheirOwn(lowIsPulsed: Bool) throws {
    let bands = ScaleFactorBands.at(44100)
    let filterbank = AnalysisFilterbank(frameLength: 1024)
    func spectrum(_ sound: [Float]) -> [Float] {
      var lines = [Float](repeating: 0, count: 1024)
      filterbank.analyze(
        sound, at: 0, sequence: .onlyLong, shape: .sine, previousShape: .sine, into: &lines)
      return lines
    }
    func clicks(at frames: [Int]) -> [Float] { (0..<2048).map { frames.contains($0) ? 0.5 : 0 } }
    let high = spectrum(clicks(at: [220, 560, 700, 1220, 1500]))
    let low = spectrum(
      lowIsPulsed
        ? clicks(at: [430]).map { 6 * $0 }
        : Signal.noise(frames: 2048, amplitude: 0.05, seed: 62))
    let line = Int(5500.0 * 2048 / 44100)
    let middle = bands.long.firstIndex { $0 >= line } ?? 0
    let sound = Array(low[..<bands.long[middle]] + high[bands.long[middle]...])
    var info = ICSInfo()
    info.maxBand = bands.longCount
    // Noise two octaves of power under the lines, as at usual rates.
    let price: Float = 0.01
    let power = SpectralKernels.energy(sound, range: 0..<1024) / 1024
    let weight = 4 / power * price / RateControl.linesPerPrice
    let even = [Float](repeating: weight, count: ChannelStream.bandCapacity)
    var remaining = sound
    var weights = even
    var choice = NoiseShapingChoice(bands: bands, sampleRate: 44100)
    let data = try #require(
      choice.apply(to: &remaining, weights: &weights, info: info, price: price))
    #expect(data.filters.first?.length == bands.longCount - middle)
    #expect(data.filters.count == (lowIsPulsed ? 2 : 1))

    let top = min(bands.tnsMaxBandsLong, bands.longCount)
    let first = bands.long.firstIndex { $0 >= Int(1300.0 * 2048 / 44100) } ?? 0
    func bits(_ lines: [Float], _ weights: [Float]) -> Float {
      (first..<top).reduce(0) { sum, band in
        sum
          + SpectralKernels.logSum(
            lines, range: bands.long[band]..<bands.long[band + 1],
            weight: weights[band] * RateControl.linesPerPrice / price)
      } / 2
    }
    let whole = Self.filter(sound, bands.long[first]..<bands.long[top], order: 12)
    var wholeWeights = even
    for band in first..<top { wholeWeights[band] *= whole.loudness }
    let none = bits(sound, even)
    let one = min(bits(whole.remaining, wholeWeights) + 13 + 4 * 12, none)
    let coefficients = data.filters.reduce(0) { $0 + $1.order }
    let two = bits(remaining, weights) + Float(13 * data.filters.count + 4 * coefficients)
    #expect(two < one - 30, "\(none) without, \(one) with one filter, \(two) with two")
    // The decoder's filters give the lines back.
    var restored = remaining
    TemporalNoiseShaping.synthesize(data, info: info, bands: bands, in: &restored)
    let error = zip(restored, sound).map { abs($0 - $1) }.max() ?? 0
    #expect(error < 1e-3 * (sound.map(abs).max() ?? 0))
  }

  /// The prediction error of one filter (autocorrelation, coefficients as fine as a stream's), and by what white noise
  /// grows in its inverse.
  private static func filter(
    _ lines: [Float], _ range: Range<Int>, order: Int
  ) -> (remaining: [Float], loudness: Float) {
    let x = lines[range].map(Double.init)
    let correlation = (0...order).map { lag in
      (lag..<x.count).reduce(0.0) { $0 + x[$1] * x[$1 - lag] }
    }
    var error = correlation[0] * 1.0001
    var a = [Double](repeating: 0, count: order + 1)
    var reflections = SIMD32<Double>(repeating: 0)
    var loudness = 1.0
    a[0] = 1
    for step in 1...order {
      let sum = (0..<step).reduce(0.0) { $0 + a[$1] * correlation[step - $1] }
      let k = -sum / error
      let before = a
      for index in 1...step { a[index] = before[index] + k * before[step - index] }
      error *= 1 - k * k
      let coded = TemporalNoiseShaping.reflection(
        TemporalNoiseShaping.index(ofReflection: Float(k)), highResolution: true)
      reflections[step - 1] = coded
      loudness /= 1 - coded * coded
    }
    var remaining = lines
    TemporalNoiseShaping.analyze(
      &remaining, range, coefficients: TemporalNoiseShaping.directForm(reflections, order: order),
      order: order, downward: false)
    return (remaining, Float(loudness))
  }
}
