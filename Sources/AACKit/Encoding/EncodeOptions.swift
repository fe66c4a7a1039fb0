public import AAC
import AACContainers
import PCM

/// What is asked for when a whole sound is encoded. Everything has a default that suits music.
public struct EncodeOptions: Sendable {
  /// `nil`: `standardBitRate` for the rate and the channels.
  public var rate: EncoderSettings.Rate?
  public var effort: EncoderSettings.Effort = .high
  /// Upper band edge in Hz; `nil`: by the bit rate.
  public var bandwidth: Int?
  public var tools: EncoderSettings.Tools = .all
  /// Who is to encode, the best first.
  public var codecPreference: [CodecKind] = [.hardware, .software]
  /// Convert the sound to this rate first.
  public var sampleRate: Int?
  /// Mix the sound to this many channels first.
  public var channelCount: Int?
  /// The container and its tags.
  public var output = PacketOutput(.m4a)
  /// Take over the source's tags, all but the one of who encoded it; those of `output` change them, and without a
  /// value remove them.
  public var carriesTags = true
  /// Where the input is cancelled, end the stream there instead of failing: for live input.
  public var endsWhenCancelled = false

  public init() {}

  /// 64 kbit/s a channel at 44.1 and 48 kHz (128k for stereo), less below and more above by the power of
  /// 3/4; a low-frequency channel counts a quarter.
  public static func standardBitRate(sampleRate: Int, channelCount: Int, lowFrequency: Bool = false) -> Int {
    // Whatever is asked for; the encoder refuses what cannot be.
    let sampleRate = min(max(0, sampleRate), 1_000_000)
    let channels = Double(min(max(1, channelCount), 256)) - (lowFrequency ? 0.75 : 0)
    let ratio = sampleRate < 44100 ? Double(sampleRate) / 44100 : max(1, Double(sampleRate) / 48000)
    let scale = (ratio * ratio * ratio).squareRoot().squareRoot()
    return Int((64 * channels * scale).rounded()) * 1000
  }

  /// The encoder's settings for sound of a format, whose layout can be coded.
  func encoderSettings(_ format: PCMFormat) -> EncoderSettings {
    let standard = Self.standardBitRate(
      sampleRate: format.sampleRate, channelCount: format.channelCount,
      lowFrequency: format.layout.speakers.contains(.lowFrequency))
    var settings = EncoderSettings(
      sampleRate: format.sampleRate, layout: format.layout, rate: rate ?? .constant(standard))
    settings.effort = effort
    settings.bandwidth = bandwidth
    settings.codecPreference = codecPreference
    settings.tools = output.mpeg2 ? tools.subtracting(.noiseSubstitution) : tools
    return settings
  }

  /// The encoder's settings for a device: its rate as far as it can be coded and 48 kHz at most, its channels as far
  /// as they can be coded and else stereo, unless something else is asked for.
  func encoderSettings(recording device: PCMFormat) throws(AACKitError) -> EncoderSettings {
    let usual = min(device.sampleRate, 48_000)
    let rate = sampleRate ?? AACEncoder.sampleRates.filter { $0 <= usual }.max() ?? 48_000
    var layout = device.layout.codingLayout
    if layout.channelCount > 8 { layout = .stereo }
    if let channelCount, channelCount != layout.channelCount {
      guard let standard = ChannelLayout.standard(channelCount: channelCount) else {
        throw AACKitError(.unsupported("\(channelCount) channels have no usual layout: choose 1 to 8"))
      }
      layout = standard
    }
    guard device.layout == layout || ChannelMixer(from: device.layout, to: layout) != nil else {
      throw AACKitError(
        .unsupported("channels without places (\(device.layout.name)) cannot be mixed to \(layout.name)"))
    }
    return encoderSettings(PCMFormat(sampleRate: rate, layout: layout))
  }
}
