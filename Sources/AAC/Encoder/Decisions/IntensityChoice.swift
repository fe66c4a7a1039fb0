import DSP

/// Intensity stereo in the encoder: bands of a pair of which only one carrier is sent, and how much louder or softer
/// the right channel has it than the left (ISO/IEC 14496-3, 4.6.8.2).
///
/// High up the ear hears envelopes and levels of the channels rather than their waveforms. A band that is no tone
/// becomes one carrier where that costs less, in bits and in noise, than left and right or middle and side. The
/// carrier is measured as the other channels are.
struct IntensityChoice: Sendable {
  /// Below this frequency (Hz) both channels are always coded.
  private static let lowestFrequency = 4000.0
  /// What changes in the channels is heard as noise of this part of its energy would be, where they have little in
  /// common …
  private static let audibility: Float = 0.5
  /// … and where they have all in common and middle and side do well.
  private static let likeAudibility: Float = 2
  /// The squared correlation of the channels from which the change counts for more.
  private static let likeness: Float = 0.2
  /// The strongest line's power over the mean up to which a band is no tone.
  private static let highestPeak: Float = 20
  /// See `NoiseSubstitutionChoice.surprise`.
  private static let leastSurprise: Float = 0.35
  /// Where bits are cheaper than this nothing is gained.
  private static let leastPrice: Float = 0.01
  /// Section and position, as a mean over neighbouring bands.
  private static let bits: Float = 3
  /// The largest position either way: 36 dB.
  private static let reach = 24

  /// What a band would be as a carrier.
  private struct Offer: Sendable {
    var position: Int
    var isInverted: Bool
    /// Weighted energy of what changes in both channels.
    var change: Float
    var weight: Float
    /// The carrier's parts of left and right.
    var left: Float
    var right: Float
  }

  private let bands: ScaleFactorBands
  private let firstLong: Int
  private let firstShort: Int
  private var offers = [Offer?](repeating: nil, count: ChannelStream.bandCapacity)
  /// There are carriers that nothing was decided about.
  private(set) var isOpen = false

  init(bands: ScaleFactorBands, sampleRate: Int) {
    self.bands = bands
    func first(_ offsets: [Int], _ windowLength: Int) -> Int {
      let line = Int(Self.lowestFrequency * Double(2 * windowLength) / Double(sampleRate))
      return offsets.firstIndex { $0 >= line } ?? offsets.count - 1
    }
    firstLong = first(bands.long, bands.frameLength)
    firstShort = first(bands.short, bands.frameLength / 8)
  }

  /// Puts carriers of the bands that may have one into `carrier`. Spectra that were filtered have none: the decoder
  /// would filter the right channel's copy by another filter.
  ///
  /// - Parameters:
  ///   - noise: what knows how far the channels' bands were foretold.
  ///   - price: see `RateControl`.
  mutating func prepare(
    _ left: CodedChannel, _ right: CodedChannel, carrier: CodedChannel, noise: [NoiseSubstitutionChoice],
    price: Float
  ) {
    isOpen = false
    guard price > Self.leastPrice, left.stream.tns == nil, right.stream.tns == nil else { return }
    let info = left.stream.info
    carrier.begin(info, bands: bands)
    carrier.clearWeights()
    let offsets = bands.offsets(short: info.isShort)
    let stride = bands.frameLength / info.windowCount
    let lengths = info.groupLengths
    let first = info.isShort ? firstShort : firstLong
    for band in offers.indices { offers[band] = nil }
    var window = 0
    for group in 0..<info.groupCount {
      for band in first..<max(first, info.maxBand) {
        let index = group * info.maxBand + band
        guard !left.isNoise(band: index),
          info.isShort || noise.allSatisfy({ $0.surprise(of: band) > Self.leastSurprise })
        else { continue }
        let lines = BandLines(
          first: window * stride + offsets[band], count: offsets[band + 1] - offsets[band], stride: stride,
          windows: lengths[group])
        guard
          let offer = Self.offer(
            left.spectrum, right.spectrum, lines, left.weights[index], right.weights[index])
        else { continue }
        offers[index] = offer
        carrier.weights[index] = offer.weight
        Self.mix(left.spectrum, right.spectrum, lines, offer, into: &carrier.spectrum)
        isOpen = true
      }
      window += lengths[group]
    }
    if isOpen { carrier.arrange(bands: bands) }
  }

  /// Takes the carrier where it costs less than what left and right, or middle and side, hold now; all are measured.
  mutating func choose(
    _ left: CodedChannel, _ right: CodedChannel, carrier: CodedChannel, mask: inout MidSideMask, price: Float
  ) {
    isOpen = false
    let info = left.stream.info
    for channel in [left, right, carrier] { channel.takeLeastCosts(price: price) }
    var chosen = SIMD8<UInt64>(repeating: 0)
    var saving: Float = 0
    for group in 0..<info.groupCount {
      for band in 0..<info.maxBand {
        let index = group * info.maxBand + band
        guard let offer = offers[index] else { continue }
        let cost = carrier.leastCosts[index] + offer.change + price * Self.bits
        let present = left.leastCosts[index] + right.leastCosts[index]
        guard cost < present else { continue }
        saving += present - cost
        chosen[group] |= 1 << UInt64(band)
      }
    }
    // With all bands middle and side decoders differ in the sign: the mask is then sent by bands.
    let maskBits = mask.mode == .all ? info.groupCount * info.maxBand : 0
    guard saving > price * Float(maskBits) else { return }
    for group in 0..<info.groupCount where chosen[group] != 0 {
      let start = group * info.maxBand
      left.adopt(chosen[group], from: start, of: carrier)
      for band in 0..<info.maxBand where chosen[group] >> UInt64(band) & 1 != 0 {
        guard let offer = offers[start + band] else { continue }
        right.follow(band: start + band, position: offer.position, isInverted: offer.isInverted)
      }
      mask.groups[group] &= ~chosen[group]
    }
    if mask.mode != .off {
      mask.mode = (0..<info.groupCount).contains { mask.groups[$0] != 0 } ? .perBand : .off
    }
  }

  private static func offer(
    _ left: [Float], _ right: [Float], _ lines: BandLines, _ leftWeight: Float, _ rightWeight: Float
  ) -> Offer? {
    let sums = Sums(left, right, lines)
    // Silence needs no carrier.
    guard sums.left > 1, sums.right > 1, sums.peak < highestPeak else { return nil }
    let position = -Int((2 * Math.log2(sums.right / sums.left)).rounded())
    guard abs(position) <= reach else { return nil }
    let sign: Float = sums.product < 0 ? -1 : 1
    let gain = sign * Math.exp2(-0.25 * Float(position))
    // The mix that changes least in both channels, as their noise counts; it has the energy of the left.
    let a = leftWeight * sums.left.squareRoot()
    let b = sign * rightWeight * sums.right.squareRoot()
    let energy = a * a * sums.left + 2 * a * b * sums.product + b * b * sums.right
    guard energy > 0 else { return nil }
    let scale = (sums.left / energy).squareRoot()
    guard scale.isFinite else { return nil }
    let leftChange = 2 * sums.left - 2 * scale * (a * sums.left + b * sums.product)
    let rightChange =
      sums.right + gain * gain * sums.left - 2 * gain * scale * (a * sums.product + b * sums.right)
    let likeness = sums.product * sums.product / (sums.left * sums.right)
    let excess = max(likeness - Self.likeness, 0) / (1 - Self.likeness)
    let counted = audibility + (likeAudibility - audibility) * excess
    return Offer(
      position: position, isInverted: sign < 0,
      change: counted * (max(leftChange, 0) * leftWeight + max(rightChange, 0) * rightWeight),
      weight: leftWeight + gain * gain * rightWeight, left: scale * a, right: scale * b)
  }

  private static func mix(
    _ left: [Float], _ right: [Float], _ lines: BandLines, _ offer: Offer, into carrier: inout [Float]
  ) {
    for window in 0..<lines.windows {
      let start = lines.first + window * lines.stride
      for line in start..<start + lines.count {
        carrier[line] = offer.left * left[line] + offer.right * right[line]
      }
    }
  }

  /// A band's lines in the windows of a group.
  private struct BandLines {
    let first: Int
    let count: Int
    /// From one window to the next.
    let stride: Int
    let windows: Int
  }

  /// Energies of both channels, their product and the higher of their peaks over the mean.
  private struct Sums {
    var left: Float = 0
    var right: Float = 0
    var product: Float = 0
    var peak: Float = 0

    init(_ x: [Float], _ y: [Float], _ lines: BandLines) {
      var (highestLeft, highestRight): (Float, Float) = (0, 0)
      for window in 0..<lines.windows {
        let start = lines.first + window * lines.stride
        for line in start..<start + lines.count {
          let (xx, yy) = (x[line] * x[line], y[line] * y[line])
          left += xx
          right += yy
          product += x[line] * y[line]
          highestLeft = max(highestLeft, xx)
          highestRight = max(highestRight, yy)
        }
      }
      let count = Float(lines.count * lines.windows)
      peak = count * max(highestLeft / max(left, 1e-9), highestRight / max(right, 1e-9))
    }
  }
}
