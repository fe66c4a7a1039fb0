import Testing

@testable import DSP

/// The kernels of spectral band replication against plain loops in double precision.
@Suite struct ReplicationKernelTests {
  static let rows = 40
  let low = QMFTests.noise(rows * QMFLayout.lowStride + QMFLayout.tail, seed: 11)
  let high = QMFTests.noise(rows * QMFLayout.stride + QMFLayout.tail, seed: 12)

  func lowAt(_ row: Int, _ band: Int) -> (Double, Double) {
    let place = row * QMFLayout.lowStride + band
    return (Double(low[place]), Double(low[place + QMFLayout.lowImaginary]))
  }

  @Test func predictionIsThatOfTheCovariance() {
    var result = [Float](repeating: 9, count: 4 * ReplicationKernels.coefficientStride)
    ReplicationKernels.predict(low, rows: 2..<40, bands: 29, into: &result)
    func phi(_ band: Int, _ i: Int, _ j: Int) -> (Double, Double) {
      var sum = (0.0, 0.0)
      for row in 2..<40 {
        let a = lowAt(row - i, band)
        let b = lowAt(row - j, band)
        sum.0 += a.0 * b.0 + a.1 * b.1
        sum.1 += a.1 * b.0 - a.0 * b.1
      }
      return sum
    }
    for band in 0..<29 {
      let p01 = phi(band, 0, 1)
      let p02 = phi(band, 0, 2)
      let p12 = phi(band, 1, 2)
      let p11 = phi(band, 1, 1).0
      let p22 = phi(band, 2, 2).0
      let d = p22 * p11 - (p12.0 * p12.0 + p12.1 * p12.1) / (1 + 1e-6)
      let a1 = (
        (p01.0 * p12.0 - p01.1 * p12.1 - p02.0 * p11) / d, (p01.0 * p12.1 + p01.1 * p12.0 - p02.1 * p11) / d
      )
      let a0 = (
        -(p01.0 + a1.0 * p12.0 + a1.1 * p12.1) / p11, -(p01.1 + a1.1 * p12.0 - a1.0 * p12.1) / p11
      )
      let stride = ReplicationKernels.coefficientStride
      let found = (0..<4).map { Double(result[$0 * stride + band]) }
      for (value, expected) in zip(found, [a0.0, a0.1, a1.0, a1.1]) { #expect(abs(value - expected) < 1e-4) }
    }
  }

  /// Silence and endless values predict nothing.
  @Test(arguments: [0, Float.infinity, 1e30]) func hopelessBandsArePredictedByNothing(value: Float) {
    var result = [Float](repeating: 9, count: 4 * ReplicationKernels.coefficientStride)
    let rows = [Float](repeating: value, count: low.count)
    ReplicationKernels.predict(rows, rows: 2..<40, bands: 32, into: &result)
    for part in 0..<4 {
      for band in 0..<32 { #expect(result[part * ReplicationKernels.coefficientStride + band] == 0) }
    }
  }

  @Test func bandsAreCopiedUp() {
    let coefficients = QMFTests.noise(4 * ReplicationKernels.coefficientStride, seed: 13)
    var result = high
    ReplicationKernels.copyUp(
      low, source: 3, width: 13, coefficients: coefficients, first: 20, offset: 5, rows: 4..<36, to: &result)
    let stride = ReplicationKernels.coefficientStride
    for row in 4..<36 {
      for band in 0..<13 {
        let x0 = lowAt(row + 2, band + 3)
        let x1 = lowAt(row + 1, band + 3)
        let x2 = lowAt(row, band + 3)
        let c = (0..<4).map { Double(coefficients[$0 * stride + band + 5]) }
        let re = x0.0 + c[0] * x1.0 - c[1] * x1.1 + c[2] * x2.0 - c[3] * x2.1
        let im = x0.1 + c[0] * x1.1 + c[1] * x1.0 + c[2] * x2.1 + c[3] * x2.0
        let place = row * QMFLayout.stride + 25 + band
        #expect(abs(Double(result[place]) - re) < 1e-5)
        #expect(abs(Double(result[place + QMFLayout.imaginary]) - im) < 1e-5)
      }
    }
    #expect(result[24 + 4 * QMFLayout.stride] == high[24 + 4 * QMFLayout.stride])
    #expect(result[25 + 36 * QMFLayout.stride] == high[25 + 36 * QMFLayout.stride])
  }

  @Test func energiesAreSums() {
    var sums = [Float](repeating: 0, count: 72)
    ReplicationKernels.energies(high, rows: 3..<9, first: 17, count: 21, into: &sums)
    for band in 0..<21 {
      var sum = 0.0
      for row in 3..<9 {
        let place = row * QMFLayout.stride + 17 + band
        sum += Double(high[place] * high[place])
        sum += Double(high[place + QMFLayout.imaginary] * high[place + QMFLayout.imaginary])
      }
      #expect(abs(Double(sums[band]) - sum) < 1e-4)
    }
  }

  @Test(arguments: [16, 17], [(0, true), (96, true), (96, false)])
  func adjustmentIsTheSum(first: Int, kind: (step: Int, addsNoise: Bool)) {
    let gains = QMFTests.noise(4000, seed: 14)
    let levels = QMFTests.noise(4000, seed: 15)
    var mask = [Float](repeating: 1, count: 72)
    var sinusoids = [Float](repeating: 0, count: 72)
    for band in [2, 9, 10] {
      mask[band] = 0
      sinusoids[band] = Float(band)
    }
    let overlap = ReplicationKernels.noiseOverlap
    let re = QMFTests.noise(512, seed: 16)
    let im = QMFTests.noise(512, seed: 17)
    let noise = re + re.prefix(overlap) + im + im.prefix(overlap)
    let rows = 5..<25
    let count = 19
    let what = ReplicationKernels.Adjustment(
      rows: rows, first: first, count: count, step: kind.step, offset: 7, noiseIndex: 490,
      addsNoise: kind.addsNoise, phase: 2, addsSinusoids: true)
    var result = high
    ReplicationKernels.adjust(
      &result, what, gains: gains, levels: levels, mask: mask, sinusoids: sinusoids, noise: noise)
    for (index, row) in rows.enumerated() {
      for band in 0..<count {
        let place = row * QMFLayout.stride + first + band
        let gain = gains[7 + index * kind.step + band]
        let level = kind.addsNoise ? levels[7 + index * kind.step + band] * mask[band] : 0
        let value = (490 + index * count + band) % 512
        let phase = (2 + index) % 4
        let sign: Float = (first + band) % 2 == 0 ? 1 : -1
        let real = gain * high[place] + level * re[value] + [1, 0, -1, 0][phase] * sinusoids[band]
        let imaginary =
          gain * high[place + QMFLayout.imaginary] + level * im[value]
          + [0, 1, 0, -1][phase] * sign * sinusoids[band]
        #expect(abs(result[place] - real) < 1e-5)
        #expect(abs(result[place + QMFLayout.imaginary] - imaginary) < 1e-5)
      }
    }
    // Bands below and other rows are left alone; those above stay silent where they are silent.
    #expect(result[5 * QMFLayout.stride + first - 1] == high[5 * QMFLayout.stride + first - 1])
    #expect(result[25 * QMFLayout.stride + first] == high[25 * QMFLayout.stride + first])
  }

  @Test func smoothingIsAFilter() {
    let source = QMFTests.noise(20 * 72, seed: 18)
    let weights: [Float] = [0.1, 0.2, 0.3, 0.25, 0.15]
    var result = [Float](repeating: 0, count: 20 * 72)
    ReplicationKernels.smooth(source, weights: weights, rows: 2..<12, step: 72, count: 31, into: &result)
    for row in 2..<12 {
      for band in 0..<31 {
        let sum = (0..<5).reduce(Float(0)) { $0 + weights[$1] * source[(row + $1) * 72 + band] }
        #expect(abs(result[row * 72 + band] - sum) < 1e-6)
      }
    }
  }

  @Test func lowBandsAreCopied() {
    var result = high
    ReplicationKernels.copyLow(low, bands: 21, rows: 3..<38, to: &result)
    for row in 3..<38 {
      for band in 0..<64 {
        let expected = band < 21 ? lowAt(row + 2, band) : (0, 0)
        let place = row * QMFLayout.stride + band
        #expect(Double(result[place]) == expected.0)
        #expect(Double(result[place + QMFLayout.imaginary]) == expected.1)
      }
    }
    #expect(result[2 * QMFLayout.stride] == high[2 * QMFLayout.stride])
  }
}
