/// The discrete Fourier transform of real samples: X[k] = Σ x[n]·exp(−2πi·nk/size), bins 0…size/2.
///
/// An instance owns scratch memory: use it from one thread at a time.
public final class RealFFT {
  public let size: Int
  private let transform: ComplexTransform
  /// exp(−2πi·k/size) for k < size/2: real, then imaginary parts.
  private let turns: FloatStore

  public static let supportedSizes = [128, 256, 512, 1024, 2048]

  public init(size: Int) {
    precondition(RealFFT.supportedSizes.contains(size), "128, 256, 512, 1024 or 2048 points")
    self.size = size
    transform = ComplexTransform(size: size / 2)
    let values = (0..<(size / 2)).map { Elementary.root($0, of: size) }
    turns = FloatStore(values.map(\.re) + values.map(\.im))
  }

  /// The bins' real and imaginary parts, size/2 + 1 each, into the beginnings of `re` and `im`.
  public func forward(
    _ windowed: [Float], at offset: Int = 0, re: inout [Float], im: inout [Float]
  ) {
    let bins = size / 2 + 1
    precondition(offset >= 0 && windowed.count - size >= offset, "a block inside its array")
    precondition(re.count >= bins && im.count >= bins, "room for size/2 + 1 bins")
    windowed.withUnsafeBufferPointer { windowed in
      re.withUnsafeMutableBufferPointer { re in
        im.withUnsafeMutableBufferPointer { im in
          guard let source = windowed.baseAddress, let re = re.baseAddress, let im = im.baseAddress
          else { return }
          RealKernels.spectrum(transformed(source + offset), size / 2, turns.pointer, re, im)
        }
      }
    }
  }

  /// The bins' squared magnitudes, size/2 + 1 of them, into the beginning of `power`.
  public func powerSpectrum(_ windowed: [Float], at offset: Int = 0, into power: inout [Float]) {
    let bins = size / 2 + 1
    precondition(offset >= 0 && windowed.count - size >= offset, "a block inside its array")
    precondition(power.count >= bins, "room for size/2 + 1 bins")
    windowed.withUnsafeBufferPointer { windowed in
      power.withUnsafeMutableBufferPointer { power in
        guard let source = windowed.baseAddress, let target = power.baseAddress else { return }
        let parts = transformed(source + offset)
        RealKernels.power(parts, size / 2, turns.pointer, target)
      }
    }
  }

  /// The transform of the samples taken as size/2 complex numbers: real, then imaginary parts.
  private func transformed(_ x: UnsafePointer<Float>) -> UnsafeMutablePointer<Float> {
    var n = 0
    while 2 * n < size {
      let x0 = load(x + 2 * n)
      let x1 = load(x + 2 * n + 8)
      ComplexLanes(Lanes.evens(x0, x1), Lanes.odds(x0, x1)).store(transform.input + 2 * n)
      n += 8
    }
    return transform.run()
  }
}

/// From the transform Z of size/2 complex numbers made of real samples in pairs to the samples' spectrum:
/// with E = (Z[k] + conj Z[half − k])/2 and O = (Z[k] − conj Z[half − k])/2,
/// X[k] = E − i·O·exp(−iπk/half) and X[half − k] = conj(E + i·O·exp(−iπk/half)).
enum RealKernels {
  typealias Source = UnsafePointer<Float>
  typealias Target = UnsafeMutablePointer<Float>

  /// Bins k…k+7 and half−k−7…half−k, the latter in rising order; 1 ≤ k ≤ half/2 − 7.
  @inline(__always)
  private static func bins(
    _ z: Source, _ half: Int, _ turns: Source, _ k: Int
  ) -> (near: ComplexLanes, far: ComplexLanes) {
    let far = half - 7 - k
    let halves = Lanes8(repeating: 0.5)
    let nearRe = load(z + k)
    let nearIm = load(z + half + k)
    let farRe = Lanes.reversed(load(z + far))
    let farIm = Lanes.reversed(load(z + half + far))
    let even = ComplexLanes((nearRe + farRe) * halves, (nearIm - farIm) * halves)
    let odd = ComplexLanes((nearIm + farIm) * halves, (farRe - nearRe) * halves)
    let turned = odd * ComplexLanes(load(turns + k), load(turns + half + k))
    let last = even - turned
    return (even + turned, ComplexLanes(Lanes.reversed(last.re), Lanes.reversed(turned.im - even.im)))
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
