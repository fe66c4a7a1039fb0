import DSP

/// One channel element's channel on its way from spectrum to bits: lines in coded order with their prices,
/// and the stream that comes out.
final class CodedChannel {
  /// What will be written.
  var stream = ChannelStream()
  /// MDCT lines, window after window.
  var spectrum: [Float]
  /// Noise-to-mask ratio of a unit of noise energy, by coded band.
  var weights = [Float](repeating: 0, count: ChannelStream.bandCapacity)
  /// Lines of each coded band.
  private(set) var ranges = [Range<Int>](repeating: 0..<0, count: ChannelStream.bandCapacity)
  private(set) var bandCount = 0
  private var hasLongRanges = false
  /// Energy of each band of substituted noise, `noNoise` elsewhere.
  private var noiseEnergies = [Int16](repeating: noNoise, count: ChannelStream.bandCapacity)
  private var hasNoise = false
  private static let noNoise = Int16.min
  /// Noise energies that any global gain can be told from.
  private static let noiseRange = -80...150

  private var lines: [Float]
  private var magnitudes: [Float]
  private var powers: [Float]
  private var candidates: BandCandidates
  private var search: ScaleFactorSearch
  private let effort: EffortPlan
  private let sectioning: Sectioning
  private let steps = QuantizerSteps.table
  private var largest = [Int](repeating: 0, count: ChannelStream.bandCapacity)

  init(frameLength: Int, effort: EffortPlan) {
    candidates = BandCandidates(effort: effort)
    sectioning = Sectioning(effort: effort)
    self.effort = effort
    search = ScaleFactorSearch(grid: effort.grid)
    spectrum = [Float](repeating: 0, count: frameLength)
    lines = spectrum
    magnitudes = spectrum
    powers = spectrum
  }

  /// Fixes windows, groups and bands of the frame.
  func begin(_ info: ICSInfo, bands: ScaleFactorBands) {
    stream.info = info
    stream.pulses = nil
    stream.tns = nil
    clearNoise()
    let isAsBefore = !info.isShort && hasLongRanges && bandCount == info.maxBand
    hasLongRanges = !info.isShort
    if isAsBefore { return }
    bandCount = info.groupCount * info.maxBand
    let offsets = bands.offsets(short: info.isShort)
    let windowLength = info.isShort ? bands.frameLength / 8 : bands.frameLength
    let lengths = info.groupLengths
    var start = 0
    for group in 0..<info.groupCount {
      for band in 0..<info.maxBand {
        let length = lengths[group]
        ranges[group * info.maxBand + band] =
          start + offsets[band] * length..<start + offsets[band + 1] * length
      }
      start += windowLength * lengths[group]
    }
  }

  /// Twice the bits that a long spectrum needs at a price, as a lower bound.
  func entropy(of spectrum: [Float], price: Float) -> Float {
    var sum: Float = 0
    for band in 0..<bandCount {
      sum += SpectralKernels.logSum(
        spectrum, range: ranges[band], weight: weights[band] * RateControl.linesPerPrice / price)
    }
    return sum
  }

  /// Brings the spectrum into coded order and takes magnitudes and powers.
  func arrange(bands: ScaleFactorBands) {
    if stream.info.isShort {
      Self.interleave(spectrum, info: stream.info, offsets: bands.short, into: &lines)
    } else {
      SpectralKernels.copy(spectrum, range: 0..<spectrum.count, to: &lines, at: 0)
    }
    takeMagnitudes()
  }

  private func takeMagnitudes() {
    // Lines beyond the last band are not coded.
    let range = 0..<(bandCount > 0 ? ranges[bandCount - 1].upperBound : 0)
    SpectralKernels.magnitudes(lines, range: range, into: &magnitudes)
    SpectralKernels.powerThreeQuarters(lines, range: range, into: &powers)
  }

  private static func interleave(
    _ spectrum: [Float], info: ICSInfo, offsets: [Int], into lines: inout [Float]
  ) {
    let windowLength = spectrum.count / 8
    let lengths = info.groupLengths
    var next = 0
    var window = 0
    for group in 0..<info.groupCount {
      for band in 0..<offsets.count - 1 {
        for member in window..<window + lengths[group] {
          for line in offsets[band]..<offsets[band + 1] {
            lines[next] = spectrum[member * windowLength + line]
            next += 1
          }
        }
      }
      window += lengths[group]
    }
  }

  /// Leaves a band's lines out and sends only their energy, for the decoder to fill in noise.
  func substitute(band: Int) {
    let range = ranges[band]
    let energy = 2 * Math.log2(SpectralKernels.energy(spectrum, range: range) + 1e-6)
    var index = min(max(Int(energy.rounded()), Self.noiseRange.lowerBound), Self.noiseRange.upperBound)
    if let before = noiseEnergies[..<band].last(where: { $0 != Self.noNoise }) {
      let reach = ScaleFactors.deltaRange.upperBound
      index = min(max(index, Int(before) - reach), Int(before) + reach)
    }
    noiseEnergies[band] = Int16(index)
    hasNoise = true
    weights[band] = 0
    for line in range { spectrum[line] = 0 }
  }

  func isNoise(band: Int) -> Bool { hasNoise && noiseEnergies[band] != Self.noNoise }

  private func clearNoise() {
    guard hasNoise else { return }
    hasNoise = false
    for band in noiseEnergies.indices { noiseEnergies[band] = Self.noNoise }
  }

  /// Measures the candidates around a price of bits.
  func measure(price: Float) {
    guard effort.searches else { return }
    candidates.fill(
      magnitudes: magnitudes, powers: powers, ranges: ranges, bandCount: bandCount, weights: weights,
      price: price)
  }

  /// The least that a band costs at the price that was measured.
  func leastCost(band: Int, price: Float) -> Float { candidates.leastCost(band: band, price: price) }

  /// Becomes the middle or side of two channels, which are arranged; bands are those of `left`.
  func join(_ left: CodedChannel, _ right: CodedChannel, sign: Float) {
    stream.info = left.stream.info
    bandCount = left.bandCount
    ranges = left.ranges
    hasLongRanges = false
    Self.addWeights(left.weights, right.weights, count: bandCount, into: &weights)
    SpectralKernels.halfSum(left.lines, right.lines, sign: sign, into: &lines)
    takeMagnitudes()
  }

  private static func addWeights(
    _ left: [Float], _ right: [Float], count: Int, into weights: inout [Float]
  ) {
    for band in 0..<count { weights[band] = left[band] + right[band] }
  }

  /// Takes over a band of another channel, with what was measured.
  func adopt(band: Int, from other: CodedChannel) {
    weights[band] = other.weights[band]
    let range = ranges[band]
    SpectralKernels.copy(other.lines, range: range, to: &lines, at: range.lowerBound)
    SpectralKernels.copy(other.magnitudes, range: range, to: &magnitudes, at: range.lowerBound)
    SpectralKernels.copy(other.powers, range: range, to: &powers, at: range.lowerBound)
    candidates.adopt(band: band, from: other.candidates)
  }

  /// Chooses scale factors for a price; returns the estimate of the bits that they take.
  func choose(price: Float) -> Float {
    guard effort.searches else {
      search.estimate(
        magnitudes: magnitudes, ranges: ranges, bandCount: bandCount, weights: weights, price: price)
      return 0
    }
    search.run(candidates, bandCount: bandCount, price: price)
    return search.bits
  }

  /// Quantises with the choice made and forms sections: `stream` is then whole.
  func quantize() {
    SpectralKernels.quantizeBands(
      lines, powers: powers, ranges: ranges, bandCount: bandCount,
      choice: BandChoice(scaleFactors: search.chosen, roundings: search.rounding), steps: steps,
      into: &stream.spectrum, largest: &largest)
    if !effort.searches { search.leaveOut(largest, bandCount: bandCount) }
    sectioning.choose(for: &stream, ranges: ranges, largest: largest)
    if hasNoise {
      for band in 0..<bandCount where noiseEnergies[band] != Self.noNoise {
        stream.codebooks[band] = Codebook.noise
        stream.scaleFactors[band] = noiseEnergies[band]
      }
    }
    setScaleFactors()
  }

  /// Bands without a choice that share a neighbour's codebook repeat the scale factor before them.
  private func setScaleFactors() {
    stream.globalGain = Self.setScaleFactors(
      search.chosen, codebooks: stream.codebooks, bandCount: bandCount, into: &stream.scaleFactors)
  }

  /// Returns the first of them.
  private static func setScaleFactors(
    _ chosen: [Int], codebooks: [UInt8], bandCount: Int, into scaleFactors: inout [Int16]
  ) -> Int {
    var running = chosen.prefix(bandCount).first { $0 >= 0 } ?? 100
    var first: Int?
    for band in 0..<bandCount {
      if codebooks[band] == Codebook.zero {
        scaleFactors[band] = 0
        continue
      }
      // Noise has energies of its own.
      if codebooks[band] == Codebook.noise { continue }
      if chosen[band] >= 0 { running = chosen[band] }
      scaleFactors[band] = Int16(truncatingIfNeeded: running)
      if first == nil { first = running }
    }
    return first ?? 100
  }
}
