extension SpectralKernels {
  /// target[offset…] = sign(q)·|q|^(4/3)·scale for q in `range`.
  ///
  /// Magnitudes above 8191 count as 8191.
  public static func dequantize(
    _ q: [Int16], range: Range<Int>, scale: Float, into target: inout [Float], at offset: Int
  ) {
    check(range, q.count)
    check(offset, range.count, target.count)
    let table = PowerTable.fourThirds.pointer
    for index in range {
      let value = Int(q[index])
      let power = table[min(abs(value), largestQuantized)]
      target[offset + index - range.lowerBound] = (value < 0 ? -power : power) * scale
    }
  }
}
