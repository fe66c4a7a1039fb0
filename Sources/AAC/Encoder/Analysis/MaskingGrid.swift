/// A window's spectrum seen by the ear: lines collected in partitions of equal width on the Bark scale,
/// with everything about each partition that does not depend on the sound.
///
/// After ITU-R BS.1387-1, 2.1 (basic version): Bark scale, ear weighting, internal noise, masking offset,
/// slopes of spreading and time constants of forward masking.
struct MaskingGrid: Sendable {
  /// Level of a full-scale sine in dB SPL.
  static let fullScaleLevel = 92.0
  /// Exponent of the addition of masking.
  private static let additionExponent = 0.4

  let partitionCount: Int
  /// First line of each partition, and the line count at the end.
  let firstLine: [Int]
  /// Power weight of the outer and middle ear.
  let earWeight: [Float]
  /// Internal noise in weighted line energy.
  let internalNoise: [Float]
  /// Masked threshold over excitation, as a power ratio.
  let maskingRatio: [Float]
  /// Level-independent part of the upper slope in dB a partition.
  let upperSlope: [Float]
  /// Change of the upper slope in dB a partition for one dB of level.
  let slopeByLevel: Float
  /// Lower slope as a ratio a partition, to the power of the addition exponent.
  let lowerRatio: Float
  /// dB to add to ten times the logarithm of a line energy for dB SPL.
  let levelOffset: Float
  /// What remains of an excitation one window later.
  let forwardDecay: [Float]
  /// Weight of a partition's noise-to-mask ratio in a line's cost: lines in the partition times balance.
  let lineWeight: [Float]

  /// - Parameters:
  ///   - sampleRate: of the sound, Hz.
  ///   - lines: of one window.
  ///   - hop: frames from one window to the next.
  ///   - balance: 1 treats all bands alike; below 1 the wide high bands count less.
  init(sampleRate: Int, lines: Int, hop: Int, balance: Double) {
    let rate = Double(sampleRate)
    let hertzPerLine = rate / Double(2 * lines)
    let step = max(0.25, Self.bark(hertzPerLine))
    var firstLine: [Int] = []
    var lastSlot = -1
    for line in 0..<lines {
      let slot = Int(Self.bark((Double(line) + 0.5) * hertzPerLine) / step)
      if slot != lastSlot {
        firstLine.append(line)
        lastSlot = slot
      }
    }
    firstLine.append(lines)
    let count = firstLine.count - 1
    let centers = (0..<count).map { Double(firstLine[$0] + firstLine[$0 + 1]) / 2 * hertzPerLine }

    // A full-scale sine has an energy of (lines × 32768)² over all lines.
    let fullScale = Double(lines) * 32768
    let offset = Self.fullScaleLevel - 20 * Self.log10(fullScale)
    let width = Double(step)

    partitionCount = count
    self.firstLine = firstLine
    earWeight = centers.map { Float(Math.power(decibels: Self.earWeight($0))) }
    internalNoise = centers.map { Float(Math.power(decibels: Self.internalNoise($0) - offset)) }
    maskingRatio = centers.map { center in
      let bark = Self.bark(center)
      return Float(Math.power(decibels: bark <= 12 ? -3 : -0.25 * bark))
    }
    upperSlope = centers.map { Float((24 + 230 / max($0, 20)) * width) }
    slopeByLevel = Float(0.2 * width)
    lowerRatio = Float(Math.power(decibels: -27 * width * Self.additionExponent))
    levelOffset = Float(offset)
    forwardDecay = centers.map { center in
      let timeConstant = 0.008 + 100 / max(center, 50) * (0.030 - 0.008)
      return Float(Math.exponential(-Double(hop) / (rate * timeConstant)))
    }
    let lineCounts = (0..<count).map { Double(firstLine[$0 + 1] - firstLine[$0]) }
    lineWeight = (0..<count).map { partition in
      // Hertz per Bark, relative to low frequencies.
      let relativeWidth = (1 + centers[partition] * centers[partition] / (650 * 650)).squareRoot()
      return Float(lineCounts[partition] * Math.power(relativeWidth, balance - 1))
    }
  }

  /// Critical-band rate of a frequency in Hz.
  static func bark(_ hertz: Double) -> Double { 7 * Math.areaSine(hertz / 650) }

  private static func log10(_ x: Double) -> Double { Double(Math.log2(Float(x))) * 0.301_029_995_663_981_2 }

  /// Outer and middle ear in dB.
  private static func earWeight(_ hertz: Double) -> Double {
    let kilo = max(hertz, 20) / 1000
    return -0.6 * 3.64 * Math.power(kilo, -0.8)
      + 6.5 * Math.exponential(-0.6 * (kilo - 3.3) * (kilo - 3.3)) - 0.001 * Math.power(kilo, 3.6)
  }

  /// Noise inside the ear in dB SPL.
  private static func internalNoise(_ hertz: Double) -> Double {
    0.4 * 3.64 * Math.power(max(hertz, 20) / 1000, -0.8)
  }
}
