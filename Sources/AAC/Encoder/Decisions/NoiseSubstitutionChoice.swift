import DSP

/// Noise substitution in the encoder: bands of noise that the price cannot pay for, of which only the
/// energies are sent (ISO/IEC 14496-3, 4.6.13).
///
/// A band is noise where none of its lines stands out and the frames before do not foretell it. In pairs both
/// channels have to be noise, and to have next to nothing in common: their image is then that of two noises.
struct NoiseSubstitutionChoice: Sendable {
  /// Below this frequency (Hz) lines are always coded.
  private static let lowestFrequency = 6000.0
  private static let lowestWatched = 3500.0
  /// Part of a band's energy that differs from what the two frames before foretell, averaged over frames, from
  /// which it is noise.
  private static let leastSurprise: Float = 0.3
  /// The strongest line's power over the mean up to which a band is noise.
  private static let highestPeak: Float = 6
  /// A band's energy may change by this power ratio from frame to frame.
  private static let largestChange: Float = 4
  /// Other noise of the right energy is heard as noise of this part of the energy would be.
  private static let audibility: Float = 0.4
  /// Section and energy, as a mean over neighbouring bands.
  private static let bits: Float = 4
  private static let framesNeeded = 3
  /// The squared correlation of two channels' bands below which each may have noise of its own.
  private static let mostLikeness: Float = 0.2

  /// Magnitudes of the last frames, the newest first.
  private struct History: Sendable {
    var now: [Float]
    var last: [Float]
    var beforeLast: [Float]
    /// By band.
    var surprise: [Float]
    var frames = 0
  }

  private let offsets: [Int]
  private let firstBand: Int
  /// The first band that is watched, which others may ask for.
  private let firstWatched: Int
  private var history: History

  /// - Parameter watchesMore: bands below those that noise may stand for are watched, too.
  init(bands: ScaleFactorBands, sampleRate: Int, watchesMore: Bool = false) {
    offsets = bands.long
    func first(_ hertz: Double) -> Int {
      let line = Int(hertz * Double(2 * bands.frameLength) / Double(sampleRate))
      return bands.long.firstIndex { $0 >= line } ?? bands.longCount
    }
    firstBand = first(Self.lowestFrequency)
    firstWatched = watchesMore ? first(Self.lowestWatched) : firstBand
    let none = [Float](repeating: 0, count: bands.frameLength)
    history = History(
      now: none, last: none, beforeLast: none,
      surprise: [Float](repeating: 0, count: bands.longCount))
  }

  /// Bands of a long window that noise may stand for, a bit each, where the sound is not bunched in time.
  mutating func bands(of channel: CodedChannel, isSteady: Bool, price: Float) -> UInt64 {
    take(channel)
    guard isSteady, history.frames == Self.framesNeeded else { return 0 }
    var bands: UInt64 = 0
    for band in firstWatched..<max(firstWatched, channel.stream.info.maxBand) {
      let range = offsets[band]..<offsets[band + 1]
      let isNoise = Self.isNoise(
        history.now, history.last, history.beforeLast, range: range, surprise: &history.surprise[band])
      guard isNoise, band >= firstBand else { continue }
      let saving = Self.saving(
        channel.spectrum, range: range, weight: channel.weights[band], price: price)
      if saving > 0 { bands |= 1 << UInt64(band) }
    }
    return bands
  }

  /// The part of a long window's band that the frames before did not foretell, averaged over frames; 0: not known.
  func surprise(of band: Int) -> Float { history.surprise[band] }

  /// Those of `bands` whose noise has next to nothing in common in two channels.
  func unlike(_ bands: UInt64, _ left: CodedChannel, _ right: CodedChannel) -> UInt64 {
    var unlike: UInt64 = 0
    for band in firstBand..<offsets.count - 1 where bands >> UInt64(band) & 1 != 0 {
      if Self.likeness(left.spectrum, right.spectrum, range: offsets[band]..<offsets[band + 1])
        < Self.mostLikeness
      {
        unlike |= 1 << UInt64(band)
      }
    }
    return unlike
  }

  /// The squared correlation of two spectra.
  private static func likeness(_ x: [Float], _ y: [Float], range: Range<Int>) -> Float {
    var (xx, yy, xy): (Float, Float, Float) = (1e-9, 1e-9, 0)
    for line in range {
      xx += x[line] * x[line]
      yy += y[line] * y[line]
      xy += x[line] * y[line]
    }
    return xy * xy / (xx * yy)
  }

  private mutating func take(_ channel: CodedChannel) {
    guard !channel.stream.info.isShort else {
      history.frames = 0
      return
    }
    swap(&history.beforeLast, &history.last)
    swap(&history.last, &history.now)
    Self.magnitudes(
      channel.spectrum, range: offsets[firstWatched]..<channel.spectrum.count, into: &history.now)
    history.frames = min(history.frames + 1, Self.framesNeeded)
  }

  /// Estimated from each line and its neighbours' difference, which stands for the missing sine part.
  private static func magnitudes(_ x: [Float], range: Range<Int>, into magnitudes: inout [Float]) {
    for line in range {
      let after = line + 1 < x.count ? x[line + 1] : 0
      let before = line > 0 ? x[line - 1] : 0
      magnitudes[line] = (x[line] * x[line] + (after - before) * (after - before)).squareRoot()
    }
  }

  private static func isNoise(
    _ now: [Float], _ last: [Float], _ beforeLast: [Float], range: Range<Int>, surprise: inout Float
  ) -> Bool {
    var energy: Float = 1e-9
    var lastEnergy: Float = 1e-9
    var difference: Float = 0
    var peak: Float = 0
    for line in range {
      let expected = max(2 * last[line] - beforeLast[line], 0)
      let power = now[line] * now[line]
      energy += power
      lastEnergy += last[line] * last[line]
      difference += power * abs(now[line] - expected) / (now[line] + expected + 1e-9)
      peak = max(peak, power)
    }
    surprise = 0.5 * (surprise + difference / energy)
    return surprise > leastSurprise && peak * Float(range.count) < highestPeak * energy
      && energy < largestChange * lastEnergy && lastEnergy < largestChange * energy
  }

  /// Noise-to-mask ratio and bits that substitution saves, all as noise-to-mask ratio.
  private static func saving(
    _ spectrum: [Float], range: Range<Int>, weight: Float, price: Float
  ) -> Float {
    let noise = SpectralKernels.energy(spectrum, range: range) * weight
    let linePrice = price / RateControl.linesPerPrice
    let bits = 0.5 * SpectralKernels.logSum(spectrum, range: range, weight: weight / linePrice)
    let coded = price * bits + min(noise, linePrice * Float(range.count))
    return min(coded, BandCandidates.holePenalty * noise) - (audibility * noise + price * Self.bits)
  }
}
