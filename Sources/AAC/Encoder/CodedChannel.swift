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
  /// Codebook and position of each band that follows from the left channel, 0 elsewhere.
  private var intensityBooks = [UInt8](repeating: Codebook.zero, count: ChannelStream.bandCapacity)
  private var positions = [Int16](repeating: 0, count: ChannelStream.bandCapacity)
  private var hasIntensity = false
  /// A section of intensity goes on over so many bands without a carrier rather than to end and begin anew.
  private static let longestBridge = 9
  /// Noise energies that any global gain can be told from.
  private static let noiseRange = -80...150

  private var lines: [Float]
  private var magnitudes: [Float]
  private var powers: [Float]
  /// In place of magnitudes where scale factors are not searched.
  private var sums = BandSums(bandCapacity: ChannelStream.bandCapacity)
  private var candidates: BandCandidates
  /// By band, where `takeLeastCosts` was called.
  private(set) var leastCosts = [Float](repeating: 0, count: ChannelStream.bandCapacity)
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
    clearIntensity()
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
      // The spectrum has served its time.
      swap(&spectrum, &lines)
    }
    takeMagnitudes()
  }

  private func takeMagnitudes() {
    guard effort.searches else {
      SpectralKernels.powersAndSums(lines, ranges: ranges, bandCount: bandCount, into: &powers, &sums)
      return
    }
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

  /// Leaves out a band, which was measured: only how it follows from the left channel's is sent.
  func follow(band: Int, position: Int, isInverted: Bool) {
    intensityBooks[band] = isInverted ? Codebook.intensityOutOfPhase : Codebook.intensityInPhase
    positions[band] = Int16(truncatingIfNeeded: position)
    hasIntensity = true
    weights[band] = 0
    SpectralKernels.clear(&lines, range: ranges[band])
    SpectralKernels.clear(&magnitudes, range: ranges[band])
    SpectralKernels.clear(&powers, range: ranges[band])
    candidates.leaveOut(band: band)
  }

  private func clearIntensity() {
    guard hasIntensity else { return }
    hasIntensity = false
    for band in intensityBooks.indices { intensityBooks[band] = Codebook.zero }
  }

  /// Bands are not worth coding until they have weights.
  func clearWeights() {
    for band in 0..<bandCount { weights[band] = 0 }
  }

  /// Measures the candidates around a price of bits.
  func measure(price: Float) {
    guard effort.searches else { return }
    candidates.fill(
      magnitudes: magnitudes, powers: powers, ranges: ranges, bandCount: bandCount, weights: weights,
      price: price)
  }

  /// Takes note of the least that each band costs at the price that was measured.
  func takeLeastCosts(price: Float) {
    candidates.leastCosts(bandCount: bandCount, price: price, into: &leastCosts)
  }

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

  /// Takes over bands of another channel, with what was measured: bit b of `bands` is for band `start + b`.
  func adopt(_ bands: UInt64, from start: Int, of other: CodedChannel) {
    Self.adoptWeights(other.weights, bands, start, into: &weights)
    SpectralKernels.copyBands(other.lines, ranges: ranges, bands: bands, from: start, to: &lines)
    SpectralKernels.copyBands(other.magnitudes, ranges: ranges, bands: bands, from: start, to: &magnitudes)
    SpectralKernels.copyBands(other.powers, ranges: ranges, bands: bands, from: start, to: &powers)
    candidates.adopt(bands, from: start, of: other.candidates)
  }

  private static func adoptWeights(
    _ other: [Float], _ bands: UInt64, _ start: Int, into weights: inout [Float]
  ) {
    var rest = bands
    while rest != 0 {
      let band = start + rest.trailingZeroBitCount
      weights[band] = other[band]
      rest &= rest &- 1
    }
  }

  /// Chooses scale factors for a price; returns the estimate of the bits that they take.
  func choose(price: Float) -> Float {
    guard effort.searches else {
      search.estimate(sums, bandCount: bandCount, weights: weights, price: price)
      return 0
    }
    search.run(candidates, bandCount: bandCount, price: price)
    return search.bits
  }

  /// Quantises with the choice made and forms sections: `stream` is then whole. Returns the bits of its global
  /// gain, sections, scale factors and lines.
  ///
  /// - Parameter carrier: the left channel of a pair, quantised, for the right one.
  func quantize(carrier: CodedChannel? = nil) -> Int {
    quantize(
      lines, powers, ranges, steps, sectioning, &search, into: &stream, &largest,
      carrier: hasIntensity ? carrier : nil)
  }

  /// Every access to a property of the class costs a check: here there is one for each.
  private func quantize(
    _ lines: [Float], _ powers: [Float], _ ranges: [Range<Int>], _ steps: StepTable, _ sectioning: Sectioning,
    _ search: inout ScaleFactorSearch, into stream: inout ChannelStream, _ largest: inout [Int],
    carrier: CodedChannel?
  ) -> Int {
    let bandCount = stream.bandCount
    SpectralKernels.quantizeBands(
      lines, powers: powers, ranges: ranges, bandCount: bandCount,
      choice: BandChoice(scaleFactors: search.chosen, roundings: search.rounding), steps: steps,
      into: &stream.spectrum, largest: &largest)
    if !effort.searches { search.leaveOut(largest, bandCount: bandCount) }
    sectioning.choose(for: &stream, ranges: ranges, largest: largest)
    if hasNoise { setNoise(&stream) }
    if let carrier { setIntensity(&stream, carrier: carrier.stream.codebooks) }
    // Bands without a choice that share a neighbour's codebook repeat the scale factor before them.
    stream.globalGain = Self.setScaleFactors(
      search.chosen, codebooks: stream.codebooks, bandCount: bandCount, into: &stream.scaleFactors)
    return ChannelStream.globalGainBits + SectionData.bits(of: stream.codebooks, info: stream.info)
      + ScaleFactors.bits(of: stream) + sectioning.lineBits(of: stream, largest: largest)
  }

  private func setNoise(_ stream: inout ChannelStream) {
    for band in 0..<bandCount where noiseEnergies[band] != Self.noNoise {
      stream.codebooks[band] = Codebook.noise
      stream.scaleFactors[band] = noiseEnergies[band]
    }
  }

  /// Nothing is sent where nothing is left of the carrier, but for short gaps in a section.
  private func setIntensity(_ stream: inout ChannelStream, carrier: [UInt8]) {
    for group in 0..<stream.info.groupCount {
      var last: Int?
      for band in group * stream.info.maxBand..<(group + 1) * stream.info.maxBand {
        guard intensityBooks[band] != Codebook.zero else {
          last = nil
          continue
        }
        guard carrier[band] != Codebook.zero else { continue }
        if let last, band - last - 1 <= Self.longestBridge {
          for gap in last + 1..<band {
            stream.codebooks[gap] = stream.codebooks[last]
            stream.scaleFactors[gap] = positions[last]
          }
        }
        stream.codebooks[band] = intensityBooks[band]
        stream.scaleFactors[band] = positions[band]
        last = band
      }
    }
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
      // Noise has energies of its own, intensity positions.
      if codebooks[band] >= Codebook.noise { continue }
      if chosen[band] >= 0 { running = chosen[band] }
      scaleFactors[band] = Int16(truncatingIfNeeded: running)
      if first == nil { first = running }
    }
    return first ?? 100
  }
}
