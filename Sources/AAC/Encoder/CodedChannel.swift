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
  var bandCount = 0

  private var lines: [Float]
  private var magnitudes: [Float]
  private var powers: [Float]
  private var candidates: BandCandidates
  private var search: ScaleFactorSearch
  private let sectioning = Sectioning()
  private let steps = QuantizerSteps.table
  private var largest = [Int](repeating: 0, count: ChannelStream.bandCapacity)

  init(frameLength: Int, effort: EffortPlan) {
    candidates = BandCandidates(effort: effort)
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
      lines = spectrum
    }
    let range = 0..<lines.count
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

  /// Measures the candidates around a price of bits.
  func measure(price: Float) {
    candidates.fill(
      magnitudes: magnitudes, powers: powers, ranges: ranges, bandCount: bandCount, weights: weights,
      price: price)
  }

  /// Chooses scale factors for a price; returns the estimate of the bits that they take.
  func choose(price: Float) -> Float {
    search.run(candidates, bandCount: bandCount, price: price)
    return search.bits
  }

  /// Quantises with the choice made and forms sections: `stream` is then whole.
  func quantize() {
    SpectralKernels.quantizeBands(
      lines, powers: powers, ranges: ranges, bandCount: bandCount,
      choice: BandChoice(scaleFactors: search.chosen, roundings: search.rounding), steps: steps,
      into: &stream.spectrum, largest: &largest)
    sectioning.choose(for: &stream, ranges: ranges, largest: largest)
    setScaleFactors()
  }

  /// Bands without a choice that share a neighbour's codebook repeat the scale factor before them.
  private func setScaleFactors() {
    var running: Int?
    for band in 0..<bandCount {
      if stream.codebooks[band] == Codebook.zero {
        stream.scaleFactors[band] = 0
        continue
      }
      let own = search.chosen[band] >= 0 ? search.chosen[band] : (running ?? firstChosen)
      stream.scaleFactors[band] = Int16(own)
      if running == nil { stream.globalGain = own }
      running = own
    }
    if running == nil { stream.globalGain = 100 }
  }

  private var firstChosen: Int {
    search.chosen.prefix(bandCount).first { $0 >= 0 } ?? 100
  }
}
