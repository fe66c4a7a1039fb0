/// Whole-range kernels over spectral lines.
///
/// Each checks its range once (a wrong range is the caller's mistake and traps) and then runs unchecked.
/// No value of the data traps: NaN and infinity go through or saturate as each kernel states.
public enum SpectralKernels {
  /// The largest magnitude AAC can code.
  public static let largestQuantized = 8191

  @inline(__always)
  static func check(_ range: Range<Int>, _ count: Int) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range inside its array")
  }

  @inline(__always)
  static func check(_ offset: Int, _ needed: Int, _ count: Int) {
    precondition(offset >= 0 && count - needed >= offset, "a block inside its array")
  }

  /// Runs `body` with the address of the first of the range's values; nil when the array has none.
  @inline(__always) @discardableResult
  static func reading<Element, Result>(
    _ x: [Element], _ range: Range<Int>, _ body: (UnsafePointer<Element>) -> Result
  ) -> Result? {
    check(range, x.count)
    return x.withUnsafeBufferPointer { x in
      x.baseAddress.map { body($0 + range.lowerBound) }
    }
  }

  /// Runs `body` with the address of value `offset`, from where `count` may be written; nil when the array
  /// has none.
  @inline(__always) @discardableResult
  static func writing<Element, Result>(
    _ x: inout [Element], _ offset: Int, _ count: Int, _ body: (UnsafeMutablePointer<Element>) -> Result
  ) -> Result? {
    check(offset, count, x.count)
    return x.withUnsafeMutableBufferPointer { x in
      x.baseAddress.map { body($0 + offset) }
    }
  }
}
