#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The frequency tables that follow from a header (4.6.18.3.2). All borders are QMF bands.
struct SBRBands: Equatable, Sendable {
  struct Patch: Equatable, Sendable {
    /// First QMF band that is copied.
    var source: Int
    var width: Int
  }

  static let largestNoiseCount = 5
  static let largestBandCount = 48
  /// The standard says five; a conformance stream has six.
  static let largestPatchCount = 6

  var range: SBRFrequencyRange
  var master: [Int]
  var high: [Int]
  var low: [Int]
  var noise: [Int]
  var patches: [Patch]
  /// By bs_limiter_bands.
  var limiters: [[Int]]

  /// First replicated band.
  var first: Int { high[0] }  // kx
  /// Replicated bands.
  var count: Int { high[high.count - 1] - high[0] }  // M
  var highCount: Int { high.count - 1 }
  var lowCount: Int { low.count - 1 }
  var noiseCount: Int { noise.count - 1 }

  /// - Parameter hertz: rate after replication, twice that of the core.
  init(_ header: SBRHeader, outputRate hertz: Int) throws(AACError) {
    let rate = SBRFrequencyRange.tableRate(hertz)
    range = try SBRFrequencyRange(header, rate: rate)
    master = try Self.master(range, scale: header.frequencyScale, alters: header.altersScale)
    guard header.crossoverBand < master.count - 1 else {
      throw AACError(
        .outOfRange("bs_xover_band", value: header.crossoverBand, allowed: 0...(master.count - 2)))
    }
    high = Array(master[header.crossoverBand...])
    guard high[0] <= 32, high[high.count - 1] <= 64, high.count - 1 <= Self.largestBandCount else {
      throw AACError(.outOfRange("first replicated band", value: high[0], allowed: 0...32))
    }
    low = Self.everySecond(of: high)
    noise = try Self.noise(low, header.noiseBands, range)
    patches = try Self.patches(master, range, high, rate)
    limiters = (0..<4).map { [low, patches] in Self.limiter(low, patches, index: $0) }
  }

  func borders(isHigh: Bool) -> [Int] { isHigh ? high : low }

  private static func master(
    _ range: SBRFrequencyRange, scale: Int, alters: Bool
  ) throws(AACError) -> [Int] {
    let widths = scale == 0 ? linear(range, alters) : geometric(range, scale, alters)
    var borders = [range.start]
    for width in widths {
      guard width > 0 else { throw AACError(.inconsistent("replicated bands without a width")) }
      borders.append(borders[borders.count - 1] + width)
    }
    guard borders.count > 1, borders.count <= largestBandCount + 1, borders[borders.count - 1] <= 64 else {
      throw AACError(.inconsistent("frequency tables without bands"))
    }
    return borders
  }

  private static func linear(_ range: SBRFrequencyRange, _ alters: Bool) -> [Int] {
    let span = range.stop - range.start
    let width = alters ? 2 : 1
    let count = alters ? 2 * SBRFrequencyRange.nearest(Double(span) / 4) : 2 * (span / 2)
    var widths = [Int](repeating: width, count: count)
    guard count > 0 else { return widths }
    let rest = span - count * width
    if rest < 0 {
      widths[0] -= 1
      if rest < -1 { widths[1] -= 1 }
    } else if rest > 0 {
      widths[count - 1] += 1
    }
    return widths
  }

  private static func geometric(_ range: SBRFrequencyRange, _ scale: Int, _ alters: Bool) -> [Int] {
    let bandsPerOctave = Double([12, 10, 8][scale - 1])
    let isSplit = Double(range.stop) / Double(range.start) > 2.2449
    let middle = isSplit ? 2 * range.start : range.stop
    let firstCount = SBRFrequencyRange.nearest(
      bandsPerOctave * log2(Double(middle) / Double(range.start)) / 2)
    let first = SBRFrequencyRange.geometricWidths(range.start, middle, count: 2 * firstCount).sorted()
    guard isSplit else { return first }
    let warp = alters ? 1.3 : 1.0
    let secondCount = SBRFrequencyRange.nearest(
      bandsPerOctave * log2(Double(range.stop) / Double(middle)) / (2 * warp))
    var second = SBRFrequencyRange.geometricWidths(middle, range.stop, count: 2 * secondCount)
    if let widest = first.last, let narrowest = second.min(), narrowest < widest {
      second.sort()
      let last = second.count - 1
      let change = min(widest - second[0], (second[last] - second[0]) / 2)
      second[0] += change
      second[last] -= change
    }
    return first + second.sorted()
  }

  private static func everySecond(of high: [Int]) -> [Int] {
    let count = high.count - 1
    return [high[0]] + (1...((count + 1) / 2)).map { high[2 * $0 - (count & 1)] }
  }

  private static func noise(
    _ low: [Int], _ perOctave: Int, _ range: SBRFrequencyRange
  ) throws(AACError) -> [Int] {
    let count = max(
      1, SBRFrequencyRange.nearest(Double(perOctave) * log2(Double(range.stop) / Double(low[0]))))
    guard count <= largestNoiseCount, count <= low.count - 1 else {
      throw AACError(
        .outOfRange("noise bands", value: count, allowed: 1...min(largestNoiseCount, low.count - 1)))
    }
    var borders = [low[0]]
    var index = 0
    for band in 1...count {
      index += (low.count - 1 - index) / (count + 1 - band)
      borders.append(low[index])
    }
    return borders
  }
}
