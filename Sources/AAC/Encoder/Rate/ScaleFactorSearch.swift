/// Picks a scale factor for every band of a channel so that noise-to-mask ratio plus price times bits is
/// least over all bands together, differences between neighbours included (a trellis).
struct ScaleFactorSearch: Sendable {
  /// Chosen scale factor of each coded band, −1 where the band is left out.
  private(set) var chosen = [Int](repeating: -1, count: ChannelStream.bandCapacity)
  /// Bits of lines and scale factors of the choice, sections not counted.
  private(set) var bits: Float = 0
  /// Weighted noise of the choice.
  private(set) var noise: Float = 0

  /// Quantiser offset that goes with each choice.
  private(set) var rounding = [Float](repeating: 0, count: ChannelStream.bandCapacity)

  private var cost: [Float]
  private var nextCost: [Float]
  private var cameFrom: [UInt8]
  private var coded: [Int] = []

  private static let deltaBits: [Float] = (-60...60).map { Float(ScaleFactors.bits(forDelta: $0)) }

  /// - Parameter count: candidates of a band.
  init(count: Int) {
    cost = [Float](repeating: 0, count: count)
    nextCost = cost
    cameFrom = [UInt8](repeating: 0, count: ChannelStream.bandCapacity * count)
  }

  mutating func run(_ candidates: BandCandidates, bandCount: Int, price: Float) {
    coded.removeAll(keepingCapacity: true)
    noise = 0
    for band in 0..<bandCount {
      chosen[band] = -1
      if candidates.first[band] >= 0, Self.isWorthCoding(candidates, band: band, price: price) {
        coded.append(band)
      } else {
        noise += candidates.zeroNoise[band]
      }
    }
    bits = 0
    guard let firstBand = coded.first else { return }
    let count = candidates.count
    for index in 0..<count {
      let place = firstBand * count + index
      cost[index] = candidates.noise[place] + price * (candidates.bits[place] + 1)
    }
    for (before, band) in zip(coded, coded.dropFirst()) {
      Self.step(
        from: candidates.first[before], to: candidates.first[band], band: band,
        spacing: candidates.spacing, noise: candidates.noise, bits: candidates.bits, price: price,
        deltaBits: Self.deltaBits, cost: cost, nextCost: &nextCost, cameFrom: &cameFrom)
      swap(&cost, &nextCost)
    }
    trace(candidates)
    bridge()
  }

  /// Neighbours further apart than a difference can tell: the coarser one becomes finer.
  private mutating func bridge() {
    for (before, band) in zip(coded, coded.dropFirst()) {
      chosen[band] = min(chosen[band], chosen[before] + ScaleFactors.deltaRange.upperBound)
    }
    for (band, after) in zip(coded, coded.dropFirst()).reversed() {
      chosen[band] = min(chosen[band], chosen[after] + ScaleFactors.deltaRange.upperBound)
    }
  }

  private static func isWorthCoding(_ candidates: BandCandidates, band: Int, price: Float) -> Bool {
    let row = band * candidates.count
    var least = Float.greatestFiniteMagnitude
    for index in row..<row + candidates.count {
      least = min(least, candidates.noise[index] + price * candidates.bits[index])
    }
    return least + price < candidates.zeroNoise[band]
  }

  @inline(__always)
  private static func step(
    from: Int, to: Int, band: Int, spacing: Int, noise: [Float], bits: [Float], price: Float,
    deltaBits: [Float], cost: [Float], nextCost: inout [Float], cameFrom: inout [UInt8]
  ) {
    let count = cost.count
    let row = band * count
    for index in 0..<count {
      var least = Float.greatestFiniteMagnitude
      var origin = 0
      for previous in 0..<count {
        let delta = to - from + (index - previous) * spacing
        guard delta >= -60, delta <= 60 else { continue }
        let total = cost[previous] + price * deltaBits[delta + 60]
        if total < least {
          least = total
          origin = previous
        }
      }
      nextCost[index] = least + noise[row + index] + price * bits[row + index]
      cameFrom[row + index] = UInt8(origin)
    }
  }

  private mutating func trace(_ candidates: BandCandidates) {
    let count = candidates.count
    var index = 0
    for candidate in 1..<count where cost[candidate] < cost[index] { index = candidate }
    var following: Int?
    for band in coded.reversed() {
      let place = band * count + index
      let scaleFactor = candidates.first[band] + index * candidates.spacing
      chosen[band] = scaleFactor
      rounding[band] = candidates.rounding[place]
      bits += candidates.bits[place]
      noise += candidates.noise[place]
      if let following { bits += Self.deltaBits[min(max(following - scaleFactor, -60), 60) + 60] }
      following = scaleFactor
      index = Int(cameFrom[place])
    }
    bits += 1
  }
}
