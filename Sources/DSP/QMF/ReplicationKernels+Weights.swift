extension ReplicationKernels {
  /// Multiplies rows of 64 bands by the rows of 64 weights.
  public static func weigh(_ high: inout [Float], rows: Range<Int>, by weights: [Float]) {
    checkRows(high.count, rows, QMFLayout.stride)
    precondition(weights.count >= rows.upperBound * 64, "a weight for every band")
    high.withUnsafeMutableBufferPointer { high in
      weights.withUnsafeBufferPointer { weights in
        guard let high = high.baseAddress, let weights = weights.baseAddress else { return }
        for row in rows {
          let samples = high + row &* QMFLayout.stride
          let factors = weights + row &* 64
          var band = 0
          while band < 64 {
            let factor = load(factors + band)
            let imaginary = samples + (QMFLayout.imaginary &+ band)
            store(load(UnsafePointer(samples + band)) * factor, samples + band)
            store(load(UnsafePointer(imaginary)) * factor, imaginary)
            band &+= 8
          }
        }
      }
    }
  }
}
