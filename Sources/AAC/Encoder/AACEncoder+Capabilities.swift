extension AACEncoder {
  /// The sampling rates that can be encoded.
  public static var sampleRates: [Int] { SamplingRate.indexed }

  /// The bit rates that a constant or average rate may have.
  public static func bitRates(sampleRate: Int, channelCount: Int) -> ClosedRange<Int> {
    EncoderPlan.bitRates(sampleRate: sampleRate, channels: channelCount)
  }
}
