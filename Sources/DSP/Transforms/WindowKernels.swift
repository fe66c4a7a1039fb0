/// Folding a windowed block to N values and unfolding N values into two windowed halves, apart from the
/// transform: for the slopes and sizes the transform does not do itself.
///
/// Everything is symmetric about the middle of a half: index j counts outwards from there. A slope of S
/// values reaches S/2 both ways. Steps of eight j; where S/2 is no multiple of 8 the last step goes back and
/// repeats some, which changes nothing, since no kernel reads what it writes.
///
/// The N values are the negative of the usual ones, which spares both ways a negation; the transforms'
/// gains are negative to match.
enum WindowKernels {
  typealias Source = UnsafePointer<Float>
  typealias Target = UnsafeMutablePointer<Float>

  /// The next j of steps of eight up to `end`; `end` when done.
  @inline(__always)
  private static func next(_ j: Int, _ end: Int) -> Int {
    j + 8 >= end ? end : min(j + 8, end - 8)
  }

  // MARK: - Folding

  /// The 2N samples folded, unwindowed, to the N values of the DCT-IV.
  static func fold(_ x: Source, _ lines: Int, _ v: Target) {
    let half = lines / 2
    let left = x + half
    let right = left + lines
    let rising = v + half
    var j = 0
    while j < half {
      store(Lanes.reversed(load(left + j)) - load(left - 8 - j), rising + half - 8 - j)
      store(Lanes.reversed(load(right - 8 - j)) + load(right + j), v + j)
      j = next(j, half)
    }
  }

  /// The 2N samples windowed and folded to the N values of the DCT-IV.
  static func fold(
    _ x: Source, _ lines: Int, _ left: UnsafeBufferPointer<Float>, _ right: UnsafeBufferPointer<Float>,
    _ v: Target
  ) {
    guard let leftSlope = left.baseAddress, let rightSlope = right.baseAddress else { return }
    let half = lines / 2
    foldLeft(x + half, half, leftSlope + left.count / 2, left.count / 2, v + half)
    foldRight(x + lines + half, half, rightSlope + right.count / 2, right.count / 2, v)
  }

  /// Values N/2 − 1 − j of the upper half for eight j, the last first: x[j]·w[j] − x[−1 − j]·w[−1 − j], counted
  /// from the middles.
  @inline(__always)
  static func foldedLeft(_ middle: Source, _ slope: Source, _ j: Int) -> Lanes8 {
    let outer = Lanes.reversed(load(middle + j) * load(slope + j))
    let back = -8 &- j
    return Lanes.negativeMultiplyAdd(load(middle + back), load(slope + back), outer)
  }

  /// Values j of the lower half for eight j: x[−1 − j]·w[j] + x[j]·w[−1 − j], counted from the middles.
  @inline(__always)
  static func foldedRight(_ middle: Source, _ slope: Source, _ j: Int) -> Lanes8 {
    let back = -8 &- j
    let outer = load(middle + j) * Lanes.reversed(load(slope + back))
    return Lanes.multiplyAdd(Lanes.reversed(load(middle + back)), load(slope + j), outer)
  }

  private static func foldLeft(_ middle: Source, _ half: Int, _ slope: Source, _ reach: Int, _ v: Target) {
    var j = 0
    while j < reach {
      store(foldedLeft(middle, slope, j), v + half - 8 - j)
      j = next(j, reach)
    }
    while j < half {
      j = min(j, half - 8)
      store(Lanes.reversed(load(middle + j)), v + half - 8 - j)
      j += 8
    }
  }

  private static func foldRight(_ middle: Source, _ half: Int, _ slope: Source, _ reach: Int, _ v: Target) {
    var j = 0
    while j < reach {
      store(foldedRight(middle, slope, j), v + j)
      j = next(j, reach)
    }
    while j < half {
      j = min(j, half - 8)
      store(Lanes.reversed(load(middle - 8 - j)), v + j)
      j += 8
    }
  }

  // MARK: - Unfolding

  /// output = overlap + the rising half of the block whose short form is `y`.
  static func addLeft(
    _ y: Source, _ lines: Int, _ slope: UnsafeBufferPointer<Float>, _ overlap: Source, _ output: Target
  ) {
    guard let slopeStart = slope.baseAddress else { return }
    let half = lines / 2
    let reach = slope.count / 2
    let rise = slopeStart + reach
    let memory = overlap + half
    let middle = output + half
    var j = 0
    while j < reach {
      let value = load(y + lines - 8 - j)
      store(Lanes.negativeMultiplyAdd(value, load(rise - 8 - j), load(memory - 8 - j)), middle - 8 - j)
      let mirrored = Lanes.reversed(value)
      store(Lanes.multiplyAdd(mirrored, load(rise + j), load(memory + j)), middle + j)
      j = next(j, reach)
    }
    while j < half {
      j = min(j, half - 8)
      store(load(memory - 8 - j), middle - 8 - j)
      store(load(memory + j) + Lanes.reversed(load(y + lines - 8 - j)), middle + j)
      j += 8
    }
  }

  /// overlap = the falling half of the block whose short form is `y`.
  static func setRight(_ y: Source, _ lines: Int, _ slope: UnsafeBufferPointer<Float>, _ overlap: Target) {
    guard let slopeStart = slope.baseAddress else { return }
    let half = lines / 2
    let reach = slope.count / 2
    let rise = slopeStart + reach
    let middle = overlap + half
    var j = 0
    while j < reach {
      let value = load(y + j)
      store(Lanes.reversed(value * load(rise + j)), middle - 8 - j)
      store(value * Lanes.reversed(load(rise - 8 - j)), middle + j)
      j = next(j, reach)
    }
    while j < half {
      j = min(j, half - 8)
      store(Lanes.reversed(load(y + j)), middle - 8 - j)
      store(Lanes8(repeating: 0), middle + j)
      j += 8
    }
  }
}
