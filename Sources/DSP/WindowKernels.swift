/// Folding a windowed block to N values and unfolding N values into two windowed halves.
enum WindowKernels {
  /// The 2N samples folded, unwindowed, to the N values of the DCT-IV.
  static func fold(_ x: UnsafePointer<Float>, _ lines: Int, _ v: UnsafeMutablePointer<Float>) {
    let half = lines / 2
    for n in 0..<half {
      v[n] = -x[3 * half - 1 - n] - x[3 * half + n]
      v[half + n] = x[n] - x[lines - 1 - n]
    }
  }

  /// The 2N samples windowed and folded to the N values of the DCT-IV.
  static func fold(
    _ x: UnsafePointer<Float>, _ lines: Int,
    _ left: UnsafeBufferPointer<Float>, _ right: UnsafeBufferPointer<Float>,
    _ v: UnsafeMutablePointer<Float>
  ) {
    let half = lines / 2
    foldLeft(x, half, left, v + half)
    foldRight(x + lines, half, right, v)
  }

  /// v[N/2 − 1 − j] = x[N/2 − 1 − j]·w[…] − x[N/2 + j]·w[…].
  private static func foldLeft(
    _ x: UnsafePointer<Float>, _ half: Int, _ slope: UnsafeBufferPointer<Float>,
    _ v: UnsafeMutablePointer<Float>
  ) {
    let reach = slope.count / 2
    for j in 0..<reach {
      v[half - 1 - j] = x[half - 1 - j] * slope[reach - 1 - j] - x[half + j] * slope[reach + j]
    }
    for j in reach..<max(reach, half) { v[half - 1 - j] = -x[half + j] }
  }

  /// v[j] = −x[N/2 − 1 − j]·w[…] − x[N/2 + j]·w[…].
  private static func foldRight(
    _ x: UnsafePointer<Float>, _ half: Int, _ slope: UnsafeBufferPointer<Float>,
    _ v: UnsafeMutablePointer<Float>
  ) {
    let reach = slope.count / 2
    for j in 0..<reach {
      v[j] = -x[half - 1 - j] * slope[reach + j] - x[half + j] * slope[reach - 1 - j]
    }
    for j in reach..<max(reach, half) { v[j] = -x[half - 1 - j] }
  }

  /// output = overlap + the rising half of the block whose short form is `half`.
  static func addLeft(
    _ y: UnsafePointer<Float>, _ lines: Int, _ slope: UnsafeBufferPointer<Float>,
    _ overlap: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>
  ) {
    let half = lines / 2
    let reach = slope.count / 2
    for j in 0..<reach {
      let value = y[lines - 1 - j]
      output[half - 1 - j] = overlap[half - 1 - j] + value * slope[reach - 1 - j]
      output[half + j] = overlap[half + j] - value * slope[reach + j]
    }
    for j in reach..<max(reach, half) {
      output[half - 1 - j] = overlap[half - 1 - j]
      output[half + j] = overlap[half + j] - y[lines - 1 - j]
    }
  }

  /// overlap = the falling half of the block whose short form is `y`.
  static func setRight(
    _ y: UnsafePointer<Float>, _ lines: Int, _ slope: UnsafeBufferPointer<Float>,
    _ overlap: UnsafeMutablePointer<Float>
  ) {
    let half = lines / 2
    let reach = slope.count / 2
    for j in 0..<reach {
      overlap[half - 1 - j] = -y[j] * slope[reach + j]
      overlap[half + j] = -y[j] * slope[reach - 1 - j]
    }
    for j in reach..<max(reach, half) {
      overlap[half - 1 - j] = -y[j]
      overlap[half + j] = 0
    }
  }
}
