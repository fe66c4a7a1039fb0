extension SpectralKernels {
  /// target[offset…] = sign(q)·|q|^(4/3)·scale for q in `range`.
  ///
  /// Magnitudes above 8191 count as 8191.
  public static func dequantize(
    _ q: [Int16], range: Range<Int>, scale: Float, into target: inout [Float], at offset: Int
  ) {
    reading(q, range) { q in
      writing(&target, offset, range.count) { target in
        dequantize(q, range.count, scale, target)
      }
    }
  }

  private static func dequantize(
    _ q: UnsafePointer<Int16>, _ count: Int, _ scale: Float, _ target: UnsafeMutablePointer<Float>
  ) {
    let largest = QuantizedBits(q, count).magnitude
    if largest == 0 {
      target.update(repeating: 0, count: count)
    } else if largest <= TableFourThirds.largest {
      #if AAC_FMA && arch(x86_64)
        if largest <= SmallFourThirds.largest {
          dequantize(q, count, scale, target, SmallFourThirds())
          return
        }
      #endif
      dequantize(q, count, scale, target, TableFourThirds())
    } else {
      dequantize(q, count, scale, target, LimitedFourThirds())
    }
  }

  @inline(__always)
  private static func dequantize(
    _ q: UnsafePointer<Int16>, _ count: Int, _ scale: Float, _ target: UnsafeMutablePointer<Float>,
    _ power: some FourThirds
  ) {
    let scales = Lanes8(repeating: scale)
    var index = 0
    while index &+ 8 <= count {
      store(power.of(q + index, signed: true) * scales, target + index)
      index &+= 8
    }
    if index < count {
      let rest = count - index
      storePartial(power.of(loadPartial(q + index, rest), signed: true) * scales, target + index, rest)
    }
  }
}
