import DSP

/// Which of the eight short windows share scale factors: neighbours whose energies are alike.
enum Grouping {
  /// Windows whose energies differ by more than this power ratio are kept apart.
  private static let ratio: Float = 4

  /// - Parameter spectra: short spectra, window after window, of the element's channels.
  /// - Returns: scale_factor_grouping.
  static func choose(_ spectra: [[Float]]) -> UInt8 {
    var grouping: UInt8 = 0
    var mean: Float = 0
    var count: Float = 0
    for window in 0..<8 {
      var energy: Float = 1
      for spectrum in spectra {
        let length = spectrum.count / 8
        energy += SpectralKernels.energy(spectrum, range: window * length + 2..<(window + 1) * length)
      }
      if window > 0, energy < ratio * mean, mean < ratio * energy {
        grouping |= 1 << UInt8(7 - window)
        mean = (mean * count + energy) / (count + 1)
        count += 1
      } else {
        mean = energy
        count = 1
      }
    }
    return grouping
  }
}
