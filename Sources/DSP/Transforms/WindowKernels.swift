/// Folding a windowed block to N values and unfolding N values into two windowed halves.
///
/// Everything is symmetric about the middle of a half: index j counts outwards from there. A slope of S
/// values reaches S/2 both ways. Steps of eight j; where S/2 is no multiple of 8 the last step goes back and
/// repeats some, which changes nothing, since no kernel reads what it writes.
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
    let right = x + lines
    let rising = v + half
    var j = 0
    while j < half {
      let left = load(x + half - 8 - j) - Lanes.reversed(load(x + half + j))
      store(left, rising + half - 8 - j)
      let falling = Lanes.reversed(load(right + half - 8 - j)) + load(right + half + j)
      store(Lanes8(repeating: 0) - falling, v + j)
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
    foldLeft(x, half, leftSlope, left.count / 2, v + half)
    foldRight(x + lines, half, rightSlope, right.count / 2, v)
  }

  /// v[N/2 − 1 − j] = x[N/2 − 1 − j]·w[S/2 − 1 − j] − x[N/2 + j]·w[S/2 + j].
  private static func foldLeft(_ x: Source, _ half: Int, _ slope: Source, _ reach: Int, _ v: Target) {
    let middle = x + half
    var j = 0
    while j < reach {
      let outer = Lanes.reversed(load(middle + j) * load(slope + reach + j))
      let value = Lanes.multiplySubtract(load(middle - 8 - j), load(slope + reach - 8 - j), outer)
      store(value, v + half - 8 - j)
      j = next(j, reach)
    }
    while j < half {
      j = min(j, half - 8)
      store(Lanes8(repeating: 0) - Lanes.reversed(load(middle + j)), v + half - 8 - j)
      j += 8
    }
  }

  /// v[j] = −x[N/2 − 1 − j]·w[S/2 + j] − x[N/2 + j]·w[S/2 − 1 − j].
  private static func foldRight(_ x: Source, _ half: Int, _ slope: Source, _ reach: Int, _ v: Target) {
    let middle = x + half
    let zero = Lanes8(repeating: 0)
    var j = 0
    while j < reach {
      let inner = Lanes.reversed(load(middle - 8 - j))
      let outer = load(middle + j) * Lanes.reversed(load(slope + reach - 8 - j))
      store(zero - Lanes.multiplyAdd(inner, load(slope + reach + j), outer), v + j)
      j = next(j, reach)
    }
    while j < half {
      j = min(j, half - 8)
      store(zero - Lanes.reversed(load(middle - 8 - j)), v + j)
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
      store(Lanes.multiplyAdd(value, load(rise - 8 - j), load(memory - 8 - j)), middle - 8 - j)
      let mirrored = Lanes.reversed(value)
      store(Lanes.negativeMultiplyAdd(mirrored, load(rise + j), load(memory + j)), middle + j)
      j = next(j, reach)
    }
    while j < half {
      j = min(j, half - 8)
      store(load(memory - 8 - j), middle - 8 - j)
      store(load(memory + j) - Lanes.reversed(load(y + lines - 8 - j)), middle + j)
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
    let zero = Lanes8(repeating: 0)
    var j = 0
    while j < reach {
      let value = zero - load(y + j)
      store(Lanes.reversed(value * load(rise + j)), middle - 8 - j)
      store(value * Lanes.reversed(load(rise - 8 - j)), middle + j)
      j = next(j, reach)
    }
    while j < half {
      j = min(j, half - 8)
      store(Lanes.reversed(zero - load(y + j)), middle - 8 - j)
      store(zero, middle + j)
      j += 8
    }
  }
}
