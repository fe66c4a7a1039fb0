public import AAC
import AACContainers

/// What is asked for when a whole sound is encoded. Everything has a default that suits music.
public struct EncodeOptions: Sendable {
  /// `nil`: `standardBitRate` for the rate and the channels.
  public var rate: EncoderSettings.Rate?
  public var effort: EncoderSettings.Effort = .high
  /// Upper band edge in Hz; `nil`: by the bit rate.
  public var bandwidth: Int?
  public var tools: EncoderSettings.Tools = .all
  /// Convert the sound to this rate first.
  public var sampleRate: Int?
  /// Mix the sound to this many channels first.
  public var channelCount: Int?
  public var output = PacketOutput(.m4a)
  /// Where the input is cancelled, end the stream there instead of failing: for live input.
  public var endsWhenCancelled = false

  public init() {}

  /// 64 kbit/s a channel at 44.1 and 48 kHz (128k for stereo), less below and more above by the power of
  /// 3/4; a low-frequency channel counts a quarter.
  public static func standardBitRate(sampleRate: Int, channelCount: Int, lowFrequency: Bool = false) -> Int {
    let channels = Double(channelCount) - (lowFrequency ? 0.75 : 0)
    let ratio = sampleRate < 44100 ? Double(sampleRate) / 44100 : max(1, Double(sampleRate) / 48000)
    let scale = (ratio * ratio * ratio).squareRoot().squareRoot()
    return Int((64 * channels * scale).rounded()) * 1000
  }
}
