extension SpectralKernels {
  /// Σ x², in single precision; 0 for an empty range.
  public static func energy(_ x: [Float], range: Range<Int>) -> Float {
    reading(x, range) { x in energy(x, range.count) } ?? 0
  }

  static func energy(_ x: UnsafePointer<Float>, _ count: Int) -> Float {
    var first = Lanes8(repeating: 0)
    var second = first
    var index = 0
    while index &+ 16 <= count {
      let a = load(x + index)
      let b = load(x + index + 8)
      first = Lanes.multiplyAdd(a, a, first)
      second = Lanes.multiplyAdd(b, b, second)
      index &+= 16
    }
    if index + 8 <= count {
      let a = load(x + index)
      first = Lanes.multiplyAdd(a, a, first)
      index &+= 8
    }
    if index < count {
      let a = loadPartial(x + index, count - index)
      second = Lanes.multiplyAdd(a, a, second)
    }
    return sum(first + second)
  }

  /// The largest |x|; 0 for an empty range. NaN counts for nothing.
  public static func peak(_ x: [Float], range: Range<Int>) -> Float {
    reading(x, range) { x in peak(x, range.count) } ?? 0
  }

  static func peak(_ x: UnsafePointer<Float>, _ count: Int) -> Float {
    var largest = Lanes8(repeating: 0)
    var index = 0
    while index &+ 8 <= count {
      let a = magnitude(load(x + index))
      largest.replace(with: a, where: a .> largest)
      index &+= 8
    }
    if index < count {
      let a = magnitude(loadPartial(x + index, count - index))
      largest.replace(with: a, where: a .> largest)
    }
    var four = largest.lowHalf
    four.replace(with: largest.highHalf, where: largest.highHalf .> four)
    return max(max(four[0], four[1]), max(four[2], four[3]))
  }

  /// (left, right) = (left + right, left − right): mid and side to left and right.
  public static func midSide(_ left: inout [Float], _ right: inout [Float], range: Range<Int>) {
    writing(&left, range.lowerBound, range.count) { left in
      writing(&right, range.lowerBound, range.count) { right in
        let count = range.count
        var index = 0
        while index &+ 8 <= count {
          let mid = load(left + index)
          let side = load(right + index)
          store(mid + side, left + index)
          store(mid - side, right + index)
          index &+= 8
        }
        if index < count {
          let rest = count - index
          let mid = loadPartial(left + index, rest)
          let side = loadPartial(right + index, rest)
          storePartial(mid + side, left + index, rest)
          storePartial(mid - side, right + index, rest)
        }
      }
    }
  }

  /// x *= gain.
  public static func scale(_ x: inout [Float], range: Range<Int>, by gain: Float) {
    writing(&x, range.lowerBound, range.count) { x in
      let count = range.count
      let gains = Lanes8(repeating: gain)
      var index = 0
      while index &+ 8 <= count {
        store(load(x + index) * gains, x + index)
        index &+= 8
      }
      if index < count {
        storePartial(loadPartial(x + index, count - index) * gains, x + index, count - index)
      }
    }
  }

  /// y[offset…] += gain·x[range].
  public static func addScaled(
    _ x: [Float], range: Range<Int>, gain: Float, to y: inout [Float], at offset: Int
  ) {
    reading(x, range) { x in
      writing(&y, offset, range.count) { y in
        let count = range.count
        let gains = Lanes8(repeating: gain)
        var index = 0
        while index &+ 8 <= count {
          store(Lanes.multiplyAdd(load(x + index), gains, load(y + index)), y + index)
          index &+= 8
        }
        if index < count {
          let rest = count - index
          let value = Lanes.multiplyAdd(loadPartial(x + index, rest), gains, loadPartial(y + index, rest))
          storePartial(value, y + index, rest)
        }
      }
    }
  }

  /// x[offset…] *= window, the whole of it.
  public static func multiply(_ x: inout [Float], at offset: Int = 0, by window: [Float]) {
    reading(window, window.indices) { slope in
      writing(&x, offset, window.count) { x in product(x, slope, x, window.count) }
    }
  }

  /// target[targetOffset…] = x[offset…]·window, the whole of it.
  public static func multiply(
    _ x: [Float], at offset: Int = 0, by window: [Float],
    into target: inout [Float], at targetOffset: Int = 0
  ) {
    check(offset, window.count, x.count)
    let count = window.count
    reading(x, offset..<(offset + count)) { x in
      reading(window, window.indices) { window in
        writing(&target, targetOffset, count) { target in product(x, window, target, count) }
      }
    }
  }

  private static func product(
    _ x: UnsafePointer<Float>, _ y: UnsafePointer<Float>, _ target: UnsafeMutablePointer<Float>, _ count: Int
  ) {
    var index = 0
    while index &+ 8 <= count {
      store(load(x + index) * load(y + index), target + index)
      index &+= 8
    }
    if index < count {
      let rest = count - index
      storePartial(loadPartial(x + index, rest) * loadPartial(y + index, rest), target + index, rest)
    }
  }

  /// The index of the first NaN or infinity among the first `count` values; nil when all are finite.
  public static func firstNonFinite(_ x: [Float], count: Int) -> Int? {
    reading(x, 0..<count) { x in firstNonFinite(x, count) } ?? nil
  }

  private static func firstNonFinite(_ x: UnsafePointer<Float>, _ count: Int) -> Int? {
    var index = 0
    while index &+ 32 <= count {
      // x − x is 0, or NaN where x is not finite.
      let a = load(x + index)
      let b = load(x + index + 8)
      let c = load(x + index + 16)
      let d = load(x + index + 24)
      let low = unsafeBitCast(a - a, to: SIMD8<UInt32>.self) | unsafeBitCast(b - b, to: SIMD8<UInt32>.self)
      let high = unsafeBitCast(c - c, to: SIMD8<UInt32>.self) | unsafeBitCast(d - d, to: SIMD8<UInt32>.self)
      let words = unsafeBitCast(low | high, to: SIMD4<UInt64>.self)
      if words[0] | words[1] | words[2] | words[3] != 0 { break }
      index &+= 32
    }
    while index < count {
      if !x[index].isFinite { return index }
      index += 1
    }
    return nil
  }
}
