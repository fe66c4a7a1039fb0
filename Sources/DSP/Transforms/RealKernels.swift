/// From the transform Z of size/2 complex numbers made of real samples in pairs to the samples' spectrum:
/// with E = (Z[k] + conj Z[half − k])/2 and O = (Z[k] − conj Z[half − k])/2,
/// X[k] = E − i·O·exp(−iπk/half) and X[half − k] = conj(E + i·O·exp(−iπk/half)).
enum RealKernels {
  typealias Source = UnsafePointer<Float>
  typealias Target = UnsafeMutablePointer<Float>

  private typealias Bins = (re: Lanes8, im: Lanes8)

  /// Bins k…k+7 and half−k−7…half−k, the latter in rising order; 1 ≤ k ≤ half/2 − 7.
  @inline(__always)
  private static func bins(_ z: Source, _ half: Int, _ turns: Source, _ k: Int) -> (near: Bins, far: Bins) {
    let far = half - 7 - k
    let halves = Lanes8(repeating: 0.5)
    let nearRe = load(z + k)
    let nearIm = load(z + half + k)
    let farRe = Lanes.reversed(load(z + far))
    let farIm = Lanes.reversed(load(z + half + far))
    let evenRe = (nearRe + farRe) * halves
    let evenIm = (nearIm - farIm) * halves
    let oddRe = (nearIm + farIm) * halves
    let oddIm = (farRe - nearRe) * halves
    let cosines = load(turns + k)
    let sines = load(turns + half + k)
    let turnedRe = Lanes.multiplySubtract(oddRe, cosines, oddIm * sines)
    let turnedIm = Lanes.multiplyAdd(oddRe, sines, oddIm * cosines)
    return (
      (evenRe + turnedRe, evenIm + turnedIm),
      (Lanes.reversed(evenRe - turnedRe), Lanes.reversed(turnedIm - evenIm))
    )
  }

  /// The first k of each step of eight through 1…half/2; the last goes back where needed.
  @inline(__always)
  private static func next(_ k: Int, _ half: Int) -> Int {
    let last = half / 2 - 7
    return k == last ? half : min(k + 8, last)
  }

  static func spectrum(_ z: Source, _ half: Int, _ turns: Source, _ re: Target, _ im: Target) {
    var k = 1
    while k < half {
      let both = bins(z, half, turns, k)
      store(both.near.re, re + k)
      store(both.near.im, im + k)
      store(both.far.re, re + half - 7 - k)
      store(both.far.im, im + half - 7 - k)
      k = next(k, half)
    }
    re[0] = z[0] + z[half]
    im[0] = 0
    re[half] = z[0] - z[half]
    im[half] = 0
  }

  static func power(_ z: Source, _ half: Int, _ turns: Source, _ power: Target) {
    var k = 1
    while k < half {
      let both = bins(z, half, turns, k)
      store(Lanes.multiplyAdd(both.near.re, both.near.re, both.near.im * both.near.im), power + k)
      store(Lanes.multiplyAdd(both.far.re, both.far.re, both.far.im * both.far.im), power + half - 7 - k)
      k = next(k, half)
    }
    let first = z[0] + z[half]
    let last = z[0] - z[half]
    power[0] = first * first
    power[half] = last * last
  }
}
