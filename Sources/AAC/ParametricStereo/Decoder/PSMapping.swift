/// Parameters from the bands they were sent for to those that are mixed (8.6.4.4).
enum PSMapping {
  /// Spreads or joins `values`, sent for 10, 20 or 34 bands (5, 11 or 17 for phases), to 20 or 34 bands. Joined
  /// values are means, rounded towards zero. Bands without a value get 0.
  static func map(
    _ values: [Int8], at start: Int, count: Int, family: Int, to34: Bool, into result: inout [Int]
  ) {
    func value(_ band: Int) -> Int { band < count ? Int(values[start + band]) : 0 }
    for band in 0..<(to34 ? 34 : 20) {
      result[band] =
        switch (family, to34) {
        case (0, false): value(band / 2)
        case (0, true): value(PSTables.from10[band])
        case (1, false), (2, true): value(band)
        case (1, true): mean(PSTables.from20[band], value)
        default: mean(PSTables.from34[band], value)
        }
    }
  }

  private static func mean(_ bands: ClosedRange<Int>, _ value: (Int) -> Int) -> Int {
    (value(bands.lowerBound) + value(bands.upperBound)) / 2
  }

  private static func mean(_ source: (first: Int, weights: [Int]), _ value: (Int) -> Int) -> Int {
    var sum = 0
    var weights = 0
    for (index, weight) in source.weights.enumerated() {
      sum += weight * value(source.first + index)
      weights += weight
    }
    return sum / weights
  }

  /// The same for one coefficient of the mixing matrices, without rounding.
  static func remap(_ matrices: [PSMatrix], to34: Bool, _ path: WritableKeyPath<PSMatrix, Float>) -> [Float] {
    if to34 {
      return PSTables.from20.map {
        ($0.reduce(0) { $0 + matrices[$1][keyPath: path] }) / Float($0.count)
      }
    }
    return PSTables.from34.map { source in
      var sum: Float = 0
      for (index, weight) in source.weights.enumerated() {
        sum += Float(weight) * matrices[source.first + index][keyPath: path]
      }
      return sum / Float(source.weights.reduce(0, +))
    }
  }
}
