/// What one channel's part of `sbr_data()` says, with the differences already added up.
struct SBRChannelData: Equatable, Sendable {
  /// Room for the values of one envelope.
  static let stride = SBRBands.largestBandCount
  static let noiseStride = SBRBands.largestNoiseCount

  var grid = SBRGrid()
  /// Envelopes in steps of 3 dB instead of 1.5 dB.
  var isCoarse = false
  /// Bit e: envelope e is coded as differences in time.
  var timeEnvelopes: UInt8 = 0  // bs_df_env
  var timeNoises: UInt8 = 0  // bs_df_noise
  /// bs_invf_mode by noise band.
  var inverseFilters = SIMD8<UInt8>()
  /// Levels, or twice the balances in the second channel of a coupled pair; `stride` values an envelope.
  var envelopes = [Int16](repeating: 0, count: SBRGrid.largestEnvelopeCount * stride)
  /// `noiseStride` values a noise floor.
  var noises = [Int16](repeating: 0, count: 2 * noiseStride)
  /// Bit b: a sinusoid in band b of the high resolution.
  var harmonics: UInt64 = 0  // bs_add_harmonic
}

extension SBRChannelData {
  /// `sbr_dtdf()`.
  mutating func parseDirections(_ bits: inout BitReader) throws(AACError) {
    timeEnvelopes = 0
    timeNoises = 0
    for envelope in 0..<grid.envelopeCount where try bits.flag() { timeEnvelopes |= 1 << UInt8(envelope) }
    for floor in 0..<grid.noiseCount where try bits.flag() { timeNoises |= 1 << UInt8(floor) }
  }

  /// `sbr_invf()`.
  mutating func parseInverseFilters(_ bits: inout BitReader, _ bands: SBRBands) throws(AACError) {
    for band in 0..<bands.noiseCount { inverseFilters[band] = UInt8(truncatingIfNeeded: try bits.uint(2)) }
  }

  /// `sbr_sinusoidal_coding()` behind its flag.
  mutating func parseHarmonics(_ bits: inout BitReader, _ bands: SBRBands) throws(AACError) {
    harmonics = 0
    guard try bits.flag() else { return }
    for band in 0..<bands.highCount where try bits.flag() { harmonics |= 1 << UInt64(band) }
  }

  /// `sbr_envelope()`.
  ///
  /// - Parameters:
  ///   - previous: the channel's data of the frame before.
  ///   - balance: the second channel of a coupled pair.
  mutating func parseEnvelopes(
    _ bits: inout BitReader, _ bands: SBRBands, previous: SBRChannelData, balance: Bool
  ) throws(AACError) {
    let step = balance ? 2 : 1
    for envelope in 0..<grid.envelopeCount {
      let isHigh = grid.isHigh(envelope)
      let count = isHigh ? bands.highCount : bands.lowCount
      let base = envelope * Self.stride
      if timeEnvelopes >> UInt8(envelope) & 1 != 0 {
        let book = SBRHuffman.envelope(time: true, coarse: isCoarse, balance: balance)
        let wasHigh =
          envelope > 0
          ? grid.isHigh(envelope - 1) : previous.grid.isHigh(previous.grid.envelopeCount - 1)
        let before = envelope > 0 ? base - Self.stride : (previous.grid.envelopeCount - 1) * Self.stride
        for band in 0..<count {
          let place = before + Self.place(of: band, isHigh: isHigh, wasHigh: wasHigh, bands)
          let from = envelope > 0 ? envelopes[place] : previous.envelopes[place]
          try set(Int(from) + step * (try book.decode(&bits)), at: base + band, &bits)
        }
      } else {
        let book = SBRHuffman.envelope(time: false, coarse: isCoarse, balance: balance)
        var value = step * (try bits.uint((balance ? 6 : 7) - (isCoarse ? 1 : 0)))
        try set(value, at: base, &bits)
        for band in 1..<max(count, 1) {
          value += step * (try book.decode(&bits))
          try set(value, at: base + band, &bits)
        }
      }
    }
  }

  /// The band of the envelope before that `band` is the difference to.
  @inline(__always)
  private static func place(of band: Int, isHigh: Bool, wasHigh: Bool, _ bands: SBRBands) -> Int {
    if isHigh == wasHigh { return band }
    let odd = bands.highCount & 1
    return isHigh ? (band + odd) >> 1 : band == 0 ? 0 : 2 * band - odd
  }

  private mutating func set(_ value: Int, at index: Int, _ bits: inout BitReader) throws(AACError) {
    guard (0...127).contains(value) else {
      throw bits.failure(.outOfRange("envelope value", value: value, allowed: 0...127))
    }
    envelopes[index] = Int16(truncatingIfNeeded: value)
  }

  /// `sbr_noise()`.
  mutating func parseNoises(
    _ bits: inout BitReader, _ bands: SBRBands, previous: SBRChannelData, balance: Bool
  ) throws(AACError) {
    let step = balance ? 2 : 1
    for floor in 0..<grid.noiseCount {
      let base = floor * Self.noiseStride
      let isTime = timeNoises >> UInt8(floor) & 1 != 0
      let book = SBRHuffman.noise(time: isTime, balance: balance)
      var value = 0
      for band in 0..<bands.noiseCount {
        if isTime {
          let before = floor > 0 ? 0 : (previous.grid.noiseCount - 1) * Self.noiseStride
          value = Int(floor > 0 ? noises[before + band] : previous.noises[before + band])
          value += step * (try book.decode(&bits))
        } else {
          value += step * (band == 0 ? try bits.uint(5) : try book.decode(&bits))
        }
        guard (0...(balance ? 62 : 31)).contains(value) else {
          throw bits.failure(.outOfRange("noise value", value: value, allowed: 0...(balance ? 62 : 31)))
        }
        noises[base + band] = Int16(truncatingIfNeeded: value)
      }
    }
  }
}
