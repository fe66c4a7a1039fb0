/// Bands of noise that only an energy is sent for (4.6.13).
///
/// The standard leaves the generator open. Here it is the linear congruential one with multiplier 1664525
/// and increment 1013904223 modulo 2^32, started at 1, whose state, as a signed number, is the next value.
/// Each band of each window is scaled to exactly the energy sent.
struct NoiseSubstitution: Sendable {
  private var state: UInt32

  init(seed: UInt32 = 1) { state = seed }

  /// Fills the noise bands of one channel.
  mutating func apply(_ stream: ChannelStream, bands: ScaleFactorBands, to spectrum: inout [Float]) {
    let info = stream.info
    guard stream.codebooks.prefix(stream.bandCount).contains(Codebook.noise) else { return }
    let offsets = bands.offsets(short: info.isShort)
    let windowLength = bands.frameLength / info.windowCount
    let lengths = info.groupLengths
    var firstWindow = 0
    for group in 0..<info.groupCount {
      for band in 0..<info.maxBand {
        let index = group * info.maxBand + band
        guard stream.codebooks[index] == Codebook.noise else { continue }
        for window in firstWindow..<firstWindow + lengths[group] {
          let start = window * windowLength
          Self.fill(
            &spectrum, start + offsets[band]..<start + offsets[band + 1],
            energy: stream.scaleFactors[index], &state)
        }
      }
      firstWindow += lengths[group]
    }
  }

  /// Fills the noise bands of a pair with a common window. Where a band is noise in both channels and
  /// ms_used is set, both get the same noise, each with its own energy.
  mutating func apply(
    _ pair: ChannelPair, left: ChannelStream, right: ChannelStream, bands: ScaleFactorBands,
    to leftSpectrum: inout [Float], _ rightSpectrum: inout [Float]
  ) {
    let info = left.info
    let count = left.bandCount
    guard
      left.codebooks.prefix(count).contains(Codebook.noise)
        || right.codebooks.prefix(count).contains(Codebook.noise)
    else { return }
    let offsets = bands.offsets(short: info.isShort)
    let windowLength = bands.frameLength / info.windowCount
    let lengths = info.groupLengths
    var firstWindow = 0
    for group in 0..<info.groupCount {
      for band in 0..<info.maxBand {
        let index = group * info.maxBand + band
        let isLeft = left.codebooks[index] == Codebook.noise
        let isRight = right.codebooks[index] == Codebook.noise
        guard isLeft || isRight else { continue }
        let isShared = isLeft && isRight && pair.midSide.uses(group: group, band: band)
        for window in firstWindow..<firstWindow + lengths[group] {
          let start = window * windowLength
          let lines = start + offsets[band]..<start + offsets[band + 1]
          var before = state
          if isLeft { Self.fill(&leftSpectrum, lines, energy: left.scaleFactors[index], &state) }
          if isShared {
            Self.fill(&rightSpectrum, lines, energy: right.scaleFactors[index], &before)
          } else if isRight {
            Self.fill(&rightSpectrum, lines, energy: right.scaleFactors[index], &state)
          }
        }
      }
      firstWindow += lengths[group]
    }
  }

  /// Writes noise whose norm is 2^(energy/4).
  private static func fill(
    _ spectrum: inout [Float], _ lines: Range<Int>, energy: Int16, _ state: inout UInt32
  ) {
    var random = state
    var sum: Float = 0
    for line in lines {
      random = random &* 1_664_525 &+ 1_013_904_223
      let value = Float(Int32(bitPattern: random)) * 0x1p-31
      spectrum[line] = value
      sum += value * value
    }
    state = random
    let norm = PowerTables.quarter(Int(energy), in: PowerTables.quarters)
    let gain = sum > 0 ? norm / sum.squareRoot() : 0
    for line in lines { spectrum[line] *= gain }
  }
}
