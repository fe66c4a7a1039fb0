public import PCM

/// Encodes PCM to AAC-LC access units.
///
/// Push any number of frames, take 0…n packets; `finish()` drains. Not safe for use from several threads
/// at a time; separate encoders share nothing.
public final class AACEncoder {
  /// What was chosen for the settings asked for.
  public struct Effective: Sendable, Equatable {
    /// Target rate in bits a second; for `quality` the typical rate.
    public var bitRate: Int
    /// Upper band edge in Hz.
    public var bandwidth: Int
    /// Output frames before the first input sample: the `priming` of the packets.
    public var priming: Int
    /// Frames that must be pushed beyond a packet's own before it comes out.
    public var lookahead: Int
  }

  public let settings: EncoderSettings
  public let effective: Effective
  /// What a decoder needs; goes into the container.
  public let configuration: AudioSpecificConfig

  /// - Throws: `invalidSettings` with what was asked and what is possible.
  public init(_ settings: EncoderSettings) throws(AACError) {
    throw AACError(.unsupported("encoding"))
  }

  /// Takes `buffer` (format as in the settings) and returns the packets that are complete. Nothing of
  /// the caller's memory is kept.
  ///
  /// - Throws: `notFinite` with channel and frame at a NaN or an infinity; `misuse` for another format or
  ///   after `finish()`. After a throw nothing of `buffer` has been taken.
  public func encode(_ buffer: PCMBuffer) throws(AACError) -> [Packet] { [] }

  /// Encodes what is still inside and returns the last packets. The encoder takes no more input then.
  public func finish() throws(AACError) -> [Packet] { [] }
}
