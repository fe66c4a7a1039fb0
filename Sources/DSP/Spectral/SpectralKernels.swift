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
}

/// q^(4/3) for every magnitude that can be coded.
enum PowerTable {
  static let fourThirds = FourThirds()

  struct FourThirds: @unchecked Sendable {
    private let store: FloatStore
    let pointer: UnsafePointer<Float>

    fileprivate init() {
      let count = SpectralKernels.largestQuantized + 1
      store = FloatStore((0..<count).map { Double($0) * Elementary.cubeRoot(Double($0)) })
      pointer = UnsafePointer(store.pointer)
    }
  }
}
