/// The two families of complex filterbanks of 64 and 32 bands: how their filters follow from 640 taps.
public enum QMFModulation: Sendable {
  /// The banks of spectral band replication, with a symmetric prototype filter (ISO/IEC 14496-3, 4.6.18.4).
  case symmetric
  /// The low-delay banks (CLDFB), whose prototype filter has its weight on the newest samples (4.6.19).
  case lowDelay
}

extension QMFModulation {
  /// The taps of a bank of 64 or 32 bands, the newest sample's first.
  func taps(_ prototype: [Float], bands: Int) -> [Double] {
    guard bands == 32 else { return prototype.map { Double($0) } }
    return (0..<320).map {
      let first = Double(prototype[2 * $0])
      return self == .symmetric ? first : (first + Double(prototype[2 * $0 + 1])) / 2
    }
  }

  // The banks are sums with exp(±iπ/(2·bands)·(k + ½)·(2n − shift)). The shift turns each band by a multiple
  // of π(k + ½)/128.

  /// Of the analysis of 32 bands, backwards: shifts of ½ and 95.
  var analysisTurn: Int { self == .symmetric ? 1 : 190 }

  /// Of the synthesis, but for the sign: shifts of 255 and 63, with 32 bands of 127½ and 31.
  func synthesisTurn(bands: Int) -> Int { self == .symmetric ? 1 : bands == 64 ? 193 : 194 }
}
