/// What a masking model knows of its partitions, one entry a partition in every array.
public struct MaskingPartitions: Sendable {
  /// First line of each partition, and the line count at the end.
  public var firstLine: [Int]
  /// Power weight of the outer and middle ear.
  public var earWeight: [Float]
  /// Internal noise in weighted line energy.
  public var internalNoise: [Float]
  /// Masked threshold over excitation, as a power ratio.
  public var maskingRatio: [Float]
  /// Level-independent part of the upper slope in dB a partition.
  public var upperSlope: [Float]
  /// What remains of an excitation one window later.
  public var forwardDecay: [Float]
  /// Weight of a partition's noise-to-mask ratio in a line's cost.
  public var lineWeight: [Float]
  /// Change of the upper slope in dB a partition for one dB of level.
  public var slopeByLevel: Float
  /// Lower slope as a ratio a partition, to the power 0.4.
  public var lowerRatio: Float
  /// dB to add to ten times the logarithm of a line energy for dB SPL.
  public var levelOffset: Float
  /// How far the mask may rise from one window to the next, as a power ratio.
  public var preEchoLimit: Float

  public init(
    firstLine: [Int], earWeight: [Float], internalNoise: [Float], maskingRatio: [Float],
    upperSlope: [Float], forwardDecay: [Float], lineWeight: [Float], slopeByLevel: Float,
    lowerRatio: Float, levelOffset: Float, preEchoLimit: Float
  ) {
    self.firstLine = firstLine
    self.earWeight = earWeight
    self.internalNoise = internalNoise
    self.maskingRatio = maskingRatio
    self.upperSlope = upperSlope
    self.forwardDecay = forwardDecay
    self.lineWeight = lineWeight
    self.slopeByLevel = slopeByLevel
    self.lowerRatio = lowerRatio
    self.levelOffset = levelOffset
    self.preEchoLimit = preEchoLimit
  }
}

/// Turns the spectrum of a window into the price of noise in each band, by the psychoacoustic model of
/// ITU-R BS.1387-1, 2.1: ear weighting, spreading (added to the power 0.4), forward masking.
public final class MaskingModel {
  /// What one channel remembers from window to window.
  public struct Memory: Sendable {
    /// Excitation of the window before, decaying (forward masking).
    var excitation: [Float]
    /// Excitation of the window before as it was (pre-echo control).
    var previous: [Float]

    /// Forgets the windows before: they were of another length.
    public mutating func forget() {
      for index in excitation.indices {
        excitation[index] = 0
        previous[index] = 0x1p100
      }
    }
  }

  /// Contributions of a masker below this part of its own are left out.
  private static let floor: Float = 0.003
  private static let longestSlope = 96
  /// A partition's sound below this part of its mask may be no more than what a window leaks between pure tones.
  private static let leakage: Float = 0.001

  private let lineCount: Int
  private let count: Int
  /// `count` rounded up to whole registers.
  private let padded: Int
  private let firstLine: TableStore<Int>
  private let earWeight: FloatStore
  private let internalNoise: FloatStore
  private let upperSlope: FloatStore
  private let decay: FloatStore
  private let inverseNormalization: FloatStore
  /// Line weight over masking ratio, in weighted energy.
  private let maskWeight: FloatStore
  private let slopeByLevel: Float
  private let lowerRatio: Float
  private let levelOffset: Float
  private let preEchoLimit: Float
  private let spreadsQuickly: Bool
  // What each band's mean over its lines is made of: partitions from `bandFirst` on, their shares from
  // `shareFirst` on.
  private let bandCount: Int
  private let bandFirst: TableStore<Int>
  private let shareFirst: TableStore<Int>
  private let shares: TableStore<Float>
  // Scratch.
  private let lineEnergies: FloatStore
  private let energies: FloatStore
  /// The energies before they are spread.
  private let ownEnergies: FloatStore
  private let peaks: FloatStore
  private let ratios: FloatStore
  private let sums: FloatStore

  /// - Parameter spreadsQuickly: a masker's slope follows the partitions that it passes instead of staying
  ///   its own.
  public init(_ partitions: MaskingPartitions, bandOffsets: [Int], spreadsQuickly: Bool) {
    self.spreadsQuickly = spreadsQuickly
    let lines = partitions.firstLine.last ?? 0
    count = partitions.firstLine.count - 1
    lineCount = lines
    precondition(lines >= 24 && lines & 7 == 0 && bandOffsets.last ?? 0 <= lines, "whole registers of lines")
    let padded = (count + 7) & ~7
    self.padded = padded
    func store(_ values: [Float], padding: Float) -> FloatStore {
      precondition(values.count == partitions.firstLine.count - 1, "an entry for every partition")
      return FloatStore((values + [Float](repeating: padding, count: padded - values.count)).map(Double.init))
    }
    firstLine = TableStore(partitions.firstLine, padding: lines)
    earWeight = store(partitions.earWeight, padding: 0)
    internalNoise = store(partitions.internalNoise, padding: 1)
    upperSlope = store(partitions.upperSlope, padding: 100)
    decay = store(partitions.forwardDecay, padding: 0)
    maskWeight = store(
      partitions.lineWeight.indices.map {
        partitions.lineWeight[$0] * partitions.earWeight[$0] / partitions.maskingRatio[$0]
      }, padding: 0)
    slopeByLevel = partitions.slopeByLevel
    lowerRatio = partitions.lowerRatio
    levelOffset = partitions.levelOffset
    preEchoLimit = partitions.preEchoLimit

    bandCount = bandOffsets.count - 1
    var bandFirst: [Int] = []
    var shareFirst = [0]
    var shares: [Float] = []
    for (start, end) in zip(bandOffsets, bandOffsets.dropFirst()) {
      var first: Int?
      for partition in 0..<count {
        let low = max(start, partitions.firstLine[partition])
        let high = min(end, partitions.firstLine[partition + 1])
        guard low < high else { continue }
        if first == nil { first = partition }
        shares.append(Float(high - low) / Float(end - start))
      }
      bandFirst.append(first ?? 0)
      shareFirst.append(shares.count)
    }
    self.bandFirst = TableStore(bandFirst, padding: 0)
    self.shareFirst = TableStore(shareFirst, padding: 0)
    self.shares = TableStore(shares, padding: 0)

    lineEnergies = FloatStore(count: lines)
    energies = FloatStore(count: padded)
    ownEnergies = FloatStore(count: padded)
    peaks = FloatStore(count: padded)
    ratios = FloatStore(count: padded)
    sums = FloatStore(count: padded + Self.longestSlope + 8)
    inverseNormalization = FloatStore(count: padded)
    // What a flat spectrum at 0 dB comes to.
    for partition in 0..<padded { energies.pointer[partition] = 1 }
    spread(levelOffset: 0)
    for partition in 0..<count {
      let sum = sums.pointer[partition]
      inverseNormalization.pointer[partition] = 1 / (sum * sum * sum.squareRoot())
    }
  }

  public func makeMemory() -> Memory {
    let quiet = (0..<padded).map { internalNoise.pointer[$0] }
    return Memory(excitation: quiet, previous: quiet)
  }

  /// Writes one weight for each band to `weights[offset…]`: the factor by which noise energy, in squared line
  /// units, becomes a noise-to-mask ratio.
  ///
  /// - Parameters:
  ///   - spectrum: MDCT lines of the window, from `line` on.
  ///   - sines: the MDST lines in the same places, signs of no account; `nil`: estimated from `spectrum`.
  ///   - highestMask: how far the mask may stand over a partition's own sound, as a power ratio.
  public func analyze(
    _ spectrum: [Float], sines: [Float]?, at line: Int, highestMask: Float, memory: inout Memory,
    weights: inout [Float], at offset: Int
  ) {
    precondition(
      memory.excitation.count == padded && memory.previous.count == padded, "a memory of this model")
    SpectralKernels.reading(spectrum, line..<line + lineCount) { spectrum in
      if let sines {
        SpectralKernels.reading(sines, line..<line + lineCount) { lineEnergies(spectrum, $0) }
      } else {
        lineEnergies(spectrum)
      }
    }
    partitionEnergies()
    spread(levelOffset: levelOffset)
    memory.excitation.withUnsafeMutableBufferPointer { excitation in
      memory.previous.withUnsafeMutableBufferPointer { previous in
        guard let excitation = excitation.baseAddress, let previous = previous.baseAddress else { return }
        mask(excitation, previous, highestMask)
      }
    }
    SpectralKernels.writing(&weights, offset, bandCount) { bandWeights($0) }
  }

  /// Twice the energy of each line, from its cosine and its sine part.
  private func lineEnergies(_ x: UnsafePointer<Float>, _ y: UnsafePointer<Float>) {
    for line in stride(from: 0, to: lineCount, by: 8) {
      let (own, other) = (load(x + line), load(y + line))
      store(Lanes.multiplyAdd(other, other, own * own), lineEnergies.pointer + line)
    }
  }

  /// The same where the neighbours' difference stands for the missing sine part (Daudet and Sandler, 2004).
  private func lineEnergies(_ x: UnsafePointer<Float>) {
    let e = lineEnergies.pointer
    let last = lineCount - 8
    for line in 0..<8 {
      let y = x[line + 1] - (line > 0 ? x[line - 1] : 0)
      e[line] = x[line] * x[line] + y * y
    }
    for line in stride(from: 8, to: last, by: 8) {
      let own = load(x + line)
      let y = load(x + line + 1) - load(x + line - 1)
      store(Lanes.multiplyAdd(y, y, own * own), e + line)
    }
    for line in last..<lineCount {
      let y = (line + 1 < lineCount ? x[line + 1] : 0) - x[line - 1]
      e[line] = x[line] * x[line] + y * y
    }
  }

  /// Ear-weighted energies with the ear's own noise.
  private func partitionEnergies() {
    let e = lineEnergies.pointer
    let firstLine = firstLine.pointer
    let energies = energies.pointer
    for partition in 0..<count {
      var line = firstLine[partition]
      let end = firstLine[partition + 1]
      var total: Float = 0
      if line &+ 8 <= end {
        var lanes = load(e + line)
        line &+= 8
        while line &+ 8 <= end {
          lanes += load(e + line)
          line &+= 8
        }
        total = sum(lanes)
      }
      while line < end {
        total += e[line]
        line &+= 1
      }
      energies[partition] = 0.5 * total
    }
    for index in stride(from: 0, to: padded, by: 8) {
      let energy = Lanes.multiplyAdd(
        load(energies + index), load(earWeight.pointer + index), load(internalNoise.pointer + index))
      store(energy, energies + index)
      store(energy, ownEnergies.pointer + index)
    }
  }

  /// From `energies` to `sums`, to the power 0.4 each.
  private func spread(levelOffset: Float) {
    let one = Lanes8(repeating: 1)
    let lower = lowerRatio * lowerRatio * lowerRatio.squareRoot()
    let ownAndLower = Lanes8(repeating: 1 + lower / (1 - lower))
    var steepest = Lanes8(repeating: 0)
    let sums = sums.pointer
    for index in stride(from: 0, to: padded, by: 8) {
      let logarithm = log2(load(energies.pointer + index))
      let level = Lanes.multiplyAdd(
        logarithm, Lanes8(repeating: 3.010_3), Lanes8(repeating: levelOffset))
      var slope = Lanes.negativeMultiplyAdd(
        level, Lanes8(repeating: slopeByLevel), load(upperSlope.pointer + index))
      let least = Lanes8(repeating: 0.5)
      slope.replace(with: least, where: slope .< least)
      // 10^(-slope/10 × 0.4) as a power of two.
      var exponent = slope * Lanes8(repeating: -0.332_192_81 * 0.4)
      let limit = Lanes8(repeating: -100)
      exponent.replace(with: limit, where: exponent .< limit)
      let ratio = exp2(exponent)
      let upper = fiveHalves(ratio)
      // The parts of one masker add up to its energy (in the linear domain).
      let total = ownAndLower + upper / (one - upper)
      let peak = exp2(Lanes8(repeating: 0.4) * (logarithm - log2(total)))
      store(peak, peaks.pointer + index)
      store(peak, sums + index)
      store(ratio, ratios.pointer + index)
      steepest.replace(with: ratio, where: ratio .> steepest)
    }
    for index in stride(from: padded, to: padded + Self.longestSlope + 8, by: 8) {
      store(Lanes8(repeating: 0), sums + index)
    }
    if spreadsQuickly {
      spreadBothWays()
      return
    }
    spreadUpwards(ratio: max(steepest.max(), 0.01))
    // All lower slopes are alike.
    var carried: Float = 0
    for partition in stride(from: count - 1, through: 0, by: -1) {
      sums[partition] += carried
      carried = lowerRatio * (carried + peaks.pointer[partition])
    }
  }

  /// Adds all maskers' contributions one partition up, then two…
  ///
  /// - Parameter ratio: the largest of a partition to the next.
  private func spreadUpwards(ratio: Float) {
    let steps = Int(Elementary.log2(Self.floor) / Elementary.log2(min(ratio, 0.999))) + 1
    let contributions = energies.pointer
    for index in stride(from: 0, to: padded, by: 8) {
      store(load(peaks.pointer + index), contributions + index)
    }
    for distance in 1...min(max(steps, 1), Self.longestSlope) {
      let target = sums.pointer + distance
      for index in stride(from: 0, to: padded, by: 8) {
        let part = load(contributions + index) * load(ratios.pointer + index)
        store(part, contributions + index)
        store(load(target + index) + part, target + index)
      }
    }
  }

  private func spreadBothWays() {
    let sums = sums.pointer
    let peaks = peaks.pointer
    let ratios = ratios.pointer
    var up: Float = 0
    var down: Float = 0
    var last = count - 1
    for partition in 0..<count {
      sums[partition] += up
      up = ratios[partition] * (up + peaks[partition])
      sums[last] += down
      down = lowerRatio * (down + peaks[last])
      last &-= 1
    }
  }

  /// From `sums` to the weight of a line's noise in each partition, in `energies`.
  private func mask(
    _ excitation: UnsafeMutablePointer<Float>, _ previous: UnsafeMutablePointer<Float>, _ highestMask: Float
  ) {
    let highest = Lanes8(repeating: highestMask)
    let leakage = Lanes8(repeating: Self.leakage)
    let limit = Lanes8(repeating: preEchoLimit)
    for index in stride(from: 0, to: padded, by: 8) {
      let now = fiveHalves(load(sums.pointer + index)) * load(inverseNormalization.pointer + index)
      let smeared = Lanes.multiplyAdd(
        load(decay.pointer + index), load(excitation + index) - now, now)
      store(smeared, excitation + index)
      var mask = now
      mask.replace(with: smeared, where: smeared .> now)
      let most = limit * load(previous + index)
      mask.replace(with: most, where: most .< mask)
      let own = load(ownEnergies.pointer + index)
      let high = own * highest
      mask.replace(with: high, where: (high .< mask) .& (own .> mask * leakage))
      store(now, previous + index)
      let least = load(internalNoise.pointer + index)
      mask.replace(with: least, where: mask .< least)
      store(load(maskWeight.pointer + index) / mask, energies.pointer + index)
    }
  }

  private func bandWeights(_ weights: UnsafeMutablePointer<Float>) {
    for band in 0..<bandCount {
      let partition = energies.pointer + bandFirst.pointer[band]
      let first = shareFirst.pointer[band]
      var sum: Float = 0
      for place in first..<shareFirst.pointer[band + 1] {
        sum += partition[place - first] * shares.pointer[place]
      }
      weights[band] = sum
    }
  }
}
