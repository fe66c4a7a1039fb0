public import PCM

/// Decodes AAC access units to PCM.
///
/// Not safe for use from several threads at a time; separate decoders share nothing.
public final class AACDecoder {
  public let configuration: AudioSpecificConfig
  /// Format of the sound as far as it is known: from the configuration, then from the stream itself (a
  /// program config element in the stream can change it).
  public private(set) var format: PCMFormat

  /// - Throws: `unsupported` with the name of an object type that is not decoded.
  public init(_ configuration: AudioSpecificConfig) throws(AACError) {
    throw AACError(.unsupported("decoding"))
  }

  /// Decodes one access unit into `output`, which gets the real format and frame count. After a throw
  /// `output` is empty, the decoder is usable and goes on with the next access unit.
  public func decode(_ accessUnit: [UInt8], into output: inout PCMBuffer) throws(AACError) {}

  /// As `decode(_:into:)`, into a buffer of its own.
  public func decode(_ accessUnit: [UInt8]) throws(AACError) -> PCMBuffer {
    var output = PCMBuffer(format: format)
    try decode(accessUnit, into: &output)
    return output
  }

  /// A frame in place of one that is lost or broken.
  public func conceal(into output: inout PCMBuffer) {}

  /// Forgets the past (after a seek).
  public func reset() {}
}
