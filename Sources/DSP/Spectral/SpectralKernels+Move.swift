extension SpectralKernels {
  /// target[offset…] = x[range].
  public static func copy(_ x: [Float], range: Range<Int>, to target: inout [Float], at offset: Int) {
    check(range, x.count)
    check(offset, range.count, target.count)
    x.withUnsafeBufferPointer { x in
      target.withUnsafeMutableBufferPointer { target in
        guard let source = x.baseAddress, let target = target.baseAddress else { return }
        (target + offset).update(from: source + range.lowerBound, count: range.count)
      }
    }
  }

  /// x[range] = 0.
  public static func clear(_ x: inout [Float], range: Range<Int>) {
    check(range, x.count)
    x.withUnsafeMutableBufferPointer { x in
      guard let target = x.baseAddress else { return }
      (target + range.lowerBound).update(repeating: 0, count: range.count)
    }
  }

  /// target[i] = x[range] backwards, from the start of `target`.
  public static func reverse(_ x: [Float], range: Range<Int>, into target: inout [Float]) {
    reading(x, range) { x in
      writing(&target, 0, range.count) { target in
        let count = range.count
        var index = 0
        while index &+ 8 <= count {
          store(Lanes.reversed(load(x + (count &- 8 &- index))), target + index)
          index &+= 8
        }
        while index < count {
          target[index] = x[count &- 1 &- index]
          index &+= 1
        }
      }
    }
  }
}
