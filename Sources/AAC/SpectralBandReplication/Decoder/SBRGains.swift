/// The gains of one envelope's QMF bands, limited and compensated (4.6.18.7.2 to 4.6.18.7.5).
struct SBRGains: Sendable {
  /// Room for 64 bands and what kernels touch behind them.
  static let room = 72

  // By QMF band, counted from the first replicated one.
  var original = [Float](repeating: 0, count: room)  // E_OrigMapped
  var noise = [Float](repeating: 0, count: room)  // Q_Mapped
  var current = [Float](repeating: 0, count: room)  // E_Curr
  /// A sinusoid in this band; a sinusoid in the scale factor band.
  var hasSinusoid = [Bool](repeating: false, count: room)  // S_IndexMapped
  var nearSinusoid = [Bool](repeating: false, count: room)  // S_Mapped

  var gains = [Float](repeating: 0, count: room)  // G
  var levels = [Float](repeating: 0, count: room)  // Q_M
  var sinusoids = [Float](repeating: 0, count: room)  // S_M
  /// 1 where noise is added, 0 where there is a sinusoid.
  var mask = [Float](repeating: 0, count: room)
  private(set) var addsSinusoids = false

  /// By bs_limiter_gains.
  private static let limits: [Float] = [0.70795, 1, 1.41254, 1e10]
  private static let largestGain: Float = 1e5
  private static let largestBoost: Float = 1.584893192
  private static let epsilon: Float = 1e-12

  /// Replaces the energies of single bands by the means over scale factor bands (bs_interpol_freq 0).
  mutating func average(over borders: [Int]) {
    let first = borders[0]
    for band in 0..<borders.count - 1 {
      let range = borders[band] - first..<borders[band + 1] - first
      var sum: Float = 0
      for index in range { sum += current[index] }
      let mean = sum / Float(range.count)
      for index in range { current[index] = mean }
    }
  }

  /// - Parameters:
  ///   - limiter: borders of the limiter bands.
  ///   - isTransient: the envelope begins with the transient; its noise is not reckoned with.
  mutating func compute(limiter: [Int], limiterGains: Int, isTransient: Bool) {
    addsSinusoids = false
    let limit = Self.limits[limiterGains & 3]
    let first = limiter[0]
    for band in 0..<limiter.count - 1 {
      compute(limiter[band] - first..<limiter[band + 1] - first, limit, isTransient)
    }
  }

  private mutating func compute(_ range: Range<Int>, _ limit: Float, _ isTransient: Bool) {
    var originals: Float = 0
    var currents: Float = 0
    for index in range {
      let energy = original[index]
      let floor = noise[index]
      let share = energy / (1 + floor)
      levels[index] = (share * floor).squareRoot()
      sinusoids[index] = hasSinusoid[index] ? share.squareRoot() : 0
      mask[index] = hasSinusoid[index] ? 0 : 1
      if hasSinusoid[index] { addsSinusoids = true }
      let power =
        nearSinusoid[index]
        ? share * floor / (1 + current[index])
        : (isTransient ? energy : share) / (1 + current[index])
      gains[index] = power.squareRoot()
      originals += energy
      currents += current[index]
    }
    let largest = min(
      limit * ((Self.epsilon + originals) / (Self.epsilon + currents)).squareRoot(), Self.largestGain)
    var sum: Float = 0
    for index in range {
      let gain = gains[index]
      if gain > largest {
        levels[index] *= largest / gain
        gains[index] = largest
      }
      let limited = gains[index]
      sum += current[index] * limited * limited + sinusoids[index] * sinusoids[index]
      if !isTransient, !hasSinusoid[index] { sum += levels[index] * levels[index] }
    }
    let boost = min(
      ((Self.epsilon + originals) / (Self.epsilon + sum)).squareRoot(), Self.largestBoost)
    for index in range {
      gains[index] *= boost
      levels[index] *= boost
      sinusoids[index] *= boost
    }
  }
}
