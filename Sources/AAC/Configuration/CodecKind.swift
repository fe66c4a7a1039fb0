/// Who does the work of an encoder.
public enum CodecKind: String, Sendable, Hashable, CaseIterable {
  /// This library, on the processor.
  case software
  /// A circuit of its own. This version knows none.
  case hardware

  /// What there is on this machine.
  public static let available: [CodecKind] = [.software]

  /// The first of a list of preference that there is.
  /// - Throws: `noCodec` with what exists.
  public static func choose(preferring preference: [CodecKind]) throws(AACError) -> CodecKind {
    guard let chosen = preference.first(where: available.contains) else {
      throw AACError(.noCodec(asked: preference, existing: available))
    }
    return chosen
  }
}
