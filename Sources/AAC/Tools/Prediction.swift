/// Prediction of each line from the lines of the frames before it, for the object type Main (4.6.6).
///
/// Every line has a second-order lattice predictor that adapts by least mean squares, in the decoder as in the
/// encoder. Both must come to the same numbers, so everything kept is cut to the upper 16 bits of a `Float`.
struct Prediction: Sendable {
  /// How much of the past stays in the correlations and variances.
  static let memory: Float = 29.0 / 32  // alpha
  /// Makes the predictors forget errors.
  static let attenuation: Float = 61.0 / 64  // a, b

  /// Far beyond the lines of any sound; keeps the squares of lines within what `Float` can hold.
  private static let largestLine: Float = 0x1p60

  /// What a predictor knows: its two delayed values, correlations and variances.
  struct Predictor: Sendable, Equatable {
    var delayed0: Float = 0  // r0
    var delayed1: Float = 0  // r1
    var correlation0: Float = 0  // COR1
    var correlation1: Float = 0  // COR2
    var variance0: Float = 1  // VAR1
    var variance1: Float = 1  // VAR2
  }

  /// By line, up to the end of the last band that is predicted.
  private var predictors: [Predictor]
  private let bandCount: Int

  init(bands: ScaleFactorBands, bandCount: Int) {
    self.bandCount = min(bandCount, bands.longCount)
    predictors = [Predictor](repeating: Predictor(), count: bands.long[self.bandCount])
  }

  mutating func reset() { Self.reset(&predictors, first: 0, step: 1) }

  /// Adds the predictions of a frame to its lines and adapts the predictors.
  mutating func apply(_ stream: ChannelStream, bands: ScaleFactorBands, to spectrum: inout [Float]) {
    guard !stream.info.isShort else {
      reset()
      return
    }
    var data = PredictionData()
    if case .perLine(let present) = stream.info.predictor { data = present }
    for band in 0..<bandCount {
      let codebook = band < stream.info.maxBand ? stream.codebooks[band] : Codebook.zero
      let lines = bands.long[band]..<bands.long[band + 1]
      if codebook == Codebook.noise {
        // Noise says nothing about the lines to come.
        for line in lines { predictors[line] = Predictor() }
        continue
      }
      let isIntensity = codebook >= Codebook.intensityOutOfPhase
      let isUsed = data.used >> UInt64(band) & 1 != 0 && !isIntensity
      Self.predict(&spectrum, lines, isUsed, &predictors)
    }
    if data.resetGroup > 0 {
      Self.reset(&predictors, first: data.resetGroup - 1, step: PredictionData.resetGroups.upperBound)
    }
  }

  private static func reset(_ predictors: inout [Predictor], first: Int, step: Int) {
    for line in stride(from: first, to: predictors.count, by: step) { predictors[line] = Predictor() }
  }

  private static func predict(
    _ spectrum: inout [Float], _ lines: Range<Int>, _ isUsed: Bool, _ predictors: inout [Predictor]
  ) {
    for line in lines {
      var state = predictors[line]
      let k0 =
        state.variance0 > 1 ? state.correlation0 * halfEven(attenuation / state.variance0) : 0
      let k1 =
        state.variance1 > 1 ? state.correlation1 * halfEven(attenuation / state.variance1) : 0
      var value = spectrum[line]
      if isUsed {
        value += half(k0 * state.delayed0 + k1 * state.delayed1)
        value = min(max(value, -largestLine), largestLine)
        spectrum[line] = value
      }
      let error0 = value
      let error1 = error0 - k0 * state.delayed0
      state.adapt(error0, error1, k0)
      predictors[line] = state
    }
  }
}

extension Prediction.Predictor {
  @inline(__always)
  fileprivate mutating func adapt(_ error0: Float, _ error1: Float, _ k0: Float) {
    let memory = Prediction.memory
    let attenuation = Prediction.attenuation
    correlation1 = Prediction.cut(memory * correlation1 + delayed1 * error1)
    variance1 = Prediction.cut(memory * variance1 + 0.5 * (delayed1 * delayed1 + error1 * error1))
    correlation0 = Prediction.cut(memory * correlation0 + delayed0 * error0)
    variance0 = Prediction.cut(memory * variance0 + 0.5 * (delayed0 * delayed0 + error0 * error0))
    delayed1 = Prediction.cut(attenuation * (delayed0 - k0 * error0))
    delayed0 = Prediction.cut(attenuation * error0)
  }
}

extension Prediction {
  /// The upper 16 bits, towards zero.
  @inline(__always)
  static func cut(_ x: Float) -> Float { Float(bitPattern: x.bitPattern & 0xFFFF_0000) }

  /// The nearest number of 16 bits; from the middle away from zero.
  @inline(__always)
  static func half(_ x: Float) -> Float {
    Float(bitPattern: (x.bitPattern &+ 0x8000) & 0xFFFF_0000)
  }

  /// The nearest number of 16 bits; from the middle to the even one.
  @inline(__always)
  static func halfEven(_ x: Float) -> Float {
    let bits = x.bitPattern
    return Float(bitPattern: (bits &+ 0x7FFF &+ (bits >> 16 & 1)) & 0xFFFF_0000)
  }
}
