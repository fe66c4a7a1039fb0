import Testing

@testable import DSP

@Suite struct SpectralKernelTests {
  /// Empty, shorter than a vector, every remainder, the longest band, a whole frame.
  static let lengths = Array(0...35) + [64, 95, 96, 100, 1024]

  /// Random values of the given length between guards, and the range of the values.
  private static func guarded(
    _ generator: inout Generator, _ length: Int, _ bounds: ClosedRange<Float> = -1...1
  ) -> (values: [Float], range: Range<Int>) {
    let lead = Int.random(in: 0...9, using: &generator)
    let values =
      [Float](repeating: 1e30, count: lead) + generator.floats(length, in: bounds)
      + [Float](repeating: 1e30, count: 5)
    return (values, lead..<(lead + length))
  }

  @Test func energyIsTheSumOfSquares() {
    var generator = Generator(seed: printedSeed("energy"))
    for length in Self.lengths {
      let (x, range) = Self.guarded(&generator, length, -30000...30000)
      let expected = x[range].reduce(0.0) { $0 + Double($1) * Double($1) }
      #expect(abs(Double(SpectralKernels.energy(x, range: range)) - expected) <= expected * 1e-6)
    }
    #expect(SpectralKernels.energy([.infinity, 1], range: 0..<2) == .infinity)
    #expect(SpectralKernels.energy([.nan, 1], range: 0..<2).isNaN)
  }

  @Test func peakIsTheLargestMagnitude() {
    var generator = Generator(seed: printedSeed("peak"))
    for length in Self.lengths {
      let (x, range) = Self.guarded(&generator, length)
      #expect(SpectralKernels.peak(x, range: range) == x[range].map { abs($0) }.max() ?? 0)
    }
    for length in 1...40 {
      for position in 0..<length {
        var x = [Float](repeating: 0.5, count: length)
        x[position] = -2
        #expect(SpectralKernels.peak(x, range: 0..<length) == 2)
        x[position] = .nan
        #expect(SpectralKernels.peak(x, range: 0..<length) == (length == 1 ? 0 : 0.5))
      }
    }
  }

  @Test func midSideAddsAndSubtracts() {
    var generator = Generator(seed: printedSeed("mid side"))
    for length in Self.lengths {
      var (left, range) = Self.guarded(&generator, length)
      var right = generator.floats(left.count)
      let (mid, side) = (left, right)
      SpectralKernels.midSide(&left, &right, range: range)
      for index in left.indices {
        let inside = range.contains(index)
        #expect(left[index] == (inside ? mid[index] + side[index] : mid[index]))
        #expect(right[index] == (inside ? mid[index] - side[index] : side[index]))
      }
    }
  }

  @Test func scalingAddingMultiplyingCopying() {
    var generator = Generator(seed: printedSeed("arithmetic"))
    for length in Self.lengths {
      let (x, range) = Self.guarded(&generator, length)
      var scaled = x
      SpectralKernels.scale(&scaled, range: range, by: -0.37)
      #expect(scaled == x.indices.map { range.contains($0) ? x[$0] * -0.37 : x[$0] })

      let y = generator.floats(length + 7)
      var added = y
      SpectralKernels.addScaled(x, range: range, gain: 0.7, to: &added, at: 3)
      for index in y.indices {
        let inside = index >= 3 && index < 3 + length
        let expected = inside ? y[index] + 0.7 * x[range.lowerBound + index - 3] : y[index]
        #expect(abs(added[index] - expected) <= 2e-7)
      }

      let window = generator.floats(length)
      var multiplied = x
      SpectralKernels.multiply(&multiplied, at: range.lowerBound, by: window)
      #expect(
        multiplied == x.indices.map { range.contains($0) ? x[$0] * window[$0 - range.lowerBound] : x[$0] })
      var target = [Float](repeating: 9, count: length + 4)
      SpectralKernels.multiply(x, at: range.lowerBound, by: window, into: &target, at: 2)
      #expect(target == [9, 9] + Array(multiplied[range]) + [9, 9])

      var copied = [Float](repeating: 9, count: length + 4)
      SpectralKernels.copy(x, range: range, to: &copied, at: 2)
      #expect(copied == [9, 9] + Array(x[range]) + [9, 9])
      SpectralKernels.clear(&copied, range: 2..<(2 + length))
      #expect(copied == [9, 9] + [Float](repeating: 0, count: length) + [9, 9])
    }
  }

  @Test func firstNonFiniteIsFoundAnywhere() {
    for length in [0, 1, 7, 8, 31, 32, 33, 65, 100, 257] {
      var x = [Float](repeating: .greatestFiniteMagnitude, count: length + 3)
      x[length] = .nan
      #expect(SpectralKernels.firstNonFinite(x, count: length) == nil)
      for position in 0..<length {
        for bad in [Float.nan, .infinity, -.infinity, .signalingNaN] {
          x[position] = bad
          #expect(SpectralKernels.firstNonFinite(x, count: length) == position)
        }
        if position + 3 < length {
          x[position + 3] = .nan
          #expect(SpectralKernels.firstNonFinite(x, count: length) == position)
          x[position + 3] = 1
        }
        x[position] = -.leastNonzeroMagnitude
      }
    }
  }
}
