#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Envelopes and noise floors of one channel as energies (4.6.18.3.5).
struct SBRLevels: Sendable {
  /// As `SBRChannelData.envelopes`.
  var envelopes = [Float](
    repeating: 0, count: SBRGrid.largestEnvelopeCount * SBRChannelData.stride)
  /// As `SBRChannelData.noises`.
  var noises = [Float](repeating: 0, count: 2 * SBRChannelData.noiseStride)

  /// 2^(e/2) for e in 0..<halfPowers.count, and beyond that the last one: far above full scale, and far below
  /// what would make later squares overflow.
  private static let halfPowers: [Float] = (0...128).map { Float(exp2(Double($0) / 2)) }
  private static let powers: [Float] = (-80...40).map { Float(exp2(Double($0))) }

  private static func halfPower(_ exponent: Int, _ table: [Float]) -> Float {
    table[min(max(exponent, 0), table.count - 1)]
  }

  private static func power(_ exponent: Int, _ table: [Float]) -> Float {
    table[min(max(exponent + 80, 0), table.count - 1)]
  }

  /// Of a channel on its own.
  mutating func dequantize(_ data: SBRChannelData) {
    let table = Self.halfPowers
    let step = data.isCoarse ? 2 : 1
    for index in 0..<data.grid.envelopeCount * SBRChannelData.stride {
      envelopes[index] = Self.halfPower(12 + step * Int(data.envelopes[index]), table)
    }
    let powers = Self.powers
    for index in 0..<data.grid.noiseCount * SBRChannelData.noiseStride {
      noises[index] = Self.power(6 - Int(data.noises[index]), powers)
    }
  }

  /// Of a coupled pair: the first channel's data are the levels of both, the second's how they are shared.
  static func dequantize(
    _ levels: SBRChannelData, balances: SBRChannelData, _ left: inout SBRLevels, _ right: inout SBRLevels
  ) {
    let table = halfPowers
    let step = levels.isCoarse ? 2 : 1
    for index in 0..<levels.grid.envelopeCount * SBRChannelData.stride {
      let both = halfPower(14 + step * Int(levels.envelopes[index]), table)
      let exponent = 24 - step * Int(balances.envelopes[index])
      let ratio = exponent >= 0 ? halfPower(exponent, table) : 1 / halfPower(-exponent, table)
      left.envelopes[index] = both / (1 + ratio)
      right.envelopes[index] = both * ratio / (1 + ratio)
    }
    let powers = Self.powers
    for index in 0..<levels.grid.noiseCount * SBRChannelData.noiseStride {
      let both = power(7 - Int(levels.noises[index]), powers)
      let ratio = power(12 - Int(balances.noises[index]), powers)
      left.noises[index] = both / (1 + ratio)
      right.noises[index] = both * ratio / (1 + ratio)
    }
  }

  /// Lets the first envelope and noise floor be those numbered so.
  mutating func keep(envelope: Int, noise: Int) {
    for band in 0..<SBRChannelData.stride {
      envelopes[band] = envelopes[envelope * SBRChannelData.stride + band]
    }
    for band in 0..<SBRChannelData.noiseStride {
      noises[band] = noises[noise * SBRChannelData.noiseStride + band]
    }
  }

  /// Scales the first envelope's energies.
  mutating func scale(by factor: Float) {
    for band in 0..<SBRChannelData.stride { envelopes[band] *= factor }
  }
}
