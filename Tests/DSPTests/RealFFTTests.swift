import Testing

@testable import DSP

@Suite struct RealFFTTests {
  private static func sums(_ x: [Float]) -> (re: [Double], im: [Double]) {
    let size = x.count
    let wide = x.map(Double.init)
    let re = naiveCosineSums(wide, outputs: size / 2 + 1, period: size) { n, k in n * k }
    // −sin(a) is cos(a + a quarter turn).
    let im = naiveCosineSums(wide, outputs: size / 2 + 1, period: size) { n, k in n * k + size / 4 }
    return (re, im)
  }

  @Test(arguments: RealFFT.supportedSizes) func equalsTheSum(size: Int) {
    var generator = Generator(seed: printedSeed("real FFT \(size)"))
    let input = generator.floats(size + 3)
    let bins = size / 2 + 1
    var re = [Float](repeating: .nan, count: bins + 1)
    var im = re
    var power = re
    let transform = RealFFT(size: size)
    transform.forward(input, at: 3, re: &re, im: &im)
    transform.powerSpectrum(input, at: 3, into: &power)
    let reference = Self.sums(Array(input[3...]))
    #expect(signalToNoise(Array(re[..<bins]) + Array(im[..<bins]), reference.re + reference.im) > 130)
    let powers = zip(reference.re, reference.im).map { $0 * $0 + $1 * $1 }
    #expect(signalToNoise(Array(power[..<bins]), powers) > 125)
    #expect(re[bins].isNaN && im[bins].isNaN && power[bins].isNaN)
    #expect(im[0] == 0 && im[bins - 1] == 0)
  }

  @Test(arguments: RealFFT.supportedSizes) func anImpulseIsFlat(size: Int) {
    var input = [Float](repeating: 0, count: size)
    input[1] = 1
    var power = [Float](repeating: 0, count: size / 2 + 1)
    RealFFT(size: size).powerSpectrum(input, into: &power)
    #expect(power.allSatisfy { abs($0 - 1) < 1e-6 })
  }
}
