/// What all channels of an encoder share: tables and models for its rate and bandwidth.
struct FrameModel {
  let frameLength = 1024
  let bands: ScaleFactorBands
  /// Bands coded in long and in short windows.
  private(set) var maxBandLong = 0
  private(set) var maxBandShort = 0
  /// Lines of a long window up to the upper edge, which need not be a band's.
  private(set) var lineCount = 0
  /// Bands of a low frequency channel.
  let maxBandLowFrequency: Int
  let tools: EncoderSettings.Tools
  let effort: EffortPlan
  /// Temporal noise shaping is allowed and worth its time.
  var shapesNoise: Bool { effort.shapesNoise && tools.contains(.temporalNoiseShaping) }
  /// Intensity stereo is allowed: it is decided by measuring.
  var usesIntensity: Bool { effort.searches && tools.contains(.intensity) }
  let long: Psychoacoustics
  let short: Psychoacoustics
  let filterbank: AnalysisFilterbank

  /// Partitions of the Bark scale count nearly alike, however many lines they have, the wide high ones a little
  /// less: the mean of the noise-to-mask ratios over partitions is what is kept small.
  private static let balance = -0.3
  /// How far the mask may rise from one window to the next, as a power ratio.
  private static let preEchoLimitLong: Float = 16
  /// The noise of a short window stays inside it, where the attack itself masks it.
  private static let preEchoLimitShort: Float = 0x1p100

  init(rate: SamplingRate, bandwidth: Int, tools: EncoderSettings.Tools, effort: EffortPlan) {
    let bands = ScaleFactorBands(samplingRate: rate, frameLength: frameLength)
    self.bands = bands
    // No band reaches beyond the edge.
    let edge = Bandwidth.lowFrequencyEdge * 2 * frameLength
    maxBandLowFrequency = max(1, bands.long.lastIndex { $0 * rate.hertz <= edge } ?? 1)
    self.tools = tools
    self.effort = effort
    long = Psychoacoustics(
      grid: MaskingGrid(
        sampleRate: rate.hertz, lines: frameLength, hop: frameLength, balance: Self.balance),
      bandOffsets: bands.long, preEchoLimit: Self.preEchoLimitLong, spreadsQuickly: effort.spreadsQuickly)
    short = Psychoacoustics(
      grid: MaskingGrid(
        sampleRate: rate.hertz, lines: frameLength / 8, hop: frameLength / 8, balance: Self.balance),
      bandOffsets: bands.short, preEchoLimit: Self.preEchoLimitShort, spreadsQuickly: effort.spreadsQuickly)
    filterbank = AnalysisFilterbank(frameLength: frameLength)
    setBandwidth(bandwidth, sampleRate: rate.hertz)
  }

  /// Fixes the bands coded for an upper edge in Hz.
  mutating func setBandwidth(_ edge: Int, sampleRate: Int) {
    maxBandLong = Bandwidth.bandCount(edge: edge, sampleRate: sampleRate, offsets: bands.long)
    maxBandShort = Bandwidth.bandCount(edge: edge, sampleRate: sampleRate, offsets: bands.short)
    lineCount = Bandwidth.lineCount(edge: edge, sampleRate: sampleRate, frameLength: frameLength)
  }
}
