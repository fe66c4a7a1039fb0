/// The DCT-IV, which both directions of the MDCT are made of:
/// y[n] = gain·Σ_{k<size} x[k]·cos(π/size·(n + ½)(k + ½)), by a complex transform of size/2 points.
final class CosineTransform {
  let size: Int
  private let transform: ComplexFFT
  private let twiddles: FloatStore
  private let work: FloatStore

  init(size: Int) {
    precondition(size > 0 && size % 8 == 0, "a multiple of 8")
    self.size = size
    let half = size / 2
    transform = ComplexFFT(size: half)
    let values = (0..<half).map { Elementary.root(8 * $0 + 1, of: 16 * size) }
    twiddles = FloatStore(values.map(\.re) + values.map(\.im))
    work = FloatStore(count: size)
  }

  /// `source` and `target` may be the same block.
  func transform(
    _ source: UnsafePointer<Float>, _ target: UnsafeMutablePointer<Float>, _ gain: Float
  ) {
    let half = size / 2
    let re = work.pointer
    let im = work.pointer + half
    let cosines = twiddles.pointer
    let sines = twiddles.pointer + half
    for k in 0..<half {
      let a = source[2 * k] * gain
      let b = source[size - 1 - 2 * k] * gain
      re[k] = a * cosines[k] - b * sines[k]
      im[k] = a * sines[k] + b * cosines[k]
    }
    transform.transform(re, im)
    for n in 0..<half {
      target[2 * n] = re[n] * cosines[n] - im[n] * sines[n]
      target[size - 1 - 2 * n] = -(re[n] * sines[n] + im[n] * cosines[n])
    }
  }
}
