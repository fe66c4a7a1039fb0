public import PCM

/// What an encoder is asked for. Every field has a default that suits music.
public struct EncoderSettings: Sendable, Equatable {
  /// How many bits go where. Rates are those of the packets alone, what a container adds not counted.
  public enum Rate: Sendable, Equatable {
    /// Constant rate (CBR) in bits a second: a bit reservoir lends between frames, and the delay is constant.
    ///
    /// Over a channel that carries this rate without a pause, the time that a packet waits in the sender's and in
    /// the receiver's buffer together is the same for all packets:
    ///
    ///     D = min(6144 · channels ÷ rate, 0.16 s + 1024 ÷ sampleRate)
    ///
    /// 96 ms for stereo at 128 kbit/s, 183 ms at 32 kbit/s and 44.1 kHz. A receiver with a buffer of D · rate
    /// bits, never more than the standard's 6144 a channel, that takes the first packet when
    /// ½ (D + 1024 ÷ sampleRate) has passed since the first bit, and one packet each 1024 ÷ sampleRate from then on,
    /// never finds one incomplete and never has to hold more. The mean of eight seconds and more is within 1 %.
    case constant(Int)
    /// Average rate (ABR) in bits a second: the mean of eight seconds and more is within 1 %, while single
    /// frames may be of any size up to 6144 bits a channel. Silence is filled up once it has saved that much.
    case average(Int)
    /// Constant quality (VBR), 1 (smallest) to 5 (best): every bit has to save the same noise-to-mask ratio, and
    /// the rate follows the sound.
    ///
    /// Typical music at 44.1 kHz takes 32, 48, 64, 80 and 112 kbit/s a channel; sounds of few tones take down to
    /// an eighth of that, dense noise up to half as much again.
    case quality(Int)
  }

  /// Speed against care, as the codec quality of other frameworks.
  public enum Effort: Int, Sendable, CaseIterable, Comparable {
    case min, low, medium, high, max
    public static func < (left: Effort, right: Effort) -> Bool { left.rawValue < right.rawValue }
  }

  /// The optional coding tools; each can be left out, for tests and for picky decoders.
  ///
  /// `noiseSubstitution` is used in single channels, and in pairs where both channels are noise and unlike.
  /// `intensity` is used in pairs up to 40 kbit/s a channel (at 44.1 kHz; `quality` 1), above 4 kHz, where a band is no
  /// tone and one carrier costs less than two channels; neither of them at the effort `min`.
  public struct Tools: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let temporalNoiseShaping = Tools(rawValue: 1)
    public static let midSide = Tools(rawValue: 2)
    public static let noiseSubstitution = Tools(rawValue: 4)
    public static let intensity = Tools(rawValue: 8)
    public static let shortBlocks = Tools(rawValue: 16)
    public static let all: Tools = [
      .temporalNoiseShaping, .midSide, .noiseSubstitution, .intensity, .shortBlocks,
    ]
  }

  /// Frames a second of the input, which is also the rate of the stream: one of the thirteen indexed rates.
  public var sampleRate: Int
  public var layout: ChannelLayout
  public var rate: Rate
  public var effort: Effort = .high
  /// Upper band edge in Hz; `nil`: chosen by rate.
  public var bandwidth: Int?
  public var tools: Tools = .all
  /// Who is to encode, the best first. ``AACEncoder/Effective/codec`` tells who does.
  public var codecPreference: [CodecKind] = [.hardware, .software]

  public init(sampleRate: Int, layout: ChannelLayout, rate: Rate) {
    self.sampleRate = sampleRate
    self.layout = layout
    self.rate = rate
  }
}
