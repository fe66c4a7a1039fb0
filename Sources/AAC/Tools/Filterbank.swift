/// The filterbank that an object type decodes with.
enum Filterbank {
  case blockSwitching(SynthesisFilterbank)
  case lowDelay(LowDelayFilterbank)
  case enhancedLowDelay(EnhancedLowDelayFilterbank)

  init(_ objectType: AudioObjectType, frameLength: Int) {
    switch objectType {
    case .lowDelay: self = .lowDelay(LowDelayFilterbank(frameLength: frameLength))
    case .enhancedLowDelay: self = .enhancedLowDelay(EnhancedLowDelayFilterbank(frameLength: frameLength))
    default: self = .blockSwitching(SynthesisFilterbank(frameLength: frameLength))
    }
  }

  /// Values that a channel keeps from frame to frame.
  func overlapCount(frameLength: Int) -> Int {
    if case .enhancedLowDelay(let filterbank) = self { filterbank.overlapCount } else { frameLength }
  }

  /// Decodes one frame of one channel; see `SynthesisFilterbank.synthesize`.
  func synthesize(
    _ spectrum: [Float], _ info: ICSInfo, previousShape: WindowShape, overlap: inout [Float],
    into output: inout [Float], at offset: Int
  ) {
    switch self {
    case .blockSwitching(let filterbank):
      filterbank.synthesize(
        spectrum, sequence: info.windowSequence, shape: info.windowShape, previousShape: previousShape,
        overlap: &overlap, into: &output, at: offset)
    case .lowDelay(let filterbank):
      filterbank.synthesize(
        spectrum, shape: info.windowShape, previousShape: previousShape, overlap: &overlap, into: &output,
        at: offset)
    case .enhancedLowDelay(let filterbank):
      filterbank.synthesize(spectrum, overlap: &overlap, into: &output, at: offset)
    }
  }

  /// Brings the overlap of a frame that was not followed by the one it was meant for to the rising slope of `info`.
  func fit(_ overlap: inout [Float], to info: ICSInfo, shape: WindowShape) {
    guard case .blockSwitching(let filterbank) = self,
      info.windowSequence == .eightShort || info.windowSequence == .longStop
    else { return }
    filterbank.shorten(&overlap, shape: shape)
  }
}
