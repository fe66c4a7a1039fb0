/// Turns the spectrum of a window into the price of noise: for each scale factor band the factor by which
/// noise energy, in squared line units, becomes a noise-to-mask ratio.
final class Psychoacoustics {
  /// What one channel remembers from window to window.
  struct Memory {
    /// Excitation of the window before, decaying (forward masking).
    var excitation: [Float]
    /// Excitation of the window before as it was (pre-echo control).
    var previous: [Float]
  }

  let grid: MaskingGrid
  private let bandOffsets: [Int]
  private var energies: [Float]
  private var sums: [Float]
  private var lineWeights: [Float]
  /// How far the mask may rise from one window to the next.
  private let preEchoLimit: Float

  init(grid: MaskingGrid, bandOffsets: [Int], preEchoLimit: Float) {
    self.grid = grid
    self.bandOffsets = bandOffsets
    self.preEchoLimit = preEchoLimit
    energies = [Float](repeating: 0, count: grid.partitionCount)
    sums = energies
    lineWeights = energies
  }

  func makeMemory() -> Memory {
    Memory(excitation: grid.internalNoise, previous: grid.internalNoise)
  }

  /// Writes one weight for each band to `weights[offset...]`.
  ///
  /// - Parameters:
  ///   - spectrum: MDCT lines of the window, from `line` on.
  func analyze(
    _ spectrum: [Float], at line: Int, memory: inout Memory, weights: inout [Float], at offset: Int
  ) {
    Self.partitionEnergies(spectrum, at: line, grid: grid, into: &energies)
    Self.excitation(energies, grid: grid, into: &sums)
    Self.mask(
      sums, grid: grid, preEchoLimit: preEchoLimit, memory: &memory, lineWeights: &lineWeights)
    Self.bandWeights(
      lineWeights, grid: grid, bandOffsets: bandOffsets, into: &weights, at: offset)
  }

  /// Ear-weighted energies with the ear's own noise. The energy of a line is estimated from the line and
  /// its neighbours' difference, which stands for the missing sine part (Daudet and Sandler, 2004).
  private static func partitionEnergies(
    _ spectrum: [Float], at start: Int, grid: MaskingGrid, into energies: inout [Float]
  ) {
    let lines = grid.partitionOfLine.count
    let firstLine = grid.firstLine
    for partition in 0..<grid.partitionCount {
      var sum: Float = 0
      for line in firstLine[partition]..<firstLine[partition + 1] {
        let x = spectrum[start + line]
        let after = line + 1 < lines ? spectrum[start + line + 1] : 0
        let before = line > 0 ? spectrum[start + line - 1] : 0
        let y = after - before
        sum += x * x + y * y
      }
      energies[partition] = 0.5 * sum * grid.earWeight[partition] + grid.internalNoise[partition]
    }
  }

  private static func excitation(_ energies: [Float], grid: MaskingGrid, into sums: inout [Float]) {
    for partition in 0..<grid.partitionCount { sums[partition] = 0 }
    for masker in 0..<grid.partitionCount {
      let level = 3.010_3 * Math.log2(energies[masker]) + grid.levelOffset
      Spreading.spread(
        masker: masker, energy: energies[masker], level: level, upperSlope: grid.upperSlope[masker],
        slopeByLevel: grid.slopeByLevel, lowerRatio: grid.lowerRatio, into: &sums)
    }
    for partition in 0..<grid.partitionCount {
      let x = sums[partition]
      sums[partition] = x * x * x.squareRoot() / grid.normalization[partition]
    }
  }

  private static func mask(
    _ excitation: [Float], grid: MaskingGrid, preEchoLimit: Float, memory: inout Memory,
    lineWeights: inout [Float]
  ) {
    for partition in 0..<grid.partitionCount {
      let now = excitation[partition]
      let decay = grid.forwardDecay[partition]
      let smeared = decay * memory.excitation[partition] + (1 - decay) * now
      memory.excitation[partition] = smeared
      let limited = min(max(now, smeared), preEchoLimit * memory.previous[partition])
      memory.previous[partition] = now
      let mask =
        max(limited, grid.internalNoise[partition]) * grid.maskingRatio[partition]
        / grid.earWeight[partition]
      lineWeights[partition] = grid.lineWeight[partition] / mask
    }
  }

  private static func bandWeights(
    _ lineWeights: [Float], grid: MaskingGrid, bandOffsets: [Int], into weights: inout [Float],
    at offset: Int
  ) {
    let partitionOfLine = grid.partitionOfLine
    for band in 0..<bandOffsets.count - 1 {
      var sum: Float = 0
      for line in bandOffsets[band]..<bandOffsets[band + 1] {
        sum += lineWeights[Int(partitionOfLine[line])]
      }
      weights[offset + band] = sum / Float(bandOffsets[band + 1] - bandOffsets[band])
    }
  }
}
