import DSP

/// Temporal noise shaping in the encoder: a filter where the spectrum can be predicted from line to line,
/// that is, where the sound is bunched in time inside the window (ISO/IEC 14496-3, 4.6.9).
struct NoiseShapingChoice: Sendable {
  private static let order = 8
  /// A steady sound gains nothing from shaping noise in time, however well its lines can be predicted.
  static let leastBunching: Float = 3
  /// Prediction gain from which a filter pays.
  private static let leastGain: Float = 1.5
  /// The filter leaves frequencies below this edge alone.
  private static let lowestFrequency = 1300.0

  private let firstBand: Int
  private let topBand: Int
  private let bandCount: Int
  private let offsets: [Int]
  private var flattened: [Float]

  init(bands: ScaleFactorBands, sampleRate: Int, maxBand: Int) {
    offsets = bands.long
    bandCount = bands.longCount
    topBand = min(maxBand, bands.tnsMaxBandsLong)
    let line = Int(Self.lowestFrequency * Double(2 * bands.frameLength) / Double(sampleRate))
    firstBand = bands.long.firstIndex { $0 >= line } ?? 0
    flattened = [Float](repeating: 0, count: bands.frameLength)
  }

  /// The filter for a long window's spectrum, if one pays.
  mutating func choose(for spectrum: [Float], weights: [Float]) -> TNSData? {
    guard topBand - firstBand >= 4 else { return nil }
    let range = offsets[firstBand]..<offsets[topBand]
    for band in firstBand..<topBand {
      // Lines weighed as the ear hears them: noise below the mask need not be predicted.
      let gain = weights[band].squareRoot()
      for line in offsets[band]..<offsets[band + 1] { flattened[line] = spectrum[line] * gain }
    }
    var reflection = [Float](repeating: 0, count: Self.order)
    let gain = Self.predict(flattened, range: range, reflection: &reflection)
    guard gain > Self.leastGain else { return nil }
    var filter = TNSData.Filter()
    filter.length = bandCount - firstBand
    for index in 0..<Self.order {
      let value = TemporalNoiseShaping.index(ofReflection: reflection[index])
      filter.coefficients[index] = Int8(truncatingIfNeeded: value)
      if value != 0 { filter.order = index + 1 }
    }
    guard filter.order > 0 else { return nil }
    return TNSData(highResolution: 1, filters: [filter])
  }

  /// Levinson–Durbin on the autocorrelation over lines; returns the prediction gain.
  private static func predict(
    _ lines: [Float], range: Range<Int>, reflection: inout [Float]
  ) -> Float {
    var correlation = [Float](repeating: 0, count: order + 1)
    for lag in 0...order {
      correlation[lag] = SpectralKernels.correlation(lines, range: range, lag: lag)
    }
    guard correlation[0] > 0 else { return 1 }
    // A little white noise and a lag window keep the filter tame.
    correlation[0] *= 1.000_1
    for lag in 1...order {
      let x = 0.02 * Float(lag)
      correlation[lag] *= 1 - x * x
    }
    var error = correlation[0]
    var filter = [Float](repeating: 0, count: order + 1)
    var previous = filter
    for step in 1...order {
      var sum = correlation[step]
      for index in 1..<step { sum += filter[index] * correlation[step - index] }
      let k = -sum / error
      guard abs(k) < 1 else { break }
      reflection[step - 1] = k
      previous = filter
      for index in 1..<step { filter[index] = previous[index] + k * previous[step - index] }
      filter[step] = k
      error *= 1 - k * k
    }
    return correlation[0] / max(error, 1e-9 * correlation[0])
  }
}
