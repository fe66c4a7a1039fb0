extension ReplicationKernels {
  /// What `adjust` does to the bands of some rows.
  public struct Adjustment {
    public var rows: Range<Int>
    public var first: Int
    public var count: Int
    /// Floats from a row's gains and noise levels to those of the next; 0 where all rows have the same.
    public var step: Int
    /// Where the first row's gains and noise levels begin.
    public var offset: Int
    /// Place in the noise table of the first row's first band.
    public var noiseIndex: Int
    public var addsNoise: Bool
    /// Phase of the sinusoids in the first row, in quarter turns.
    public var phase: Int
    public var addsSinusoids: Bool

    public init(
      rows: Range<Int>, first: Int, count: Int, step: Int, offset: Int, noiseIndex: Int, addsNoise: Bool,
      phase: Int, addsSinusoids: Bool
    ) {
      self.rows = rows
      self.first = first
      self.count = count
      self.step = step
      self.offset = offset
      self.noiseIndex = noiseIndex
      self.addsNoise = addsNoise
      self.phase = phase
      self.addsSinusoids = addsSinusoids
    }
  }

  /// Values of the noise table; behind them the table begins again, for `noiseOverlap` values.
  public static let noiseCount = 512
  public static let noiseOverlap = 72

  /// high = gain·high + level·noise + sinusoids, in place.
  ///
  /// - Parameters:
  ///   - mask: 1 where noise is added, 0 where a sinusoid takes its place.
  ///   - sinusoids: their levels; 0 where there is none.
  ///   - noise: the table's real parts, then its imaginary parts, each `noiseCount` + `noiseOverlap` long.
  public static func adjust(
    _ high: inout [Float], _ what: Adjustment, gains: [Float], levels: [Float], mask: [Float],
    sinusoids: [Float], noise: [Float]
  ) {
    checkRows(high.count, what.rows, QMFLayout.stride)
    checkBands(what.first, what.count, 64)
    precondition(what.offset >= 0 && what.step >= 0 && what.noiseIndex >= 0, "places from 0 on")
    let needed = what.offset + max(0, what.rows.count - 1) * what.step + what.count + 8
    precondition(gains.count >= needed && levels.count >= needed, "enough gains and levels")
    precondition(mask.count >= what.count + 8 && sinusoids.count >= what.count + 8, "a value a band")
    precondition(noise.count >= 2 * (noiseCount + noiseOverlap), "the noise table twice")
    high.withUnsafeMutableBufferPointer { high in
      gains.withUnsafeBufferPointer { gains in
        levels.withUnsafeBufferPointer { levels in
          mask.withUnsafeBufferPointer { mask in
            sinusoids.withUnsafeBufferPointer { sinusoids in
              noise.withUnsafeBufferPointer { noise in
                guard let high = high.baseAddress, let gains = gains.baseAddress,
                  let levels = levels.baseAddress, let mask = mask.baseAddress,
                  let sinusoids = sinusoids.baseAddress, let noise = noise.baseAddress
                else { return }
                scale(high, what, gains)
                if what.addsNoise { addNoise(high, what, levels, mask, noise) }
                if what.addsSinusoids { addSinusoids(high, what, sinusoids) }
              }
            }
          }
        }
      }
    }
  }

  private static func scale(_ high: Target, _ what: Adjustment, _ gains: Source) {
    var gains = gains + what.offset
    for row in what.rows {
      let target = high + (row &* QMFLayout.stride &+ what.first)
      var band = 0
      while band < what.count {
        var gain = load(gains + band)
        // What lies behind the last band stays 0 or becomes it.
        if what.count &- band < 8 { gain = gain.replacing(with: 0, where: beyond[what.count &- band]) }
        store(load(target + band) * gain, target + band)
        let imaginary = target + (band &+ QMFLayout.imaginary)
        store(load(imaginary) * gain, imaginary)
        band &+= 8
      }
      gains += what.step
    }
  }

  /// Entry n: lanes n and up.
  private static let beyond: [SIMDMask<SIMD8<Int32>>] = (0..<8).map { count in
    var mask = SIMDMask<SIMD8<Int32>>()
    for lane in count..<8 { mask[lane] = true }
    return mask
  }

  private static func addNoise(
    _ high: Target, _ what: Adjustment, _ levels: Source, _ mask: Source, _ noise: Source
  ) {
    var levels = levels + what.offset
    var index = what.noiseIndex
    for row in what.rows {
      let target = high + (row &* QMFLayout.stride &+ what.first)
      let values = noise + (index & (noiseCount &- 1))
      var band = 0
      while band < what.count {
        var level = load(levels + band) * load(mask + band)
        if what.count &- band < 8 { level = level.replacing(with: 0, where: beyond[what.count &- band]) }
        store(Lanes.multiplyAdd(level, load(values + band), load(target + band)), target + band)
        let imaginary = target + (band &+ QMFLayout.imaginary)
        let other = load(values + (noiseCount &+ noiseOverlap &+ band))
        store(Lanes.multiplyAdd(level, other, load(imaginary)), imaginary)
        band &+= 8
      }
      levels += what.step
      index &+= what.count
    }
  }

  /// Real or imaginary parts by turns; the imaginary ones alternate in sign from band to band.
  private static func addSinusoids(_ high: Target, _ what: Adjustment, _ sinusoids: Source) {
    for row in what.rows {
      let phase = (what.phase &+ row &- what.rows.lowerBound) & 3
      var target = high + (row &* QMFLayout.stride &+ what.first)
      var sign: Float = phase & 2 == 0 ? 1 : -1
      if phase & 1 == 0 {
        for band in 0..<what.count { target[band] += sign * sinusoids[band] }
      } else {
        if what.first & 1 != 0 { sign = -sign }
        target += QMFLayout.imaginary
        for band in 0..<what.count {
          target[band] += sign * sinusoids[band]
          sign = -sign
        }
      }
    }
  }
}
