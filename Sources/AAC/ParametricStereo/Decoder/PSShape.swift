import DSP

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The two band divisions, with the filters that split the lowest QMF bands (8.6.4.3).
enum PSShape {
  static let of20 = StereoShape(
    splits: [
      StereoShape.Split(band: 0, first: 0, taps: sixOf20),
      // The upper half first.
      StereoShape.Split(band: 1, first: 6, taps: real(PSTables.twoOf20).reversed()),
      StereoShape.Split(band: 2, first: 8, taps: real(PSTables.twoOf20)),
    ],
    parameterBands: PSTables.bandsOf20, parameterCount: 20,
    centers: PSTables.centersOf20 + (10..<71).map { Double($0) - 6.5 },
    allPassCount: 30, decayStart: 10, shortDelayStart: 42)

  static let of34 = StereoShape(
    splits: [
      StereoShape.Split(band: 0, first: 0, taps: complex(PSTables.twelveOf34, count: 12)),
      StereoShape.Split(band: 1, first: 12, taps: complex(PSTables.eightOf34, count: 8)),
      StereoShape.Split(band: 2, first: 20, taps: complex(PSTables.fourOf34, count: 4)),
      StereoShape.Split(band: 3, first: 24, taps: complex(PSTables.fourOf34, count: 4)),
      StereoShape.Split(band: 4, first: 28, taps: complex(PSTables.fourOf34, count: 4)),
    ],
    parameterBands: PSTables.bandsOf34, parameterCount: 34,
    centers: PSTables.twelfthCentersOf34.map { $0 / 12 } + (32..<91).map { Double($0) - 26.5 },
    allPassCount: 50, decayStart: 32, shortDelayStart: 62)

  private static func mirrored(_ half: [Double]) -> [Double] { half + half.dropLast().reversed() }

  /// p[n]·exp(2πi/count·(q + ½)(n − 6)).
  static func complex(_ half: [Double], count: Int) -> [[(re: Double, im: Double)]] {
    (0..<count).map { q in
      mirrored(half).enumerated().map { n, tap in
        let angle = 2 * Double.pi / Double(count) * (Double(q) + 0.5) * Double(n - 6)
        return (tap * cos(angle), tap * sin(angle))
      }
    }
  }

  /// p[n]·cos(πq(n − 6)).
  static func real(_ half: [Double]) -> [[(re: Double, im: Double)]] {
    (0..<2).map { q in
      mirrored(half).enumerated().map { n, tap in (q == 1 && n % 2 != 0 ? -tap : tap, 0) }
    }
  }

  /// Eight bands of which the outer ones are taken together.
  private static var sixOf20: [[(re: Double, im: Double)]] {
    let eight = complex(PSTables.eightOf20, count: 8)
    func sum(_ a: Int, _ b: Int) -> [(re: Double, im: Double)] {
      zip(eight[a], eight[b]).map { ($0.re + $1.re, $0.im + $1.im) }
    }
    return [eight[6], eight[7], eight[0], eight[1], sum(2, 5), sum(3, 4)]
  }
}
