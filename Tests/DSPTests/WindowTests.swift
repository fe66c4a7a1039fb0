import Testing

@testable import DSP

@Suite struct WindowTests {
  struct Sample: Sendable {
    var length: Int
    var alpha: Double
    var first: [Double]
    var middle: [Double]
    var last: [Double]
  }

  /// Samples of the Kaiser–Bessel derived slopes, computed apart from this code.
  static let samples = [
    Sample(
      length: 1024, alpha: 4,
      first: [0.000292561534838, 0.000429985671225, 0.000546740742768, 0.000654823037408],
      middle: [0.704140346346, 0.706119339106, 0.708092846272, 0.710060823203],
      last: [0.999999785603, 0.999999850537, 0.999999907556, 0.999999957204]),
    Sample(
      length: 960, alpha: 4,
      first: [0.000302156253095, 0.000445226702479, 0.00056749475275, 0.000681246555347],
      middle: [0.703942146271, 0.706053460538, 0.708158535119, 0.710257315839],
      last: [0.999999767952, 0.999999838975, 0.999999900887, 0.999999954351]),
    Sample(
      length: 128, alpha: 6,
      first: [4.37957040941e-05, 0.000118673846482, 0.000230716583324, 0.000389472836916],
      middle: [0.677634329493, 0.697406466302, 0.716675812875, 0.735399017876],
      last: [0.999999924155, 0.999999973385, 0.999999992958, 0.999999999041]),
    Sample(
      length: 120, alpha: 6,
      first: [4.5232008691e-05, 0.000127456469211, 0.000252939838534, 0.000433514049665],
      middle: [0.675630409022, 0.696754976916, 0.717309209577, 0.737240496992],
      last: [0.999999906033, 0.999999968011, 0.999999991877, 0.999999998977]),
  ]

  @Test(arguments: samples) func kaiserBesselHasTheKnownValues(sample: Sample) {
    let window = Window.kaiserBesselDerived(length: sample.length, alpha: sample.alpha)
    #expect(window.count == sample.length)
    let middle = sample.length / 2 - 2
    for (index, expected) in sample.first.enumerated() {
      #expect(abs(Double(window[index]) - expected) <= expected * 6.1e-8)
    }
    for (index, expected) in sample.middle.enumerated() {
      #expect(abs(Double(window[middle + index]) - expected) <= 6.1e-8)
    }
    for (index, expected) in sample.last.enumerated() {
      #expect(abs(Double(window[sample.length - 4 + index]) - expected) <= 6.1e-8)
    }
  }

  @Test(arguments: [1024, 960, 512, 480, 128, 120]) func slopesConservePower(length: Int) {
    for window in [
      Window.sine(length: length), Window.kaiserBesselDerived(length: length, alpha: 4),
      Window.kaiserBesselDerived(length: length, alpha: 6),
    ] {
      for index in 0..<length {
        let power =
          Double(window[index]) * Double(window[index])
          + Double(window[length - 1 - index]) * Double(window[length - 1 - index])
        #expect(abs(power - 1) < 2e-7)
      }
    }
  }

  @Test func sineIsTheSine() {
    #expect(Window.sine(length: 1) == [Float(0.5.squareRoot())])
    let window = Window.sine(length: 128)
    #expect(abs(window[0] - 0.006135884649154475) < 1e-9)
    #expect(abs(window[127] - 0.9999811752826011) < 1e-7)
  }

  @Test func besselFunctionHasTheKnownValues() {
    #expect(Window.besselI0(0) == 1)
    #expect(abs(Window.besselI0(1) - 1.2660658777520082) < 1e-15)
    #expect(abs(Window.besselI0(10) / 2815.716628466254 - 1) < 1e-13)
  }
}
