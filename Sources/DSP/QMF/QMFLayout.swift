/// How QMF samples stand in memory: a row a time slot, the bands' real parts, then their imaginary parts.
///
/// Kernels work on eight bands at a time and may touch up to seven more than they were asked for; the gap
/// behind the real parts and behind the last row (`tail`) is there for that.
public enum QMFLayout {
  /// Floats from row to row of 64 bands.
  public static let stride = 144
  /// Floats from a band's real part to its imaginary part.
  public static let imaginary = 72
  /// Floats from row to row of 32 bands.
  public static let lowStride = 64
  public static let lowImaginary = 32
  /// Floats behind the last row.
  public static let tail = 16
}

/// Turns rows of eight values into columns and back.
enum Transposition {
  @inline(__always)
  private static func block(
    _ source: UnsafePointer<Float>, _ step: Int, _ target: UnsafeMutablePointer<Float>, _ across: Int
  ) {
    let r0 = load4(source)
    let r1 = load4(source + step)
    let r2 = load4(source + 2 &* step)
    let r3 = load4(source + 3 &* step)
    let a = Lanes.unpackLow(r0, r1)
    let b = Lanes.unpackHigh(r0, r1)
    let c = Lanes.unpackLow(r2, r3)
    let d = Lanes.unpackHigh(r2, r3)
    store(Lanes.unpackLowPairs(a, c), target)
    store(Lanes.unpackHighPairs(a, c), target + across)
    store(Lanes.unpackLowPairs(b, d), target + 2 &* across)
    store(Lanes.unpackHighPairs(b, d), target + 3 &* across)
  }

  /// target[c·across + r] = source[r·step + c] for r, c < 8.
  @inline(__always)
  static func run(
    _ source: UnsafePointer<Float>, _ step: Int, _ target: UnsafeMutablePointer<Float>, _ across: Int
  ) {
    block(source, step, target, across)
    block(source + 4, step, target + 4 &* across, across)
    block(source + 4 &* step, step, target + 4, across)
    block(source + 4 &* step + 4, step, target + 4 &* across + 4, across)
  }
}
