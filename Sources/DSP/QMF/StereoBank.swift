/// Parametric stereo's hybrid bands, decorrelation and mixing (ISO/IEC 14496-3, 8.6.4) for one band division.
///
/// Holds the memory of one stream. Rows stand for QMF samples: real, then imaginary parts of the hybrid bands.
public final class StereoBank {
  public static let tapCount = 13
  /// QMF samples that the splitting filters reach both ways.
  public static let reach = 6
  /// QMF bands that are split at most.
  static let splitBands = 5
  static let longDelay = 14
  static let linkDelays = [3, 4, 5]
  static let linkHistory = 5
  /// Room for the hybrid bands, and floats from row to row.
  public static let room = 104
  static let stride = 2 * room
  /// The same for bands with all-pass filters.
  static let linkRoom = 56
  static let linkStride = 2 * linkRoom

  public let shape: StereoShape
  /// QMF samples of a frame.
  let slots: Int
  let splitTaps: FloatStore
  /// Low QMF bands: for each band real, then imaginary parts of `reach` old samples and the frame's.
  let low: FloatStore
  let lowStride: Int
  /// Hybrid bands: `longDelay` old rows and the frame's.
  let input: FloatStore
  /// Decorrelated; after mixing the right channel.
  let other: FloatStore
  /// The left channel.
  let left: FloatStore
  /// Of each all-pass link `linkHistory` old rows and the frame's.
  let links: [FloatStore]
  /// For each all-pass band: turn before the links, turn of each link (real parts, then imaginary parts, each
  /// `linkRoom`); gain of each link.
  let linkTables: FloatStore
  let powers: FloatStore
  /// The same by parameter band, then what the parameter bands are damped by.
  let sums = FloatStore(count: 40)
  /// Peak, smoothed power and smoothed distance for each parameter band.
  let envelopes: FloatStore
  /// What each hybrid band is multiplied with at transients.
  let transientGains: FloatStore
  let parameterBands: [Int]

  /// - Parameters:
  ///   - linkGains: of the three all-pass links.
  ///   - linkTurns: their fractional delays, and that before them.
  public init(
    shape: StereoShape, slots: Int, linkGains: [Double], linkTurns: [Double], firstTurn: Double,
    decaySlope: Double
  ) {
    precondition(
      shape.bandCount <= 96 && shape.parameterCount <= 34 && shape.allPassCount <= 50, "a known shape")
    precondition(linkGains.count == 3 && linkTurns.count == 3, "three links")
    precondition(
      shape.splits.allSatisfy {
        $0.band < Self.splitBands && $0.taps.allSatisfy { $0.count == Self.tapCount }
      }
        && shape.parameterBands.allSatisfy { (0..<shape.parameterCount).contains($0) }, "a known shape")
    self.shape = shape
    self.slots = slots
    parameterBands = shape.parameterBands
    splitTaps = FloatStore(StereoBank.splitTaps(shape))
    lowStride = slots + 2 * Self.reach + 4
    low = FloatStore(count: 2 * Self.splitBands * lowStride)
    input = FloatStore(count: (slots + Self.longDelay) * Self.stride)
    other = FloatStore(count: slots * Self.stride)
    left = FloatStore(count: slots * Self.stride)
    links = (0..<3).map { _ in FloatStore(count: (slots + StereoBank.linkHistory) * StereoBank.linkStride) }
    powers = FloatStore(count: Self.room)
    envelopes = FloatStore(count: 3 * 40)
    transientGains = FloatStore(count: Self.room)
    linkTables = FloatStore(
      StereoBank.linkTables(
        shape, gains: linkGains, turns: [firstTurn] + linkTurns, slope: decaySlope))
  }

  /// Forgets the past.
  public func reset() {
    for store in [low, input, envelopes] + links { store.pointer.update(repeating: 0, count: store.count) }
  }

  /// By split, part of eight bands and tap: eight real, then eight imaginary parts, taps of the newest sample
  /// last.
  private static func splitTaps(_ shape: StereoShape) -> [Double] {
    var values: [Double] = []
    for split in shape.splits {
      for part in 0..<(split.taps.count + 7) / 8 {
        for tap in (0..<tapCount).reversed() {
          let bands = 8 * part..<8 * part + 8
          values += bands.map { $0 < split.taps.count ? split.taps[$0][tap].re : 0 }
          values += bands.map { $0 < split.taps.count ? split.taps[$0][tap].im : 0 }
        }
      }
    }
    return values
  }

  private static func linkTables(
    _ shape: StereoShape, gains: [Double], turns: [Double], slope: Double
  ) -> [Double] {
    var values: [Double] = []
    func row(_ value: (Int) -> Double) {
      values += (0..<linkRoom).map { $0 < shape.allPassCount ? value($0) : 0 }
    }
    for turn in turns {
      row { Elementary.cosine(Double.pi * turn * shape.centers[$0]) }
      row { -Elementary.sine(Double.pi * turn * shape.centers[$0]) }
    }
    for gain in gains {
      row { gain * min(max(1 - slope * Double($0 - shape.decayStart), 0), 1) }
    }
    return values
  }

  /// Takes a frame of QMF samples: `reach` rows more than the frame has.
  public func split(_ rows: [Float]) {
    ReplicationKernels.checkRows(rows.count, 0..<slots + Self.reach, QMFLayout.stride)
    rows.withUnsafeBufferPointer { rows in
      guard let source = rows.baseAddress else { return }
      takeLow(source)
      let frame = input.pointer + Self.longDelay * Self.stride
      splitLow(frame)
      // The other bands as they are, behind the split ones.
      let splitCount = shape.splits.count
      let first = shape.bandCount - 64 + splitCount
      for row in 0..<slots {
        let target = frame + (row &* Self.stride &+ first)
        let here = source + (row &* QMFLayout.stride &+ splitCount)
        target.update(from: here, count: 64 &- splitCount)
        (target + Self.room).update(from: here + QMFLayout.imaginary, count: 64 &- splitCount)
      }
    }
  }

  private func takeLow(_ source: UnsafePointer<Float>) {
    let count = slots + Self.reach
    for band in 0..<Self.splitBands {
      for part in 0..<2 {
        let line = low.pointer + (2 * band + part) * lowStride
        line.update(from: line + slots, count: Self.reach)
        let place = source + (band + part * QMFLayout.imaginary)
        for row in 0..<count { line[Self.reach &+ row] = place[row &* QMFLayout.stride] }
      }
    }
  }

  private func splitLow(_ frame: UnsafeMutablePointer<Float>) {
    var taps = UnsafePointer(splitTaps.pointer)
    for split in shape.splits {
      let re = UnsafePointer(low.pointer) + 2 * split.band * lowStride
      let im = re + lowStride
      for part in 0..<(split.taps.count + 7) / 8 {
        let target = frame + (split.first + 8 * part)
        for row in 0..<slots { filter(re + row, im + row, taps, target + row &* Self.stride) }
        taps += 16 * Self.tapCount
      }
    }
  }

  @inline(__always)
  private func filter(
    _ re: UnsafePointer<Float>, _ im: UnsafePointer<Float>, _ taps: UnsafePointer<Float>,
    _ target: UnsafeMutablePointer<Float>
  ) {
    var sumRe = Lanes8(repeating: 0)
    var sumIm = Lanes8(repeating: 0)
    for tap in 0..<Self.tapCount {
      let x = Lanes8(repeating: re[tap])
      let y = Lanes8(repeating: im[tap])
      let c = load(taps + 16 &* tap)
      let s = load(taps + (16 &* tap &+ 8))
      sumRe = Lanes.multiplyAdd(x, c, Lanes.negativeMultiplyAdd(y, s, sumRe))
      sumIm = Lanes.multiplyAdd(x, s, Lanes.multiplyAdd(y, c, sumIm))
    }
    store(sumRe, target)
    store(sumIm, target + Self.room)
  }
}
