import AAC
public import AudioFiles
public import PCM

/// Whose coefficients a mix to fewer channels has.
public enum DownmixChoice: String, Sendable, Hashable, CaseIterable {
  /// Those of the stream, where its first program config element has some, else those of ITU-R BS.775.
  case stream
  /// Those of ITU-R BS.775.
  case itu
}

extension DownmixChoice {
  /// The coefficients for a reader's sound.
  public func downmix(of reader: any AudioReader) -> Downmix {
    let source = (reader as? LimitedReader)?.source ?? reader
    return downmix(by: (source as? AACReader)?.matrixMixdown)
  }

  func downmix(by matrix: ProgramConfig.MatrixMixdown?) -> Downmix {
    guard self == .stream, let matrix else { return .itu }
    return .matrix(surround: matrix.surroundGain, pseudoSurround: matrix.pseudoSurround)
  }
}
