import Testing

@testable import AAC

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite struct ObjectTypeToolTests {
  // MARK: - Prediction

  /// The lattice predictor of one line as its equations say, in double precision but for the rounding that
  /// belongs to them.
  private struct ReferencePredictor {
    var r = [0.0, 0.0]
    var cor = [0.0, 0.0]
    var variance = [1.0, 1.0]

    /// To 8 bits behind the leading one: towards zero, or to the nearest.
    static func cut(_ x: Double) -> Double { scaled(x) { $0.rounded(.towardZero) } }
    static func scaled(_ x: Double, _ round: (Double) -> Double) -> Double {
      guard x != 0 else { return 0 }
      let unit = pow(2, Double(Int(floor(log2(abs(x)))) - 7))
      return round(x / unit) * unit
    }

    mutating func predict(_ line: inout Double, isUsed: Bool) {
      let k = (0..<2).map { stage in
        variance[stage] > 1
          ? cor[stage] * Self.scaled(0.953125 / variance[stage]) { $0.rounded(.toNearestOrEven) } : 0
      }
      if isUsed {
        line += Self.scaled(k[0] * r[0] + k[1] * r[1]) { $0.rounded(.toNearestOrAwayFromZero) }
      }
      let e = [line, line - k[0] * r[0]]
      for stage in 0..<2 {
        cor[stage] = Self.cut(0.90625 * cor[stage] + r[stage] * e[stage])
        variance[stage] = Self.cut(
          0.90625 * variance[stage] + 0.5 * (r[stage] * r[stage] + e[stage] * e[stage]))
      }
      r[1] = Self.cut(0.953125 * (r[0] - k[0] * e[0]))
      r[0] = Self.cut(0.953125 * e[0])
    }
  }

  @Test func predictionEqualsItsEquations() {
    var random = SeededGenerator.printingSeed()
    let bands = ScaleFactorBands.at(44100)
    var tool = Prediction(bands: bands, bandCount: 40)
    let count = bands.long[40]
    var references = [ReferencePredictor](repeating: ReferencePredictor(), count: count)
    var stream = ChannelStream()
    stream.info.maxBand = 45
    for band in 0..<45 { stream.codebooks[band] = 1 }
    for frame in 0..<30 {
      stream.info.windowSequence = frame == 20 ? .eightShort : .onlyLong
      stream.info.maxBand = frame == 20 ? 10 : 45
      let used = random.next() & (1 << 40 - 1)
      let group = frame % 4 == 3 ? random.int(1...30) : 0
      stream.info.predictor = .perLine(PredictionData(resetGroup: group, used: used))
      var spectrum = (0..<1024).map { line in
        Float(cos(Double(frame * line) * 0.01) * 1000) + Float(random.int(-50...50))
      }
      let before = spectrum
      var expected = spectrum.map { Double($0) }
      if frame == 20 {
        references = [ReferencePredictor](repeating: ReferencePredictor(), count: count)
      } else {
        for band in 0..<40 {
          for line in bands.long[band]..<bands.long[band + 1] {
            references[line].predict(&expected[line], isUsed: used >> UInt64(band) & 1 != 0)
          }
        }
        if group > 0 {
          for line in stride(from: group - 1, to: count, by: 30) { references[line] = ReferencePredictor() }
        }
      }
      tool.apply(stream, bands: bands, to: &spectrum)
      // A number next to the middle of two may be rounded to either, which shows in the frames after.
      var far = 0
      for line in 0..<1024 where abs(Double(spectrum[line]) - expected[line]) > 0.01 { far += 1 }
      #expect(far <= 8, "frame \(frame)")
      for line in count..<1024 { #expect(spectrum[line] == before[line]) }
      if frame == 20 { #expect(spectrum == before) }
    }
  }

  @Test func predictionLeavesNoiseAndIntensityAlone() {
    let bands = ScaleFactorBands.at(44100)
    var tool = Prediction(bands: bands, bandCount: 40)
    var stream = ChannelStream()
    stream.info.maxBand = 40
    for band in 0..<40 { stream.codebooks[band] = 3 }
    stream.info.predictor = .perLine(PredictionData(resetGroup: 0, used: .max))
    let steady = [Float](repeating: 100, count: 1024)
    var spectrum = steady
    for _ in 0..<10 {
      spectrum = steady
      tool.apply(stream, bands: bands, to: &spectrum)
    }
    #expect((0..<bands.long[40]).allSatisfy { spectrum[$0] > 150 })
    stream.codebooks[5] = Codebook.noise
    stream.codebooks[6] = Codebook.intensityInPhase
    spectrum = steady
    tool.apply(stream, bands: bands, to: &spectrum)
    for line in bands.long[5]..<bands.long[7] { #expect(spectrum[line] == 100) }
    #expect(spectrum[bands.long[4]] > 150 && spectrum[bands.long[7]] > 150)
    // The noise band's predictors have started over, the intensity band's have gone on.
    stream.codebooks[5] = 3
    stream.codebooks[6] = 3
    spectrum = steady
    tool.apply(stream, bands: bands, to: &spectrum)
    #expect(spectrum[bands.long[5]] == 100)
    #expect(spectrum[bands.long[6]] > 150)
  }

  // MARK: - Long-term prediction

  /// Line `k` of the forward transform of windowed samples, full scale 32768.
  private static func line(_ k: Int, of samples: [Double], _ window: [Double]) -> Double {
    let count = samples.count / 2
    var sum = 0.0
    for n in samples.indices {
      let angle = (2 * n + count + 1) * (2 * k + 1) % (8 * count)
      sum += samples[n] * window[n] * cos(2 * Double.pi * Double(angle) / Double(8 * count))
    }
    return 2 * 32768 * sum
  }

  private static func window(
    _ lines: Int, _ sequence: WindowSequence, _ previous: WindowShape, _ shape: WindowShape
  ) -> [Double] {
    func slope(_ shape: WindowShape, short: Bool) -> [Double] {
      if lines <= 512 {
        return shape == .sine
          ? FilterbankReference.slope(lines, .sine, alpha: 0)
          : FilterbankReference.slope(lines / 4, .sine, alpha: 0)
      }
      return FilterbankReference.slope(short ? lines / 8 : lines, shape, alpha: short ? 6 : 4)
    }
    return FilterbankReference.rise(lines, slope(previous, short: sequence == .longStop))
      + FilterbankReference.rise(lines, slope(shape, short: sequence == .longStart)).reversed()
  }

  @Test(arguments: [1024, 960, 512, 480]) func longTermPredictionEqualsItsDefinition(frameLength: Int) {
    var random = SeededGenerator.printingSeed("\(frameLength)")
    let isLowDelay = frameLength <= 512
    let tool = LongTermPrediction(frameLength: frameLength, isLowDelay: isLowDelay)
    let bands = ScaleFactorBands.at(44100, frameLength: frameLength)
    var history = tool.emptyHistory
    // All the sound, and the overlap behind it, which is thrown away when the next frame comes.
    var sound: [Float] = []
    var overlap: [Float] = []
    for frame in 0..<5 {
      let output = (0..<frameLength).map { _ in Float(random.int(-30000...30000)) / 32768 }
      overlap = (0..<frameLength).map { _ in Float(random.int(-30000...30000)) / 32768 }
      sound += output
      tool.update(&history, output: output, overlap: overlap)
      let lags = [0, 1, random.int(0...2 * frameLength), 2 * frameLength]
      let lag = lags[frame % 4]
      var data = LTPData()
      data.coefficient = random.int(0...7)
      data.used = random.next() & (1 << 35 - 1)
      var stream = ChannelStream()
      stream.info.maxBand = 34
      stream.info.windowSequence = isLowDelay ? .onlyLong : [.onlyLong, .longStart, .longStop][frame % 3]
      stream.info.windowShape = random.flag() ? .sine : .kaiserBessel
      let previous: WindowShape = random.flag() ? .sine : .kaiserBessel
      var spectrum = [Float](repeating: 5, count: frameLength)
      tool.apply(
        data, lag: lag, stream, previousShape: previous, bands: bands, history: history, to: &spectrum)

      // The reference point is the end of the sound; for low delay a frame before it.
      let reference = sound.count - (isLowDelay ? frameLength : 0)
      let coefficient = [0.570829, 0.696616, 0.813004, 0.911304, 0.9849, 1.067894, 1.194601, 1.369533][
        data.coefficient]
      let estimate = (0..<2 * frameLength).map { n -> Double in
        let place = reference + n - lag
        if place < 0 { return 0 }
        if place < sound.count { return coefficient * Double(sound[place]) }
        return place < sound.count + frameLength ? coefficient * Double(overlap[place - sound.count]) : 0
      }
      let window = Self.window(frameLength, stream.info.windowSequence, previous, stream.info.windowShape)
      for band in 0..<bands.longCount {
        let line = random.int(bands.long[band]...bands.long[band + 1] - 1)
        let isUsed = band < 34 && data.used >> UInt64(band) & 1 != 0
        let expected = 5 + (isUsed ? Self.line(line, of: estimate, window) : 0)
        #expect(abs(Double(spectrum[line]) - expected) < 2, "frame \(frame), line \(line)")
      }
    }
  }

  /// The prediction goes through the frame's filters, so that it comes out of the decoder's as it was.
  @Test func longTermPredictionIsFiltered() {
    let tool = LongTermPrediction(frameLength: 1024, isLowDelay: false)
    let bands = ScaleFactorBands.at(48000)
    var history = tool.emptyHistory
    let tone = (0..<1024).map { Float(sin(Double($0) * 0.3)) / 4 }
    for _ in 0..<2 { tool.update(&history, output: tone, overlap: tone) }
    var data = LTPData()
    data.used = 1 << 40 - 1
    var stream = ChannelStream()
    stream.info.maxBand = 40
    func predict() -> [Float] {
      var spectrum = [Float](repeating: 0, count: 1024)
      tool.apply(
        data, lag: 700, stream, previousShape: .sine, bands: bands, history: history, to: &spectrum)
      if let tns = stream.tns {
        TemporalNoiseShaping.synthesize(tns, info: stream.info, bands: bands, in: &spectrum)
      }
      return spectrum
    }
    let plain = predict()
    var filter = TNSData.Filter(length: 40, order: 3)
    filter.coefficients[0] = 2
    filter.coefficients[2] = -3
    stream.tns = TNSData(highResolution: 1, filters: [filter])
    let filtered = predict()
    let largest = plain.reduce(0) { max($0, abs($1)) }
    #expect(largest > 1e5)
    for line in 0..<bands.long[40] { #expect(abs(plain[line] - filtered[line]) < largest * 1e-5) }
  }

  // MARK: - Filterbanks

  @Test(arguments: [512, 480]) func lowDelayFilterbankEqualsItsDefinition(frameLength: Int) {
    var random = SeededGenerator.printingSeed("\(frameLength)")
    let filterbank = LowDelayFilterbank(frameLength: frameLength)
    var overlap = [Float](repeating: 0, count: frameLength)
    var expected = [Double](repeating: 0, count: 2 * frameLength)
    var previous = WindowShape.sine
    for _ in 0..<8 {
      let shape: WindowShape = random.flag() ? .sine : .kaiserBessel
      var spectrum = [Float](repeating: 0, count: frameLength)
      for _ in 0..<4 { spectrum[random.int(0...frameLength - 1)] = Float(random.int(-32768...32767)) }
      let window = Self.window(frameLength, .onlyLong, previous, shape)
      for (k, value) in spectrum.enumerated() where value != 0 {
        for n in expected.indices {
          let angle = (2 * n + frameLength + 1) * (2 * k + 1) % (8 * frameLength)
          expected[n] +=
            Double(value) * cos(2 * Double.pi * Double(angle) / Double(8 * frameLength)) * window[n]
            / Double(frameLength) / 32768
        }
      }
      var output = [Float](repeating: .nan, count: frameLength + 1)
      filterbank.synthesize(
        spectrum, shape: shape, previousShape: previous, overlap: &overlap, into: &output, at: 1)
      for n in 0..<frameLength {
        #expect(abs(Double(output[n + 1]) - expected[n]) < 2e-7)
        #expect(abs(Double(overlap[n]) - expected[frameLength + n]) < 2e-7)
      }
      expected = Array(expected[frameLength...]) + [Double](repeating: 0, count: frameLength)
      previous = shape
    }
  }

  @Test(arguments: [512, 480]) func lowDelayFilterbankReconstructs(frameLength: Int) {
    var random = SeededGenerator.printingSeed("\(frameLength)")
    let filterbank = LowDelayFilterbank(frameLength: frameLength)
    let time = (0..<20 * frameLength).map { _ in Float(random.int(-32768...32767)) / 32768 }
    var spectrum = [Float](repeating: 0, count: frameLength)
    var overlap = spectrum
    var output = [Float](repeating: 0, count: 19 * frameLength)
    var previous = WindowShape.sine
    for frame in 0..<19 {
      let shape: WindowShape = random.flag() ? .sine : .kaiserBessel
      filterbank.analyze(
        time, at: frame * frameLength, shape: shape, previousShape: previous, into: &spectrum)
      filterbank.synthesize(
        spectrum, shape: shape, previousShape: previous, overlap: &overlap, into: &output,
        at: frame * frameLength)
      previous = shape
    }
    for n in frameLength..<output.count { #expect(abs(output[n] - time[n]) < 1e-6) }
  }

  /// cos(π/N (t - N/2 + ½)(k + ½)) for a table of cosines of 8N-ths of a turn.
  private static func kernel(_ t: Int, _ k: Int, _ lines: Int, _ cosines: [Double]) -> Double {
    let angle = (2 * t - lines + 1) * (2 * k + 1) % (8 * lines)
    return cosines[angle < 0 ? angle + 8 * lines : angle]
  }

  /// Both the synthesis against its sum and, with the analysis that belongs to it, the reconstruction, which
  /// only the right window gives.
  @Test(arguments: [512, 480]) func enhancedLowDelayFilterbankReconstructs(frameLength: Int) {
    var random = SeededGenerator.printingSeed("\(frameLength)")
    let cosines = (0..<8 * frameLength).map { cos(2 * Double.pi * Double($0) / Double(8 * frameLength)) }
    let values = frameLength == 512 ? EnhancedLowDelayWindow.lines512 : EnhancedLowDelayWindow.lines480
    let window = [Double](repeating: 0, count: frameLength / 4) + values.map { Double($0) }
    #expect(window.count == 4 * frameLength)
    let frames = 6
    let time = (0..<(frames + 3) * frameLength).map { _ in Double(random.int(-32768...32767)) / 32768 }
    let filterbank = EnhancedLowDelayFilterbank(frameLength: frameLength)
    var overlap = [Float](repeating: 0, count: filterbank.overlapCount)
    var output = [Float](repeating: 0, count: frames * frameLength)
    var sums = [Double](repeating: 0, count: (frames + 3) * frameLength)
    for frame in 0..<frames {
      let start = frame * frameLength
      var spectrum = [Float](repeating: 0, count: frameLength)
      for k in 0..<frameLength {
        var sum = 0.0
        for t in 0..<4 * frameLength {
          sum += window[4 * frameLength - 1 - t] * time[start + t] * Self.kernel(t, k, frameLength, cosines)
        }
        spectrum[k] = Float(2 * 32768 * sum)
      }
      filterbank.synthesize(spectrum, overlap: &overlap, into: &output, at: start)
      for t in stride(from: frame % 7, to: 4 * frameLength, by: 7) {
        var sum = 0.0
        for k in 0..<frameLength { sum += Double(spectrum[k]) * Self.kernel(t, k, frameLength, cosines) }
        sums[start + t] -= window[t] * sum / Double(frameLength) / 32768
      }
      guard frame == 0 else { continue }
      // Alone, a frame is its own sum; every seventh sample is checked.
      let zeros = frameLength / 4
      for t in stride(from: 0, to: 4 * frameLength, by: 7) where t >= zeros {
        let place = t - zeros
        let value = place < frameLength ? output[place] : overlap[place - frameLength]
        #expect(abs(Double(value) - sums[t]) < 1e-6)
      }
    }
    // The sum of all frames at t is the signal 2N later; N/4 zeros of the output are left out.
    var worst = 0.0
    for n in 3 * frameLength..<frames * frameLength {
      let source = n + frameLength / 4 + 2 * frameLength
      guard source < time.count else { break }
      worst = max(worst, abs(Double(output[n]) - time[source]))
    }
    print("enhanced low delay, \(frameLength) lines: reconstructed within \(worst)")
    #expect(worst < 1e-5)
  }
}
