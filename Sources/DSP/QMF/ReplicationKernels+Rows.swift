extension ReplicationKernels {
  /// Sums of the squared magnitudes of the bands from `first` on over rows.
  public static func energies(
    _ high: [Float], rows: Range<Int>, first: Int, count: Int, into sums: inout [Float]
  ) {
    checkRows(high.count, rows, QMFLayout.stride)
    checkBands(first, count, 64)
    precondition(sums.count >= count + 8, "room for the sums")
    high.withUnsafeBufferPointer { high in
      sums.withUnsafeMutableBufferPointer { sums in
        guard let high = high.baseAddress, let sums = sums.baseAddress else { return }
        var band = 0
        while band < count {
          let source = high + first + band
          var sum = Lanes8(repeating: 0)
          for row in rows {
            let re = load(source + row &* QMFLayout.stride)
            let im = load(source + (row &* QMFLayout.stride &+ QMFLayout.imaginary))
            sum = Lanes.multiplyAdd(re, re, Lanes.multiplyAdd(im, im, sum))
          }
          store(sum, sums + band)
          band &+= 8
        }
      }
    }
  }

  /// The first `bands` bands of rows of `high` from the low rows `delay` later; the bands above become 0.
  public static func copyLow(_ low: [Float], bands: Int, rows: Range<Int>, to high: inout [Float]) {
    checkRows(low.count, rows.lowerBound..<rows.upperBound + delay, QMFLayout.lowStride)
    checkRows(high.count, rows, QMFLayout.stride)
    checkBands(0, bands, 32)
    low.withUnsafeBufferPointer { low in
      high.withUnsafeMutableBufferPointer { high in
        guard let low = low.baseAddress, let high = high.baseAddress else { return }
        for row in rows {
          let source = low + (row &+ delay) &* QMFLayout.lowStride
          let target = high + row &* QMFLayout.stride
          target.update(from: source, count: bands)
          (target + bands).update(repeating: 0, count: QMFLayout.imaginary &- bands)
          let imaginary = target + QMFLayout.imaginary
          imaginary.update(from: source + QMFLayout.lowImaginary, count: bands)
          (imaginary + bands).update(repeating: 0, count: QMFLayout.imaginary &- bands)
        }
      }
    }
  }

  /// Bands from `first` on become 0.
  public static func clearBands(_ high: inout [Float], rows: Range<Int>, first: Int, count: Int) {
    checkRows(high.count, rows, QMFLayout.stride)
    checkBands(first, count, 64)
    high.withUnsafeMutableBufferPointer { high in
      guard let high = high.baseAddress else { return }
      for row in rows {
        let target = high + (row &* QMFLayout.stride &+ first)
        target.update(repeating: 0, count: count)
        (target + QMFLayout.imaginary).update(repeating: 0, count: count)
      }
    }
  }

  /// Moves `count` rows within an array.
  public static func moveRows(
    _ rows: inout [Float], from source: Int, to target: Int, count: Int, stride: Int
  ) {
    precondition(
      source >= 0 && target >= 0 && count >= 0 && rows.count >= (max(source, target) + count) * stride,
      "rows inside their array")
    rows.withUnsafeMutableBufferPointer { rows in
      guard let rows = rows.baseAddress else { return }
      (rows + target * stride).update(from: rows + source * stride, count: count * stride)
    }
  }

  /// target[row·step + m] = Σ weights[i]·source[(row + i)·step + m] for m < `count`, i < 5: the row `row + 4` of
  /// the source and the four before it.
  public static func smooth(
    _ source: [Float], weights: [Float], rows: Range<Int>, step: Int, count: Int, into target: inout [Float]
  ) {
    precondition(rows.lowerBound >= 0 && weights.count >= 5 && step >= count + 8, "rows with a tail")
    precondition(
      source.count >= (rows.upperBound + 4) * step && target.count >= rows.upperBound * step, "enough rows")
    source.withUnsafeBufferPointer { source in
      target.withUnsafeMutableBufferPointer { target in
        guard let source = source.baseAddress, let target = target.baseAddress else { return }
        for row in rows {
          var band = 0
          while band < count {
            let place = source + (row &* step &+ band)
            var sum = load(place) * Lanes8(repeating: weights[0])
            for tap in 1..<5 {
              sum = Lanes.multiplyAdd(load(place + tap &* step), Lanes8(repeating: weights[tap]), sum)
            }
            store(sum, target + (row &* step &+ band))
            band &+= 8
          }
        }
      }
    }
  }
}
