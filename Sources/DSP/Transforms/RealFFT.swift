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
    transform = ComplexTransform(size: size / 2, order: .natural)
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
  private func transformed(_ x: UnsafePointer<Float>) -> UnsafePointer<Float> {
    var n = 0
    while 2 * n < size {
      let x0 = load(x + 2 * n)
      let x1 = load(x + 2 * n + 8)
      store(Lanes.evens(x0, x1), transform.input + 2 * n)
      store(Lanes.odds(x0, x1), transform.input + 2 * n + 8)
      n += 8
    }
    return transform.run()
  }
}
