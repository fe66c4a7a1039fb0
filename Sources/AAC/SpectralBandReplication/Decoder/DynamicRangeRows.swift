import DSP

/// The factors of dynamic range control for one channel's QMF samples (4.5.2.7.5).
///
/// What changes with a frame of the core is heard half a frame later in the QMF samples, which are that much behind,
/// and changes over the length of a frame, as the overlapping windows of the spectrum would have it.
final class DynamicRangeRows {
  private static let bands = 64
  /// Bands that the lines of the core reach to.
  private static let lowBands = 32
  private static let shortWindows = 8

  /// QMF samples of a frame.
  private let slots: Int
  /// Rows of 64 factors: the frame's, then half a frame of the next one's.
  private var weights: [Float]
  /// Factors at the end of the frame before.
  private var last: [Float]
  /// Factors by QMF band, window after window.
  private var factors: [Float]
  /// Some factor of `weights` is not 1.
  private(set) var isActive = false
  private var wasActive = false

  init(slots: Int) {
    self.slots = slots
    weights = [Float](repeating: 1, count: (slots + slots / 2) * Self.bands)
    last = [Float](repeating: 1, count: Self.bands)
    factors = [Float](repeating: 1, count: Self.shortWindows * Self.lowBands)
  }

  func reset() {
    for index in weights.indices { weights[index] = 1 }
    for index in last.indices { last[index] = 1 }
    isActive = false
    wasActive = false
  }

  /// Goes on to the next frame, which has the gains `info`.
  func advance(_ info: DynamicRangeInfo, _ control: DynamicRangeControl, programLevel: Int?, isShort: Bool) {
    let half = slots / 2
    ReplicationKernels.moveRows(&weights, from: slots, to: 0, count: half, stride: Self.bands)
    let count = Self.fill(
      &factors, info, control, control.normalization(programLevel), slots: slots, isShort: isShort)
    let isNeutral = Self.areOnes(factors, count: count) && Self.areOnes(last, count: last.count)
    isActive = wasActive || !isNeutral
    wasActive = !isNeutral
    guard isActive else { return }
    if isShort {
      for window in 0..<Self.shortWindows {
        Self.take(factors, from: window * Self.lowBands, into: &last)
        for slot in Self.border(window, slots)..<Self.border(window + 1, slots) {
          SpectralKernels.copy(last, range: last.indices, to: &weights, at: (half + slot) * Self.bands)
        }
      }
      return
    }
    let scheme = info.interpolationScheme
    let step = 1...Self.shortWindows ~= scheme ? Self.border(scheme - 1, slots) : nil
    for slot in 0..<slots {
      var share = Float(slot) / Float(slots)
      if let step { share = slot >= step ? 1 : 0 }
      Self.mix(last, factors, share, into: &weights, at: (half + slot) * Self.bands)
    }
    Self.take(factors, from: 0, into: &last)
  }

  /// Multiplies the rows of a frame by their factors.
  func apply(to rows: inout [Float]) {
    guard isActive else { return }
    ReplicationKernels.weigh(&rows, rows: 0..<slots, by: weights)
  }

  /// The slot nearest to where a short window begins.
  private static func border(_ window: Int, _ slots: Int) -> Int {
    (window * slots + shortWindows / 2) / shortWindows
  }

  /// Puts the factor of each QMF band, of short windows one after the other, into `factors`. A band of the gains
  /// begins at the QMF band of its first line, and goes on where no other begins.
  ///
  /// - Returns: how many there are.
  private static func fill(
    _ factors: inout [Float], _ info: DynamicRangeInfo, _ control: DynamicRangeControl,
    _ normalization: Double,
    slots: Int, isShort: Bool
  ) -> Int {
    let count = isShort ? shortWindows * lowBands : lowBands
    let lineCount = slots * lowBands
    var bottom = 0
    for band in 0..<info.bandCount {
      let top = info.top(of: band, lineCount: lineCount)
      guard top > bottom else { continue }
      let factor = control.factor(info.gains[band], normalization)
      for index in bottom * count / lineCount..<count { factors[index] = factor }
      bottom = top
    }
    return count
  }

  /// Takes over 32 factors; the bands above have the last one.
  private static func take(_ factors: [Float], from first: Int, into bands: inout [Float]) {
    for band in bands.indices { bands[band] = factors[first + min(band, lowBands - 1)] }
  }

  private static func mix(
    _ last: [Float], _ factors: [Float], _ share: Float, into weights: inout [Float], at offset: Int
  ) {
    for band in 0..<bands {
      let factor = factors[min(band, lowBands - 1)]
      weights[offset + band] = last[band] + share * (factor - last[band])
    }
  }

  private static func areOnes(_ factors: [Float], count: Int) -> Bool {
    for index in 0..<count where factors[index] != 1 { return false }
    return true
  }
}
