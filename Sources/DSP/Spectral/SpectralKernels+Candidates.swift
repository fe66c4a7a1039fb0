/// What a search for scale factors tries: scale factors `first`, `first + spacing`… of each band.
public struct CandidateGrid: Sendable {
  /// Places of a band's candidates in the tables, of which the first `count` are in use.
  public static let stride = 16
  /// Candidates of each band, at most `stride`.
  public let count: Int
  /// Scale factors from one candidate to the next.
  public let spacing: Int
  /// What is added before truncation; each is tried for every candidate.
  public let roundings: [Float]
  /// How far below the estimate the first candidate lies.
  public let below: Int

  public init(count: Int, spacing: Int, roundings: [Float], below: Int) {
    precondition((1...Self.stride).contains(count) && spacing >= 1, "a grid of candidates")
    self.count = count
    self.spacing = spacing
    self.roundings = roundings
    self.below = below
  }
}

/// Noise and bits of every candidate of every band of a channel.
///
/// The arrays of candidates are indexed `band * CandidateGrid.stride + index`.
public struct CandidateTable: Sendable {
  /// Noise-to-mask cost of an impossible candidate.
  public static let impossible = Float.greatestFiniteMagnitude / 4

  /// Smallest scale factor of each band's candidates; −1 where the band is not worth a bit.
  public internal(set) var first: [Int]
  /// Weighted noise.
  public internal(set) var noise: [Float]
  public internal(set) var bits: [Float]
  /// What was added before truncation.
  public internal(set) var rounding: [Float]
  /// Weighted noise of a band that is left out, its penalty included.
  public internal(set) var zeroNoise: [Float]

  public init(bandCapacity: Int) {
    first = [Int](repeating: -1, count: bandCapacity)
    zeroNoise = [Float](repeating: 0, count: bandCapacity)
    noise = [Float](repeating: Self.impossible, count: bandCapacity * CandidateGrid.stride)
    bits = [Float](repeating: 0, count: bandCapacity * CandidateGrid.stride)
    rounding = bits
  }
}

/// The lines of a channel and what the ear makes of them.
public struct BandLines {
  /// |x| and |x|^¾ in coded order.
  public let magnitudes: [Float]
  public let powers: [Float]
  /// Lines of each band, a multiple of four.
  public let ranges: [Range<Int>]
  public let bandCount: Int
  /// Noise-to-mask ratio of a unit of noise energy, by band.
  public let weights: [Float]

  public init(
    magnitudes: [Float], powers: [Float], ranges: [Range<Int>], bandCount: Int, weights: [Float]
  ) {
    self.magnitudes = magnitudes
    self.powers = powers
    self.ranges = ranges
    self.bandCount = bandCount
    self.weights = weights
  }
}

extension CandidateTable {
  /// Measures all candidates of all bands around what theory gives for a price.
  ///
  /// - Parameters:
  ///   - price: noise-to-mask ratio that one bit is worth.
  ///   - holePenalty: factor of the energy of a band that is left out.
  public mutating func fill(
    _ lines: BandLines, grid: CandidateGrid, price: Float, holePenalty: Float, steps: StepTable,
    lengths: CodeLengths
  ) {
    precondition(
      lines.bandCount <= first.count && lines.bandCount <= lines.ranges.count
        && lines.bandCount <= lines.weights.count, "bands inside their arrays")
    let count = lines.bandCount
    for range in lines.ranges[0..<count] {
      SpectralKernels.check(range, lines.magnitudes.count)
      SpectralKernels.check(range, lines.powers.count)
      precondition(range.count & 3 == 0, "bands of whole tuples")
    }
    SpectralKernels.reading(lines.magnitudes, 0..<lines.magnitudes.count) { magnitudes in
      SpectralKernels.reading(lines.powers, 0..<lines.powers.count) { powers in
        let measure = CandidateMeasure(
          magnitudes: magnitudes, powers: powers, price: price, multipliers: steps.multipliers,
          steps: steps.steps, lengths: lengths.tables, fourThirds: PowerTable.fourThirds.centre)
        SpectralKernels.writing(&noise, 0, count * CandidateGrid.stride) { noise in
          SpectralKernels.writing(&bits, 0, count * CandidateGrid.stride) { bits in
            SpectralKernels.writing(&rounding, 0, count * CandidateGrid.stride) { rounding in
              SpectralKernels.writing(&first, 0, count) { first in
                SpectralKernels.writing(&zeroNoise, 0, count) { zeroNoise in
                  for start in stride(from: 0, to: count, by: 8) {
                    let end = min(start + 8, count)
                    let estimates = measure.estimates(lines.ranges, lines.weights, start..<end)
                    for band in start..<end {
                      let range = lines.ranges[band]
                      let row = band &* CandidateGrid.stride
                      let energy = SpectralKernels.energy(magnitudes + range.lowerBound, range.count)
                      zeroNoise[band] = energy * lines.weights[band] * holePenalty
                      // Not worth the bits of even the smallest codeword and scale factor.
                      if zeroNoise[band] <= 2 * price {
                        first[band] = -1
                        continue
                      }
                      first[band] = measure.run(
                        range, weight: lines.weights[band], estimate: Int(estimates[band &- start]), grid,
                        noise: noise + row, bits: bits + row, rounding: rounding + row)
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}

extension CandidateTable {
  /// The least that each band costs, left out or coded with some candidate.
  public func leastCosts(bandCount: Int, price: Float, into costs: inout [Float]) {
    SpectralKernels.check(0..<bandCount, first.count)
    SpectralKernels.reading(noise, 0..<bandCount * CandidateGrid.stride) { noise in
      SpectralKernels.reading(bits, 0..<bandCount * CandidateGrid.stride) { bits in
        SpectralKernels.writing(&costs, 0, bandCount) { costs in
          for band in 0..<bandCount {
            let row = band &* CandidateGrid.stride
            let none = zeroNoise[band]
            costs[band] =
              first[band] < 0 ? none : min(none, Self.least(noise + row, bits + row, price) + price)
          }
        }
      }
    }
  }

  /// The least cost among a band's candidates.
  @inline(__always)
  static func least(_ noise: UnsafePointer<Float>, _ bits: UnsafePointer<Float>, _ price: Float) -> Float {
    let prices = Lanes8(repeating: price)
    var low = load(noise) + prices * load(bits)
    let high = load(noise + 8) + prices * load(bits + 8)
    low.replace(with: high, where: high .< low)
    var four = low.lowHalf
    four.replace(with: low.highHalf, where: low.highHalf .< four)
    return min(min(four[0], four[1]), min(four[2], four[3]))
  }

  /// Takes note that nothing is in a band.
  public mutating func leaveOut(band: Int) {
    first[band] = -1
    zeroNoise[band] = 0
  }

  /// Takes over bands of another table: bit b of `bands` is for band `start + b`.
  public mutating func adopt(_ bands: UInt64, from start: Int, of other: CandidateTable) {
    SpectralKernels.forEachBand(of: bands, from: start) { band in
      first[band] = other.first[band]
      zeroNoise[band] = other.zeroNoise[band]
    }
    SpectralKernels.adoptRows(&noise, other.noise, bands, start)
    SpectralKernels.adoptRows(&bits, other.bits, bands, start)
    SpectralKernels.adoptRows(&rounding, other.rounding, bands, start)
  }
}

extension SpectralKernels {
  /// target[i] = x[i] for the lines of some bands: bit b of `bands` is for band `start + b`.
  public static func copyBands(
    _ x: [Float], ranges: [Range<Int>], bands: UInt64, from start: Int, to target: inout [Float]
  ) {
    x.withUnsafeBufferPointer { x in
      target.withUnsafeMutableBufferPointer { target in
        guard let source = x.baseAddress, let place = target.baseAddress else { return }
        forEachBand(of: bands, from: start) { band in
          let range = ranges[band]
          check(range, x.count)
          check(range, target.count)
          (place + range.lowerBound).update(from: source + range.lowerBound, count: range.count)
        }
      }
    }
  }

  /// The candidates of some bands.
  fileprivate static func adoptRows(_ target: inout [Float], _ x: [Float], _ bands: UInt64, _ start: Int) {
    x.withUnsafeBufferPointer { x in
      target.withUnsafeMutableBufferPointer { target in
        guard let source = x.baseAddress, let place = target.baseAddress else { return }
        forEachBand(of: bands, from: start) { band in
          let row = band * CandidateGrid.stride
          check(row..<row + CandidateGrid.stride, x.count)
          check(row..<row + CandidateGrid.stride, target.count)
          store(load(source + row), place + row)
          store(load(source + row + 8), place + row + 8)
        }
      }
    }
  }

  @inline(__always)
  fileprivate static func forEachBand(of bands: UInt64, from start: Int, _ body: (Int) -> Void) {
    var rest = bands
    while rest != 0 {
      body(start + rest.trailingZeroBitCount)
      rest &= rest &- 1
    }
  }
}

/// The bands of `CandidateTable.fill`.
private struct CandidateMeasure {
  let magnitudes: UnsafePointer<Float>
  let powers: UnsafePointer<Float>
  let price: Float
  let multipliers: UnsafePointer<Float>
  let steps: UnsafePointer<Float>
  let lengths: LengthTables
  let fourThirds: UnsafePointer<Float>

  /// The scale factors at which one more bit buys what it costs, of up to eight bands. For a fine quantiser noise
  /// is λn / (2 ln 2 · weight), and a step s makes noise of 4/27 · s^(3/2) Σ√|x|.
  func estimates(_ ranges: [Range<Int>], _ weights: [Float], _ bands: Range<Int>) -> SIMD8<Int16> {
    var widths = Lanes8(repeating: 1)
    var weight = widths
    var roots = widths
    for band in bands {
      let lane = band &- bands.lowerBound
      let range = ranges[band]
      widths[lane] = Float(range.count)
      weight[lane] = weights[band]
      roots[lane] = SpectralKernels.sumOfRoots(magnitudes + range.lowerBound, range.count)
    }
    let noise = Lanes8(repeating: price) * widths * Lanes8(repeating: 0.721_347_5) / weight
    let ratio = noise / (Lanes8(repeating: 0.148_148) * atLeast(roots, 1e-9))
    let step = log2(atLeast(ratio, 1e-30)) * Lanes8(repeating: 2.0 / 3.0)
    return roundedScaleFactors(Lanes8(repeating: 100) + Lanes8(repeating: 4) * step)
  }

  /// Returns the first candidate's scale factor.
  @inline(__always)
  func run(
    _ range: Range<Int>, weight: Float, estimate: Int, _ grid: CandidateGrid,
    noise: UnsafeMutablePointer<Float>, bits: UnsafeMutablePointer<Float>,
    rounding: UnsafeMutablePointer<Float>
  ) -> Int {
    let reach = grid.count * grid.spacing
    let peak = SpectralKernels.peak(powers + range.lowerBound, range.count)
    let wanted = max(estimate - grid.below, finest(peak: peak, from: estimate - grid.below))
    let lowest = min(max(wanted, 0), 255 - reach)
    // Neighbours with equal scale factors have to be possible.
    let first = grid.spacing == 1 ? lowest : lowest - lowest % grid.spacing
    store(Lanes8(repeating: CandidateTable.impossible), noise)
    store(Lanes8(repeating: CandidateTable.impossible), noise + 8)
    store(Lanes8(repeating: 0), bits)
    store(Lanes8(repeating: 0), bits + 8)
    let band = BandMeasure(
      magnitudes: magnitudes + range.lowerBound, powers: powers + range.lowerBound, count: range.count,
      lengths: lengths, fourThirds: fourThirds)
    let peaks = Lanes8(repeating: peak)
    for offset in grid.roundings {
      for index in 0..<grid.count {
        let scaleFactor = first + index * grid.spacing
        let multiplier = multipliers[scaleFactor]
        let largest = Lanes.truncated(
          Lanes.multiplyAdd(peaks, Lanes8(repeating: multiplier), Lanes8(repeating: offset)))[0]
        // Coarser steps leave nothing either.
        if largest == 0 { break }
        let (error, size) = band.measure(
          Int(largest), multiplier: multiplier, offset: offset, step: steps[scaleFactor])
        let cost = Float(size)
        if error * weight + price * cost < noise[index] + price * bits[index] {
          noise[index] = error * weight
          bits[index] = cost
          rounding[index] = offset
        }
      }
    }
    return first
  }

  /// The least scale factor from one on at which the largest line can still be told.
  @inline(__always)
  private func finest(peak: Float, from scaleFactor: Int) -> Int {
    let largest = Float(SpectralKernels.largestQuantized)
    guard peak * multipliers[min(max(scaleFactor, 0), 255)] > largest else { return scaleFactor }
    return 100 + Int((Elementary.log2(peak / largest) * (16.0 / 3.0)).rounded(.up))
  }
}

/// One of the bands.
private struct BandMeasure {
  let magnitudes: UnsafePointer<Float>
  let powers: UnsafePointer<Float>
  let count: Int
  let lengths: LengthTables
  let fourThirds: UnsafePointer<Float>

  func measure(_ largest: Int, multiplier: Float, offset: Float, step: Float) -> (Float, Int) {
    let small = SmallOrTableFourThirds(fourThirds)
    switch largest {
    case 1: return measure(multiplier, offset, step, small, QuadCount(lengths.quads))
    case 2: return measure(multiplier, offset, step, small, QuadCount(lengths.quads, firstField: 2))
    case 3...4: return measure(multiplier, offset, step, small, PairCount(lengths.pairs4, base: 5, fields: 4))
    case 5...7: return measure(multiplier, offset, step, small, PairCount(lengths.pairs7, base: 8, fields: 4))
    case 8...12:
      return measure(multiplier, offset, step, small, PairCount(lengths.pairs12, base: 13, fields: 3))
    case 13...15: return measure(multiplier, offset, step, small, EscapeCount(lengths))
    default: return measure(multiplier, offset, step, TableFourThirds(fourThirds), EscapeCount(lengths))
    }
  }

  @inline(__always)
  private func measure(
    _ multiplier: Float, _ rounding: Float, _ step: Float, _ power: some FourThirds,
    _ counter: some TupleCount
  ) -> (Float, Int) {
    var counter = counter
    let factor = Lanes8(repeating: multiplier)
    let offset = Lanes8(repeating: rounding)
    let steps = Lanes8(repeating: step)
    var total = Lanes8(repeating: 0)
    var index = 0
    while index &+ 8 <= count {
      let q = Lanes.truncated(Lanes.multiplyAdd(load(powers + index), factor, offset))
      let value = power.of(q, signed: false)
      let difference = Lanes.negativeMultiplyAdd(value, steps, load(magnitudes + index))
      total = Lanes.multiplyAdd(difference, difference, total)
      counter.add(q)
      index &+= 8
    }
    if index < count {
      let q = Lanes.truncated(Lanes.multiplyAdd(loadPartial(powers + index, 4), factor, offset))
      let value = power.of(q, signed: false)
      let difference = Lanes.negativeMultiplyAdd(value, steps, loadPartial(magnitudes + index, 4))
      total = Lanes.multiplyAdd(difference, difference, total)
      counter.addHalf(q)
    }
    return (sum(total), counter.bits)
  }
}

#if AAC_FMA && arch(x86_64)
  private typealias SmallOrTableFourThirds = SmallFourThirds
#else
  private typealias SmallOrTableFourThirds = TableFourThirds
#endif

/// The quantiser's step for each scale factor, and what |x|^(3/4) is multiplied by.
public final class StepTable: Sendable {
  private let store: [TableStore<Float>]
  nonisolated(unsafe) let steps: UnsafePointer<Float>
  nonisolated(unsafe) let multipliers: UnsafePointer<Float>

  /// Takes 256 of each, by scale factor.
  public init(steps: [Float], multipliers: [Float]) {
    precondition(steps.count == 256 && multipliers.count == 256, "an entry for every scale factor")
    store = [TableStore(steps, padding: 0), TableStore(multipliers, padding: 0)]
    self.steps = UnsafePointer(store[0].pointer)
    self.multipliers = UnsafePointer(store[1].pointer)
  }
}
