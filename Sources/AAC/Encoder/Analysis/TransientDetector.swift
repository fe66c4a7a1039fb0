import DSP

/// Finds sudden rises of energy in one channel, in steps of an eighth of a block.
struct TransientDetector: Sendable {
  /// Sub-blocks of a block.
  static let stepCount = 8

  /// A rise above the running mean by this power ratio is an attack.
  private static let attackRatio: Float = 8
  /// Energy a sample (full scale 1) below which nothing counts as an attack.
  private static let leastEnergy: Float = 1e-8

  /// Energies of the sub-blocks of the last three blocks, oldest first.
  private var energies = (SIMD8<Float>(), SIMD8<Float>(), SIMD8<Float>())
  private var highPass = HighPassEnergies()
  /// Negative until the first step: a sound that starts at once has nothing that a pre-echo could spoil.
  private var mean: Float = -1
  private var lastEnergy: Float = 0

  /// Looks at the next block; samples in front of it are there too.
  ///
  /// - Returns: bit s set: an attack begins in sub-block s.
  mutating func attacks(in samples: [Float], at start: Int, count: Int) -> UInt8 {
    let step = Float(count / Self.stepCount)
    let filtered = highPass.next(samples, at: start, count: count)
    var result: UInt8 = 0
    energies = (energies.1, energies.2, energies.2)
    for index in 0..<Self.stepCount {
      let energy = filtered[index] / step
      energies.2[index] = energy
      if mean < 0 { mean = energy }
      if energy > Self.attackRatio * mean, energy > Self.leastEnergy { result |= 1 << UInt8(index) }
      mean = 0.7 * mean + 0.3 * energy
      // A single loud step must not hide what follows it, nor a short dip invite a false alarm.
      mean = max(mean, 0.1 * lastEnergy)
      lastEnergy = energy
    }
    return result
  }

  /// How far the sound in the two blocks before the last is bunched in time: arithmetic over geometric mean
  /// of its energies, 1 for a steady sound.
  var bunching: Float {
    var sum: Float = 0
    var logarithms: Float = 0
    for block in [energies.0, energies.1] {
      for index in 0..<Self.stepCount {
        let energy = block[index] + Self.leastEnergy * 0.01
        sum += energy
        logarithms += Math.log2(energy)
      }
    }
    let count = Float(2 * Self.stepCount)
    return sum / count / Math.exp2(logarithms / count)
  }
}
