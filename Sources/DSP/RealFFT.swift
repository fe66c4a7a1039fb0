/// The discrete Fourier transform of real samples: X[k] = Σ x[n]·exp(−2πi·nk/size), bins 0…size/2.
///
/// An instance owns scratch memory: use it from one thread at a time.
public final class RealFFT {
  public let size: Int
  private let transform: ComplexFFT
  private let twiddles: FloatStore
  private let work: FloatStore

  public static let supportedSizes = [128, 256, 512, 1024, 2048]

  public init(size: Int) {
    precondition(RealFFT.supportedSizes.contains(size), "128, 256, 512, 1024 or 2048 points")
    self.size = size
    transform = ComplexFFT(size: size / 2)
    let values = (0...(size / 2)).map { Elementary.root($0, of: size) }
    twiddles = FloatStore(values.map(\.re) + values.map(\.im))
    work = FloatStore(count: 2 * (size + 2))
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
          run(source + offset, re, im)
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
        let re = work.pointer + size
        let im = re + bins
        run(source + offset, re, im)
        for bin in 0..<bins { target[bin] = re[bin] * re[bin] + im[bin] * im[bin] }
      }
    }
  }

  private func run(
    _ x: UnsafePointer<Float>, _ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>
  ) {
    let half = size / 2
    let a = work.pointer
    let b = work.pointer + half
    let cosines = twiddles.pointer
    let sines = twiddles.pointer + half + 1
    for n in 0..<half {
      a[n] = x[2 * n]
      b[n] = x[2 * n + 1]
    }
    transform.transform(a, b)
    re[0] = a[0] + b[0]
    im[0] = 0
    re[half] = a[0] - b[0]
    im[half] = 0
    for k in 1..<half {
      let evenRe = 0.5 * (a[k] + a[half - k])
      let evenIm = 0.5 * (b[k] - b[half - k])
      let oddRe = 0.5 * (b[k] + b[half - k])
      let oddIm = 0.5 * (a[half - k] - a[k])
      re[k] = evenRe + oddRe * cosines[k] - oddIm * sines[k]
      im[k] = evenIm + oddRe * sines[k] + oddIm * cosines[k]
    }
  }
}
