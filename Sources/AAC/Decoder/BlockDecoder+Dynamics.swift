import DSP

extension BlockDecoder {
  /// Takes the block's dynamic range data, whether it is to be heard or not.
  ///
  /// - Parameter program: tag of the programme that is decoded, where it has one.
  func takeDynamics(_ block: RawDataBlock, program: Int?) {
    for payload in block.extensions {
      guard case .dynamicRange(let info) = payload.content else { continue }
      if let tag = info.programTag, let program, tag != program { continue }
      if let level = info.referenceLevel { programLevel = level }
      var count = 0
      for channel in channels {
        if !info.excludes(count) { channel.dynamics = info }
        count += 1
      }
      for element in block.elements {
        guard case .coupling(let coupling) = element, coupling.isIndependent else { continue }
        if !info.excludes(count) { couplingState(coupling.tag).dynamics = info }
        count += 1
      }
    }
  }

  /// As `synthesize`, with the gains of dynamic range control on the way.
  func synthesizeWeighted(_ info: ICSInfo, _ state: ChannelState, into samples: inout [Float]) {
    if let longTermPrediction {
      // Predictions come from the sound without gains, which is the encoder's.
      if state.plainOverlap.isEmpty { state.plainOverlap = state.overlap }
      filterbank.synthesize(
        state.spectrum, info, previousShape: state.windowShape, overlap: &state.plainOverlap, into: &samples,
        at: 0)
      longTermPrediction.update(&state.history, output: samples, overlap: state.plainOverlap)
    }
    let lines = 0..<bands.frameLength
    if weighted.isEmpty { weighted = [Float](repeating: 0, count: lines.count) }
    SpectralKernels.copy(state.spectrum, range: lines, to: &weighted, at: 0)
    dynamics?.apply(state.dynamics, programLevel: programLevel, to: &weighted)
    filterbank.synthesize(
      weighted, info, previousShape: state.windowShape, overlap: &state.overlap, into: &samples, at: 0)
  }
}

extension DynamicRangeControl {
  /// Multiplies the lines of a frame by the factors of their bands (4.5.2.7.2). Bands that end below one before
  /// them are empty.
  func apply(_ info: DynamicRangeInfo, programLevel: Int?, to lines: inout [Float]) {
    let normalization = normalization(programLevel)
    var bottom = 0
    for band in 0..<info.bandCount {
      let top = info.top(of: band, lineCount: lines.count)
      guard top > bottom else { continue }
      Self.scale(&lines, bottom..<top, by: factor(info.gains[band], normalization))
      bottom = top
    }
    Self.scale(&lines, bottom..<lines.count, by: factor(0, normalization))
  }

  private static func scale(_ lines: inout [Float], _ range: Range<Int>, by factor: Float) {
    guard factor != 1, !range.isEmpty else { return }
    SpectralKernels.scale(&lines, range: range, by: factor)
  }
}

extension DynamicRangeInfo {
  /// The gains are not for a channel.
  func excludes(_ channel: Int) -> Bool {
    channel < Self.largestExclusionCount && excludedChannels >> UInt64(channel) & 1 != 0
  }

  /// The line that a band ends before, in a frame of `lineCount` lines.
  func top(of band: Int, lineCount: Int) -> Int {
    hasBands ? min(4 * (Int(bandTops[band]) + 1), lineCount) : lineCount
  }
}
