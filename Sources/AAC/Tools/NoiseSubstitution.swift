/// Bands of noise that only an energy is sent for (4.6.13).
///
/// The standard leaves the generator open. Here it is the linear congruential one with multiplier 1664525
/// and increment 1013904223 modulo 2^32, whose state, as a signed number, is the next value. Start and order
/// of the values are those of the most widespread decoder, so that sounds can be compared sample by sample:
/// channel after channel, group after group, band after band, window after window. Each band of each window
/// is scaled to exactly the energy sent.
struct NoiseSubstitution: Sendable {
  private var state: UInt32 = 0x1F2E_3D4C
  /// The state in front of each noise band of the channel that was filled last.
  private var starts = [UInt32](repeating: 0, count: ChannelStream.bandCapacity)

  /// Fills the noise bands of one channel.
  mutating func apply(_ stream: ChannelStream, bands: ScaleFactorBands, to spectrum: inout [Float]) {
    guard stream.codebooks.prefix(stream.bandCount).contains(Codebook.noise) else { return }
    fill(stream, bands: bands, sharing: nil, to: &spectrum)
  }

  /// Fills the noise bands of a pair with a common window. Where a band is noise in both channels and
  /// ms_used is set, both get the same noise, each with its own energy.
  mutating func apply(
    _ pair: ChannelPair, left: ChannelStream, right: ChannelStream, bands: ScaleFactorBands,
    to leftSpectrum: inout [Float], _ rightSpectrum: inout [Float]
  ) {
    apply(left, bands: bands, to: &leftSpectrum)
    guard right.codebooks.prefix(right.bandCount).contains(Codebook.noise) else { return }
    fill(right, bands: bands, sharing: (left, pair.midSide), to: &rightSpectrum)
  }

  /// - Parameter sharing: the channel that was filled before, and where its noise is used again.
  private mutating func fill(
    _ stream: ChannelStream, bands: ScaleFactorBands, sharing: (left: ChannelStream, mask: MidSideMask)?,
    to spectrum: inout [Float]
  ) {
    let info = stream.info
    let offsets = bands.offsets(short: info.isShort)
    let windowLength = bands.frameLength / info.windowCount
    let lengths = info.groupLengths
    var firstWindow = 0
    for group in 0..<info.groupCount {
      for band in 0..<info.maxBand {
        let index = group * info.maxBand + band
        guard stream.codebooks[index] == Codebook.noise else { continue }
        let isShared =
          sharing.map { $0.left.codebooks[index] == Codebook.noise && $0.mask.uses(group: group, band: band) }
          ?? false
        var shared = starts[index]
        starts[index] = state
        for window in firstWindow..<firstWindow + lengths[group] {
          let start = window * windowLength
          let lines = start + offsets[band]..<start + offsets[band + 1]
          let energy = stream.scaleFactors[index]
          if isShared {
            Self.fill(&spectrum, lines, energy: energy, &shared)
            for _ in lines { state = Self.next(state) }
          } else {
            Self.fill(&spectrum, lines, energy: energy, &state)
          }
        }
      }
      firstWindow += lengths[group]
    }
  }

  @inline(__always)
  private static func next(_ state: UInt32) -> UInt32 { state &* 1_664_525 &+ 1_013_904_223 }

  /// Writes noise whose norm is 2^(energy/4).
  private static func fill(
    _ spectrum: inout [Float], _ lines: Range<Int>, energy: Int16, _ state: inout UInt32
  ) {
    var random = state
    var sum: Float = 0
    for line in lines {
      random = next(random)
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
