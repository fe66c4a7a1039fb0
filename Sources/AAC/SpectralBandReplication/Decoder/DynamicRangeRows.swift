import DSP

/// The factors of dynamic range control for one channel's QMF samples (4.5.2.7.5).
///
/// Factors change where the windows of the core's frames overlap: over the first frame of a long window's two, and
/// from the middle of that frame on, one after the other, for short windows. QMF samples are `delay` behind that.
final class DynamicRangeRows {
  /// `SBRFrameShape.delay`, but for low delay.
  static let delay = 10
  private static let bands = 64
  /// Bands that the lines of the core reach to.
  private static let lowBands = 32
  private static let shortWindows = 8

  /// QMF samples of a frame.
  private let slots: Int
  private let delay: Int
  /// Rows of 64 factors: the frame's, and those behind it that are known already.
  private var weights: [Float]
  private let rowCount: Int
  /// Factors of the last window so far.
  private var last: [Float]
  /// Factors by QMF band, window after window.
  private var factors: [Float]
  /// Some factor of the frame's rows is not 1.
  private var isActive = false
  private var wasActive = false

  init(slots: Int, delay: Int = DynamicRangeRows.delay) {
    self.slots = slots
    self.delay = delay
    rowCount = delay + slots + slots / 2
    weights = [Float](repeating: 1, count: rowCount * Self.bands)
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
    let rest = rowCount - slots
    ReplicationKernels.moveRows(&weights, from: slots, to: 0, count: rest, stride: Self.bands)
    Self.fill(&weights, rest..<rowCount, with: last)
    let count = Self.fill(
      &factors, info, control, control.normalization(programLevel), slots: slots, isShort: isShort)
    let isNeutral = Self.areOnes(factors, count: count) && Self.areOnes(last, count: last.count)
    isActive = wasActive || !isNeutral
    wasActive = !isNeutral
    guard isActive else { return }
    if isShort {
      for window in 0..<Self.shortWindows {
        Self.take(factors, from: window * Self.lowBands, into: &last)
        Self.fill(&weights, delay + slots / 2 + Self.border(window, slots)..<rowCount, with: last)
      }
      return
    }
    Self.take(factors, from: 0, into: &last)
    let scheme = info.interpolationScheme
    if 1...Self.shortWindows ~= scheme {
      Self.fill(&weights, delay + Self.border(scheme - 1, slots)..<rowCount, with: last)
      return
    }
    for slot in 0..<slots {
      Self.mix(&weights, row: delay + slot, with: last, share: Float(slot) / Float(slots))
    }
    Self.fill(&weights, delay + slots..<rowCount, with: last)
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

  private static func fill(_ weights: inout [Float], _ rows: Range<Int>, with factors: [Float]) {
    for row in rows { SpectralKernels.copy(factors, range: 0..<bands, to: &weights, at: row * bands) }
  }

  private static func mix(_ weights: inout [Float], row: Int, with factors: [Float], share: Float) {
    for band in 0..<bands {
      let index = row * bands + band
      weights[index] += share * (factors[band] - weights[index])
    }
  }

  private static func areOnes(_ factors: [Float], count: Int) -> Bool {
    for index in 0..<count where factors[index] != 1 { return false }
    return true
  }
}
