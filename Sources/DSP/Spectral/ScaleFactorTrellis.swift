/// Picks one candidate for every band so that noise plus price times bits is least over all bands together,
/// the bits of differences between neighbours included.
public final class ScaleFactorTrellis {
  private static let stride = CandidateGrid.stride
  /// Larger than any difference of two candidates.
  private static let bias = 320

  private let grid: CandidateGrid
  private let deltaBits: [Float]
  private let deltaCost: TableStore<Float>
  private let rowLength: Int
  /// Where the cost of each difference stands: those that are `spacing` apart are neighbours.
  private let deltaPlace: TableStore<Int>
  private let cost: TableStore<Float>
  private let cameFrom: TableStore<Int32>
  private let coded: TableStore<Int>
  private var codedCount = 0

  /// - Parameter deltaBits: bits of each difference −60…60.
  public init(grid: CandidateGrid, deltaBits: [Float], bandCapacity: Int) {
    precondition(deltaBits.count == 121, "an entry for every difference")
    self.grid = grid
    self.deltaBits = deltaBits
    rowLength = 2 * Self.bias / grid.spacing + 2 * Self.stride
    let rowLength = rowLength
    deltaPlace = TableStore(
      (-60...60).map {
        let place = $0 + Self.bias
        return place % grid.spacing * rowLength + place / grid.spacing
      }, padding: 0)
    deltaCost = TableStore(repeating: .infinity, count: rowLength * grid.spacing)
    cost = TableStore(repeating: 0, count: 2 * Self.stride)
    cameFrom = TableStore(repeating: 0, count: bandCapacity * Self.stride)
    coded = TableStore(repeating: 0, count: bandCapacity)
  }

  /// What came of a run.
  public struct Outcome {
    /// Bits of lines and differences.
    public var bits: Float = 0
    /// Weighted noise.
    public var noise: Float = 0
  }

  /// - Parameters:
  ///   - chosen: scale factor of each band, −1 where the band is left out.
  ///   - rounding: what goes with each choice.
  public func run(
    _ table: CandidateTable, bandCount: Int, price: Float, chosen: inout [Int], rounding: inout [Float]
  ) -> Outcome {
    precondition(
      bandCount <= coded.count && bandCount <= table.first.count && bandCount <= chosen.count
        && bandCount <= rounding.count, "bands inside their arrays")
    var outcome = Outcome()
    SpectralKernels.writing(&chosen, 0, bandCount) { $0.update(repeating: -1, count: bandCount) }
    table.noise.withUnsafeBufferPointer { noise in
      table.bits.withUnsafeBufferPointer { bits in
        guard let noise = noise.baseAddress, let bits = bits.baseAddress else { return }
        codedCount = 0
        for band in 0..<bandCount {
          let row = band * Self.stride
          if table.first[band] >= 0,
            CandidateTable.least(noise + row, bits + row, price) + price < table.zeroNoise[band]
          {
            coded.pointer[codedCount] = band
            codedCount += 1
          } else {
            outcome.noise += table.zeroNoise[band]
          }
        }
        guard codedCount > 0 else { return }
        forward(table.first, noise, bits, price)
        trace(table, noise, bits, &chosen, &rounding, &outcome)
      }
    }
    bridge(&chosen)
    return outcome
  }

  private func forward(
    _ first: [Int], _ noise: UnsafePointer<Float>, _ bits: UnsafePointer<Float>, _ price: Float
  ) {
    let costs = cost.pointer
    let prices = Lanes8(repeating: price)
    let spacing = grid.spacing
    for index in 0..<121 {
      deltaCost.pointer[deltaPlace.pointer[index]] = price * deltaBits[index]
    }
    let start = coded.pointer[0] * Self.stride
    for index in 0..<grid.count {
      costs[index] = noise[start + index] + price * (bits[start + index] + 1)
    }
    for position in 1..<max(codedCount, 1) {
      let band = coded.pointer[position]
      let row = band * Self.stride
      let base = first[band] - first[coded.pointer[position - 1]] + Self.bias
      let deltas = UnsafePointer(deltaCost.pointer) + (base % spacing * rowLength + base / spacing)
      var least = (
        Lanes8(repeating: .greatestFiniteMagnitude), Lanes8(repeating: .greatestFiniteMagnitude)
      )
      var origin = (SIMD8<Int32>(repeating: 0), SIMD8<Int32>(repeating: 0))
      for previous in 0..<grid.count {
        let before = Lanes8(repeating: costs[previous])
        let number = SIMD8<Int32>(repeating: Int32(truncatingIfNeeded: previous))
        let low = before + load(deltas - previous)
        let lowIsLess = low .< least.0
        least.0.replace(with: low, where: lowIsLess)
        origin.0.replace(with: number, where: lowIsLess)
        if grid.count > 8 {
          let high = before + load(deltas - previous + 8)
          let highIsLess = high .< least.1
          least.1.replace(with: high, where: highIsLess)
          origin.1.replace(with: number, where: highIsLess)
        }
      }
      store(least.0 + load(noise + row) + prices * load(bits + row), costs)
      store(origin.0, row)
      if grid.count > 8 {
        store(least.1 + load(noise + row + 8) + prices * load(bits + row + 8), costs + 8)
        store(origin.1, row + 8)
      }
    }
  }

  @inline(__always)
  private func store(_ origin: SIMD8<Int32>, _ place: Int) {
    UnsafeMutableRawPointer(cameFrom.pointer + place).storeBytes(of: origin, as: SIMD8<Int32>.self)
  }

  @inline(__always)
  private func store(_ value: Lanes8, _ pointer: UnsafeMutablePointer<Float>) {
    DSP.store(value, pointer)
  }

  private func trace(
    _ table: CandidateTable, _ noise: UnsafePointer<Float>, _ bits: UnsafePointer<Float>,
    _ chosen: inout [Int], _ rounding: inout [Float], _ outcome: inout Outcome
  ) {
    let costs = cost.pointer
    var index = 0
    for candidate in 1..<max(grid.count, 1) where costs[candidate] < costs[index] { index = candidate }
    var following: Int?
    for position in (0..<codedCount).reversed() {
      let band = coded.pointer[position]
      let place = band * Self.stride + index
      let scaleFactor = table.first[band] + index * grid.spacing
      chosen[band] = scaleFactor
      rounding[band] = table.rounding[place]
      outcome.bits += bits[place]
      outcome.noise += noise[place]
      if let following { outcome.bits += deltaBits[min(max(following - scaleFactor, -60), 60) + 60] }
      following = scaleFactor
      index = Int(cameFrom.pointer[place])
    }
    outcome.bits += 1
  }

  /// Neighbours further apart than a difference can tell: the coarser one becomes finer.
  private func bridge(_ chosen: inout [Int]) {
    guard codedCount > 1 else { return }
    SpectralKernels.writing(&chosen, 0, chosen.count) { chosen in
      for position in 1..<codedCount {
        let (before, band) = (coded.pointer[position - 1], coded.pointer[position])
        chosen[band] = min(chosen[band], chosen[before] + 60)
      }
      for position in (1..<codedCount).reversed() {
        let (band, after) = (coded.pointer[position - 1], coded.pointer[position])
        chosen[band] = min(chosen[band], chosen[after] + 60)
      }
    }
  }
}
