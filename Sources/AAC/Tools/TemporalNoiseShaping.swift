/// Filters along the lines that shape the noise in time (4.6.9).
enum TemporalNoiseShaping {
  /// Runs the decoder's filters of a stream over its spectrum.
  static func synthesize(
    _ data: TNSData, info: ICSInfo, bands: ScaleFactorBands, in spectrum: inout [Float]
  ) {
    forEachFilter(data, info: info, bands: bands) { filter, lines, coefficients in
      synthesize(
        &spectrum, lines, coefficients: coefficients, order: filter.order, downward: filter.downward)
    }
  }

  /// Runs the encoder's filters, the inverse of `synthesize`.
  static func analyze(
    _ data: TNSData, info: ICSInfo, bands: ScaleFactorBands, in spectrum: inout [Float]
  ) {
    forEachFilter(data, info: info, bands: bands) { filter, lines, coefficients in
      analyze(&spectrum, lines, coefficients: coefficients, order: filter.order, downward: filter.downward)
    }
  }

  /// Filters of a window stack up from the highest band down. Only bands below max_sfb and TNS_MAX_BANDS
  /// are filtered.
  @inline(__always)
  private static func forEachFilter(
    _ data: TNSData, info: ICSInfo, bands: ScaleFactorBands,
    _ body: (_ filter: TNSData.Filter, _ lines: Range<Int>, _ coefficients: SIMD32<Double>) -> Void
  ) {
    let isShort = info.isShort
    let offsets = bands.offsets(short: isShort)
    let limit = min(isShort ? bands.tnsMaxBandsShort : bands.tnsMaxBandsLong, info.maxBand)
    let windowLength = bands.frameLength / info.windowCount
    var window = -1
    var top = 0
    for filter in data.filters {
      if filter.window != window { top = bands.count(short: isShort) }
      window = filter.window
      let bottom = max(0, top - filter.length)
      let start = window * windowLength
      let lines = start + offsets[min(bottom, limit)]..<start + offsets[min(top, limit)]
      top = bottom
      guard filter.order > 0, !lines.isEmpty else { continue }
      let isFine = data.highResolution >> UInt8(truncatingIfNeeded: window) & 1 != 0
      body(filter, lines, directForm(reflections(filter, highResolution: isFine), order: filter.order))
    }
  }

  /// The reflection coefficient of an index (-8…7).
  static func reflection(_ index: Int, highResolution: Bool) -> Double {
    PowerTables.reflections[index + (highResolution ? 24 : 8)]
  }

  /// The index (-8…7, four bits) whose reflection coefficient is nearest on the sine's scale.
  static func index(ofReflection coefficient: Float) -> Int {
    let angle = Math.arcSine(Double(min(max(coefficient, -1), 1)))
    let step = (angle >= 0 ? 7.5 : 8.5) / (Double.pi / 2)
    return Int(min(max((angle * step).rounded(), -8), 7))
  }

  private static func reflections(_ filter: TNSData.Filter, highResolution: Bool) -> SIMD32<Double> {
    let table = PowerTables.reflections
    var reflections = SIMD32<Double>(repeating: 0)
    for index in 0..<filter.order {
      reflections[index] = table[Int(filter.coefficients[index]) + (highResolution ? 24 : 8)]
    }
    return reflections
  }

  /// The coefficients a[1…order] of the prediction error filter with these reflection coefficients.
  static func directForm(_ reflections: SIMD32<Double>, order: Int) -> SIMD32<Double> {
    var a = SIMD32<Double>(repeating: 0)
    for m in 0..<order {
      let k = reflections[m]
      let before = a
      for i in 0..<m { a[i] = before[i] + k * before[m - 1 - i] }
      a[m] = k
    }
    return a
  }

  /// The all-pole filter y[n] = x[n] - Σ a[i] y[n - i] over `lines`, in place. Starts from zero.
  ///
  /// Runs in double precision: close to instability, single precision would cost a bit of the output.
  static func synthesize(
    _ x: inout [Float], _ lines: Range<Int>, coefficients a: SIMD32<Double>, order: Int, downward: Bool
  ) {
    if order <= 9 {
      let further = SIMD8<Double>(a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8])
      synthesize9(&x, lines, a[0], further, downward)
    } else if order <= 17 {
      var further = SIMD16<Double>(repeating: 0)
      for i in 0..<16 { further[i] = a[i + 1] }
      synthesize17(&x, lines, a[0], further, downward)
    } else {
      synthesizeAny(&x, lines, a, order, downward)
    }
  }

  /// Filters close to instability can make anything of anything; this keeps their output a number.
  @inline(__always)
  private static func bounded(_ y: Double) -> Float { Float(min(max(y, -0x1p80), 0x1p80)) }

  // The newest output enters last and alone: the others are summed while it is still being computed.

  private static func synthesize9(
    _ x: inout [Float], _ lines: Range<Int>, _ first: Double, _ further: SIMD8<Double>, _ downward: Bool
  ) {
    var past = SIMD8<Double>(repeating: 0)
    var newest = 0.0
    for index in lines {
      let line = downward ? lines.upperBound &- 1 &- (index &- lines.lowerBound) : index
      let products = past * further
      let four = products.lowHalf + products.highHalf
      let two = four.lowHalf + four.highHalf
      let y = (Double(x[line]) - (two[0] + two[1])) - first * newest
      past = SIMD8(newest, past[0], past[1], past[2], past[3], past[4], past[5], past[6])
      newest = y
      x[line] = bounded(y)
    }
  }

  private static func synthesize17(
    _ x: inout [Float], _ lines: Range<Int>, _ first: Double, _ further: SIMD16<Double>, _ downward: Bool
  ) {
    var past = SIMD16<Double>(repeating: 0)
    var newest = 0.0
    for index in lines {
      let line = downward ? lines.upperBound &- 1 &- (index &- lines.lowerBound) : index
      let products = past * further
      let eight = products.lowHalf + products.highHalf
      let four = eight.lowHalf + eight.highHalf
      let two = four.lowHalf + four.highHalf
      let y = (Double(x[line]) - (two[0] + two[1])) - first * newest
      past = SIMD16(
        newest, past[0], past[1], past[2], past[3], past[4], past[5], past[6], past[7], past[8], past[9],
        past[10], past[11], past[12], past[13], past[14])
      newest = y
      x[line] = bounded(y)
    }
  }

  private static func synthesizeAny(
    _ x: inout [Float], _ lines: Range<Int>, _ a: SIMD32<Double>, _ order: Int, _ downward: Bool
  ) {
    var past = SIMD32<Double>(repeating: 0)
    for index in lines {
      let line = downward ? lines.upperBound - 1 - (index - lines.lowerBound) : index
      var y = Double(x[line])
      for i in 0..<order { y -= a[i] * past[i] }
      for i in (1..<order).reversed() { past[i] = past[i - 1] }
      past[0] = y
      x[line] = bounded(y)
    }
  }

  /// The all-zero filter y[n] = x[n] + Σ a[i] x[n - i] over `lines`, in place. Starts from zero.
  static func analyze(
    _ x: inout [Float], _ lines: Range<Int>, coefficients a: SIMD32<Double>, order: Int, downward: Bool
  ) {
    let step = downward ? -1 : 1
    var line = downward ? lines.lowerBound : lines.upperBound - 1
    for n in (0..<lines.count).reversed() {
      var y = Double(x[line])
      for i in 0..<min(n, order) { y += a[i] * Double(x[line - (i + 1) * step]) }
      x[line] = Float(y)
      line -= step
    }
  }
}
