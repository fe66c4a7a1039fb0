/// Inverse Fourier transforms of 32 or 64 points, eight time slots side by side, one a lane:
/// Y[k] = Σ x[n]·exp(+2πi·nk/size).
///
/// Vector n stands at 16·n: eight imaginary parts, then eight real ones. That order makes an inverse
/// transform of the forward passes it borrows from `TransformPasses`.
final class QMFTransform {
  let size: Int
  private let twiddles: FloatStore
  private let first: FloatStore
  private let second: FloatStore

  var input: UnsafeMutablePointer<Float> { first.pointer }

  init(size: Int) {
    precondition(size == 32 || size == 64, "32 or 64 points")
    self.size = size
    first = FloatStore(count: 16 * size)
    second = FloatStore(count: 16 * size)
    twiddles = FloatStore(QMFTransform.twiddles(size))
  }

  /// Transforms what is in `input`, which is lost. The result lies in scratch until the next call.
  func run() -> UnsafePointer<Float> {
    let a = first.pointer
    let b = second.pointer
    let factors = UnsafePointer(twiddles.pointer)
    if size == 32 {
      TransformPasses.radix4(a, b, 8, 1, factors)
      TransformPasses.radix4(b, a, 2, 4, factors + 16 * 24)
      TransformPasses.radix2Last(a, b, 16)
    } else {
      TransformPasses.radix4(a, b, 16, 1, factors)
      TransformPasses.radix4(b, a, 4, 4, factors + 16 * 48)
      TransformPasses.radix4Last(a, b, 16)
    }
    return UnsafePointer(b)
  }

  private static func twiddles(_ size: Int) -> [Double] {
    var values: [Double] = []
    for rest in [size, size / 4] {
      for p in 0..<rest / 4 {
        for r in 1..<4 {
          let root = Elementary.root(r * p, of: rest)
          values += [Double](repeating: root.re, count: 8)
          values += [Double](repeating: root.im, count: 8)
        }
      }
    }
    return values
  }
}
