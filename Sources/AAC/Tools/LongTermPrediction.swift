import DSP

/// Prediction of a frame from the decoded sound some time before it (4.6.7).
///
/// The sound is transformed with the frame's windows and filtered as the encoder filtered the frame, then added
/// to the lines of the bands that ask for it. Holds tables and scratch only: a channel's memory is the
/// `History` its caller keeps.
final class LongTermPrediction {
  /// The decoded sound of the last frames (two, for low delay three), then the overlap that the next frame will
  /// be added to.
  typealias History = [Float]

  private enum Analysis {
    case blockSwitching(AnalysisFilterbank)
    case lowDelay(LowDelayFilterbank)
  }

  static let coefficients: [Float] = [
    0.570829, 0.696616, 0.813004, 0.911304, 0.9849, 1.067894, 1.194601, 1.369533,
  ]

  /// Louder than this (full scale is 1) the history does not get: a frame that is predicted from itself with
  /// coefficients above one could else grow without end.
  private static let largestSample: Float = 0x1p20

  private let frameLength: Int
  private let pastFrames: Int
  private let analysis: Analysis
  private var estimate: [Float]
  private var lines: [Float]

  init(frameLength: Int, isLowDelay: Bool) {
    self.frameLength = frameLength
    pastFrames = isLowDelay ? 3 : 2
    analysis =
      isLowDelay
      ? .lowDelay(LowDelayFilterbank(frameLength: frameLength))
      : .blockSwitching(AnalysisFilterbank(frameLength: frameLength))
    estimate = [Float](repeating: 0, count: 2 * frameLength)
    lines = [Float](repeating: 0, count: frameLength)
  }

  var emptyHistory: History { History(repeating: 0, count: (pastFrames + 1) * frameLength) }

  /// Adds the prediction to the lines of a frame, before its own filters run.
  ///
  /// - Parameter lag: samples to look back, at most 2N.
  func apply(
    _ data: LTPData, lag: Int, _ stream: ChannelStream, previousShape: WindowShape, bands: ScaleFactorBands,
    history: History, to spectrum: inout [Float]
  ) {
    guard data.used != 0, !stream.info.isShort else { return }
    let info = stream.info
    Self.look(
      back: lag, from: 2 * frameLength, history, gain: Self.coefficients[data.coefficient], into: &estimate)
    switch analysis {
    case .blockSwitching(let filterbank):
      filterbank.analyze(
        estimate, at: 0, sequence: info.windowSequence, shape: info.windowShape,
        previousShape: previousShape, into: &lines)
    case .lowDelay(let filterbank):
      filterbank.analyze(
        estimate, at: 0, shape: info.windowShape, previousShape: previousShape, into: &lines)
    }
    if let tns = stream.tns { TemporalNoiseShaping.analyze(tns, info: info, bands: bands, in: &lines) }
    for band in 0..<min(info.maxBand, LTPData.bandLimit) where data.used >> UInt64(band) & 1 != 0 {
      let range = bands.long[band]..<bands.long[band + 1]
      SpectralKernels.addScaled(lines, range: range, gain: 1, to: &spectrum, at: range.lowerBound)
    }
  }

  /// Fills `estimate` from the history at `reference - lag` on; beyond its end there is silence.
  private static func look(
    back lag: Int, from reference: Int, _ history: History, gain: Float, into estimate: inout [Float]
  ) {
    let start = reference - lag
    let count = min(estimate.count, history.count - start)
    SpectralKernels.clear(&estimate, range: 0..<estimate.count)
    SpectralKernels.addScaled(history, range: start..<start + count, gain: gain, to: &estimate, at: 0)
  }

  /// Takes in a decoded frame and the overlap it left behind.
  func update(_ history: inout History, output: [Float], overlap: [Float]) {
    let kept = (pastFrames - 1) * frameLength
    Self.shift(&history, kept, by: frameLength)
    Self.put(output, frameLength, into: &history, at: kept)
    Self.put(overlap, frameLength, into: &history, at: kept + frameLength)
  }

  private static func shift(_ history: inout History, _ count: Int, by distance: Int) {
    for index in 0..<count { history[index] = history[index + distance] }
  }

  private static func put(_ samples: [Float], _ count: Int, into history: inout History, at offset: Int) {
    for index in 0..<count {
      history[offset + index] = min(max(samples[index], -largestSample), largestSample)
    }
  }
}
