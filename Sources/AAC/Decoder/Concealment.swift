import DSP
internal import PCM

extension BlockDecoder {
  /// Each concealed frame is this much quieter than the one before.
  private static let fade: Float = 0.5

  /// Plays the last spectrum again, quieter. After short windows, whose transients should not come back,
  /// there is only the overlap.
  func conceal(_ map: ElementMap, into output: inout PCMBuffer) {
    for (channel, state) in channels.enumerated() {
      let wasShort = state.windowSequence == .eightShort
      let lines = 0..<bands.frameLength
      if wasShort {
        SpectralKernels.clear(&state.spectrum, range: lines)
      } else {
        SpectralKernels.scale(&state.spectrum, range: lines, by: Self.fade)
      }
      var info = ICSInfo()
      // The rising slope has to fit the falling one of the frame before.
      info.windowSequence = wasShort || state.windowSequence == .longStart ? .longStop : .onlyLong
      info.windowShape = state.windowShape
      synthesize(info, state, into: &output.channels[map.outputs[channel]])
    }
  }
}
