public import PCM

/// What an encoder is asked for. Every field has a default that suits music.
public struct EncoderSettings: Sendable, Equatable {
  /// How many bits go where.
  public enum Rate: Sendable, Equatable {
    /// Every packet fits a bit reservoir of the standard's size around `bitsPerSecond` (CBR).
    case constant(Int)
    /// The mean over some seconds is `bitsPerSecond` (ABR).
    case average(Int)
    /// Constant quality, 1 (smallest) to 5 (best); the rate follows the sound (VBR).
    case quality(Int)
  }

  /// Speed against care, as the codec quality of other frameworks.
  public enum Effort: Int, Sendable, CaseIterable, Comparable {
    case min, low, medium, high, max
    public static func < (left: Effort, right: Effort) -> Bool { left.rawValue < right.rawValue }
  }

  /// The optional coding tools; each can be left out, for tests and for picky decoders.
  ///
  /// `noiseSubstitution` is used in single channels only; `intensity` is not used yet, whether set or not.
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

  public init(sampleRate: Int, layout: ChannelLayout, rate: Rate) {
    self.sampleRate = sampleRate
    self.layout = layout
    self.rate = rate
  }
}
