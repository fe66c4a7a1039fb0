/// A sampling rate as the bit stream carries it (ISO/IEC 14496-3, table 1.18): one of thirteen indices, or
/// an explicit number of 24 bits that borrows the tables of the nearest index.
public struct SamplingRate: Sendable, Hashable {
  /// The thirteen indexed rates in Hz, by samplingFrequencyIndex.
  public static let indexed: [Int] = [
    96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350,
  ]
  static let escapeIndex = 15

  public let hertz: Int

  /// `hertz` must fit 24 bits and not be zero.
  public init(_ hertz: Int) throws(AACError) {
    guard (1...0xFF_FFFF).contains(hertz) else {
      throw AACError(.outOfRange("sampling rate", value: hertz, allowed: 1...0xFF_FFFF))
    }
    self.hertz = hertz
  }

  /// The rate's own index, `nil` where it has to be written out.
  public var index: Int? { Self.indexed.firstIndex(of: hertz) }

  /// The index whose band tables serve this rate.
  public var tableIndex: Int {
    if let index { return index }
    let lowerBounds = [92017, 75132, 55426, 46009, 37566, 27713, 23004, 18783, 13856, 11502, 9391]
    return lowerBounds.firstIndex { hertz >= $0 } ?? 11
  }
}

extension SamplingRate {
  /// samplingFrequencyIndex (4), samplingFrequency (24) where the index is 15.
  init(parsing bits: inout BitReader) throws(AACError) {
    let start = bits.position
    let index = try bits.uint(4)
    if index == Self.escapeIndex {
      let hertz = try bits.uint(24)
      guard hertz > 0 else {
        throw AACError(.reserved("samplingFrequency", value: 0), bitOffset: start)
      }
      try self.init(hertz)
    } else {
      guard index < Self.indexed.count else {
        throw AACError(.reserved("samplingFrequencyIndex", value: index), bitOffset: start)
      }
      try self.init(Self.indexed[index])
    }
  }

  func write(to bits: inout BitWriter) {
    if let index {
      bits.put(index, 4)
    } else {
      bits.put(Self.escapeIndex, 4)
      bits.put(hertz, 24)
    }
  }
}
