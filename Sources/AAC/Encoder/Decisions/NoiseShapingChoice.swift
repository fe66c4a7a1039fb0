import DSP

/// Temporal noise shaping in the encoder: filters where the spectrum can be predicted from line to line,
/// that is, where the sound is bunched in time inside the window (ISO/IEC 14496-3, 4.6.9).
///
/// The decoder's filter puts the noise under the sound in time, and makes it louder by what white noise
/// gains in the filter. A filter pays where the lines that are left cost fewer bits at the same price, with
/// the louder noise and the filter itself paid for.
struct NoiseShapingChoice: Sendable {
  /// A steady sound gains nothing from shaping noise in time, however well its lines can be predicted.
  static let leastBunching: Float = 3
  /// Prediction gain from which a filter is looked at.
  private static let leastGain: Float = 1.5
  private static let leastBands = 3
  private static let longOrder = 12
  private static let coefficientBits = 4
  /// Filters leave frequencies below this edge alone; a long window may have one filter on either side of
  /// the second.
  private static let lowestFrequency = 1300.0
  private static let middleFrequency = 5500.0

  /// What filters may cover in one kind of window.
  private struct Reach {
    let order: Int
    let offsets: [Int]
    let firstBand: Int
    let middleBand: Int
    let topBand: Int
    let windowLength: Int
    /// Bits of a filter besides its coefficients.
    let filterBits: Int

    init(bands: ScaleFactorBands, isShort: Bool, sampleRate: Int) {
      offsets = bands.offsets(short: isShort)
      windowLength = bands.frameLength / (isShort ? 8 : 1)
      topBand = isShort ? bands.tnsMaxBandsShort : bands.tnsMaxBandsLong
      order = isShort ? TNSData.largestOrderShort : NoiseShapingChoice.longOrder
      filterBits = isShort ? 9 : 13
      let offsets = offsets
      let linesPerHertz = Double(2 * windowLength) / Double(sampleRate)
      func band(from hertz: Double) -> Int {
        let line = Int(hertz * linesPerHertz)
        return offsets.firstIndex { $0 >= line } ?? offsets.count - 1
      }
      firstBand = band(from: NoiseShapingChoice.lowestFrequency)
      middleBand = band(from: NoiseShapingChoice.middleFrequency)
    }

    /// The filter's length field for a filter that starts at a band and reaches the top.
    func length(from band: Int) -> Int { offsets.count - 1 - band }
  }

  private struct Candidate {
    var filter = TNSData.Filter()
    /// Twice the bits that the filter saves.
    var saving: Float = 0
    /// By what noise grows in the decoder's filter.
    var loudness: Float = 1
  }

  private let long: Reach
  private let short: Reach
  private let bands: ScaleFactorBands
  private var flattened: [Float]
  private var remaining: [Float]

  init(bands: ScaleFactorBands, sampleRate: Int) {
    self.bands = bands
    long = Reach(bands: bands, isShort: false, sampleRate: sampleRate)
    short = Reach(bands: bands, isShort: true, sampleRate: sampleRate)
    flattened = [Float](repeating: 0, count: bands.frameLength)
    remaining = flattened
  }

  /// Filters `spectrum` where that pays and raises the weights of what was filtered.
  ///
  /// - Parameters:
  ///   - weights: noise-to-mask ratio of a unit of noise energy, by coded band.
  ///   - price: see `RateControl`.
  /// - Returns: the filters, if there are any.
  mutating func apply(
    to spectrum: inout [Float], weights: inout [Float], info: ICSInfo, price: Float
  ) -> TNSData? {
    let scale = RateControl.linesPerPrice / price
    let data =
      info.isShort
      ? chooseShort(spectrum, weights: &weights, info: info, scale: scale)
      : chooseLong(spectrum, weights: &weights, info: info, scale: scale)
    guard !data.filters.isEmpty else { return nil }
    TemporalNoiseShaping.analyze(data, info: info, bands: bands, in: &spectrum)
    return data
  }

  private mutating func chooseShort(
    _ spectrum: [Float], weights: inout [Float], info: ICSInfo, scale: Float
  ) -> TNSData {
    var data = TNSData()
    let lengths = info.groupLengths
    let top = min(short.topBand, info.maxBand)
    let first = min(short.firstBand, top)
    var window = 0
    for group in 0..<info.groupCount {
      let row = group * info.maxBand
      var loudness: Float = 0
      for _ in 0..<lengths[group] {
        let best = candidate(
          spectrum, window: window, row: row, weights: weights, scale: scale, reach: short,
          from: first, to: top)
        if best.saving > 0 {
          data.filters.append(best.filter)
          data.highResolution |= 1 << UInt8(window)
        }
        loudness += best.loudness
        window += 1
      }
      // Windows of a group share their scale factors.
      loudness /= Float(lengths[group])
      for band in first..<top { weights[row + band] *= loudness }
    }
    return data
  }

  private mutating func chooseLong(
    _ spectrum: [Float], weights: inout [Float], info: ICSInfo, scale: Float
  ) -> TNSData {
    let top = min(long.topBand, info.maxBand)
    let (first, middle) = (min(long.firstBand, top), min(long.middleBand, top))
    func look(_ from: Int, _ to: Int, _ choice: inout Self) -> Candidate {
      choice.candidate(
        spectrum, window: 0, row: 0, weights: weights, scale: scale, reach: choice.long, from: from,
        to: to)
    }
    let whole = look(first, top, &self)
    let high = look(middle, top, &self)
    var low = look(first, middle, &self)
    var data = TNSData()
    if whole.saving >= high.saving + low.saving {
      guard whole.saving > 0 else { return data }
      data.filters = [whole.filter]
      for band in first..<top { weights[band] *= whole.loudness }
    } else {
      // A filter of order 0 keeps the place of the bands above the lower one.
      var upper = high.filter
      upper.length = long.length(from: middle)
      data.filters = [upper]
      if low.saving > 0 {
        low.filter.length = middle - first
        data.filters.append(low.filter)
      }
      for band in first..<middle { weights[band] *= low.loudness }
      for band in middle..<top { weights[band] *= high.loudness }
    }
    data.highResolution = 1
    return data
  }

  /// The best filter for some bands of a window; a saving of 0 where none pays.
  private mutating func candidate(
    _ spectrum: [Float], window: Int, row: Int, weights: [Float], scale: Float, reach: Reach,
    from first: Int, to top: Int
  ) -> Candidate {
    guard top - first >= Self.leastBands else { return Candidate() }
    let start = window * reach.windowLength
    let range = start + reach.offsets[first]..<start + reach.offsets[top]
    for band in first..<top {
      // Lines weighed as the ear hears them: noise below the mask need not be predicted.
      let gain = weights[row + band].squareRoot()
      for line in start + reach.offsets[band]..<start + reach.offsets[band + 1] {
        flattened[line] = spectrum[line] * gain
        remaining[line] = spectrum[line]
      }
    }
    var reflections = SIMD16<Float>(repeating: 0)
    let gain = Self.predict(flattened, range: range, order: reach.order, reflections: &reflections)
    guard gain > Self.leastGain else { return Candidate() }
    var result = Candidate()
    var quantized = SIMD32<Double>(repeating: 0)
    for index in 0..<reach.order {
      let value = TemporalNoiseShaping.index(ofReflection: reflections[index])
      result.filter.coefficients[index] = Int8(truncatingIfNeeded: value)
      if value != 0 { result.filter.order = index + 1 }
      let k = TemporalNoiseShaping.reflection(value, highResolution: true)
      quantized[index] = k
      result.loudness /= Float(1 - k * k)
    }
    let order = result.filter.order
    guard order > 0 else { return Candidate() }
    result.filter.window = window
    result.filter.length = reach.length(from: first)
    TemporalNoiseShaping.analyze(
      &remaining, range, coefficients: TemporalNoiseShaping.directForm(quantized, order: order),
      order: order, downward: false)
    result.saving = -2 * Float(reach.filterBits + Self.coefficientBits * order)
    for band in first..<top {
      let lines = start + reach.offsets[band]..<start + reach.offsets[band + 1]
      let weight = weights[row + band] * scale
      result.saving += SpectralKernels.logSum(spectrum, range: lines, weight: weight)
      result.saving -= SpectralKernels.logSum(remaining, range: lines, weight: weight * result.loudness)
    }
    return result.saving > 0 ? result : Candidate()
  }

  /// Levinson–Durbin on the autocorrelation over lines; returns the prediction gain.
  private static func predict(
    _ lines: [Float], range: Range<Int>, order: Int, reflections: inout SIMD16<Float>
  ) -> Float {
    var correlation = SIMD16<Float>(repeating: 0)
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
    var filter = SIMD16<Float>(repeating: 0)
    for step in 1...order {
      var sum = correlation[step]
      for index in 1..<step { sum += filter[index] * correlation[step - index] }
      let k = -sum / error
      guard abs(k) < 1 else { break }
      reflections[step - 1] = k
      let previous = filter
      for index in 1..<step { filter[index] = previous[index] + k * previous[step - index] }
      filter[step] = k
      error *= 1 - k * k
    }
    return correlation[0] / max(error, 1e-9 * correlation[0])
  }
}
