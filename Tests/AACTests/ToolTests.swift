import Testing

@testable import AAC

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The decoder's tools against sums written down straight from the rules, in double precision.
@Suite struct ToolTests {
  static let bands = ScaleFactorBands.at(44100)

  /// Spectral lines of every band, by the rules of 4.6.1 and 4.6.2, one line at a time.
  private func naiveSpectrum(_ stream: ChannelStream, _ bands: ScaleFactorBands) -> [Double] {
    let info = stream.info
    let offsets = bands.offsets(short: info.isShort)
    let windowLength = bands.frameLength / info.windowCount
    var quantized = stream.spectrum.map { Int($0) }
    if let pulses = stream.pulses {
      var line = offsets[pulses.startBand]
      for pulse in 0..<pulses.count {
        line += pulses.offsets[pulse]
        quantized[line] += quantized[line] > 0 ? pulses.amplitudes[pulse] : -pulses.amplitudes[pulse]
      }
    }
    var spectrum = [Double](repeating: 0, count: bands.frameLength)
    var window = 0
    var next = 0
    for group in 0..<info.groupCount {
      next = window * windowLength
      for band in 0..<info.maxBand {
        let index = group * info.maxBand + band
        for within in 0..<info.groupLengths[group] {
          for line in offsets[band]..<offsets[band + 1] {
            let q = Double(quantized[next])
            next += 1
            guard (1...11).contains(stream.codebooks[index]) else { continue }
            let gain = pow(2, Double(Int(stream.scaleFactors[index]) - 100) / 4)
            spectrum[(window + within) * windowLength + line] =
              (q < 0 ? -1 : 1) * pow(abs(q), 4.0 / 3) * gain
          }
        }
      }
      window += info.groupLengths[group]
    }
    return spectrum
  }

  @Test(arguments: [1024, 960]) func dequantizerFollowsTheRules(frameLength: Int) {
    var random = SeededGenerator.printingSeed()
    let bands = ScaleFactorBands.at(32000, frameLength: frameLength)
    for _ in 0..<20 {
      let stream = ChannelStream.random(bands, &random)
      var spectrum = [Float](repeating: 7, count: frameLength)
      Dequantizer.apply(stream, bands: bands, to: &spectrum)
      let expected = naiveSpectrum(stream, bands)
      for line in 0..<frameLength {
        #expect(abs(Double(spectrum[line]) - expected[line]) <= abs(expected[line]) * 3e-7, "line \(line)")
      }
    }
  }

  @Test func midAndSideLeaveNoiseAndIntensityAlone() {
    var random = SeededGenerator.printingSeed()
    for _ in 0..<20 {
      let info = ICSInfo.random(Self.bands, &random)
      let left = ChannelStream.random(Self.bands, info: info, allowsIntensity: false, &random)
      let right = ChannelStream.random(Self.bands, info: info, &random)
      var pair = ChannelPair(tag: 0, commonWindow: true)
      pair.midSide.mode = .perBand
      for group in 0..<8 { pair.midSide.groups[group] = random.next() & (1 << UInt64(info.maxBand) - 1) }
      let l = (0..<1024).map { _ in Float(random.int(-1000...1000)) }
      let r = (0..<1024).map { _ in Float(random.int(-1000...1000)) }
      var outL = l
      var outR = r
      MidSide.apply(pair, left: left, right: right, bands: Self.bands, to: &outL, &outR)
      let offsets = Self.bands.offsets(short: info.isShort)
      let windowLength = 1024 / info.windowCount
      for group in 0..<info.groupCount {
        let first = (0..<group).reduce(0) { $0 + info.groupLengths[$1] }
        for window in first..<first + info.groupLengths[group] {
          for line in 0..<windowLength {
            let band = offsets.lastIndex { $0 <= line }!
            let index = group * info.maxBand + band
            let isUsed =
              band < info.maxBand && pair.midSide.uses(group: group, band: band)
              && left.codebooks[index] < 12 && right.codebooks[index] < 12
            let at = window * windowLength + line
            #expect(outL[at] == (isUsed ? l[at] + r[at] : l[at]))
            #expect(outR[at] == (isUsed ? l[at] - r[at] : r[at]))
          }
        }
      }
    }
  }

  @Test(arguments: [(14, false, -1.0), (14, true, 1.0), (15, false, 1.0), (15, true, -1.0)])
  func intensityCopiesTheLeftChannel(codebook: Int, masked: Bool, sign: Double) {
    var right = ChannelStream()
    right.info.maxBand = 3
    right.codebooks[1] = UInt8(codebook)
    right.scaleFactors[1] = 6
    var pair = ChannelPair(tag: 0, commonWindow: true)
    pair.midSide.mode = masked ? .perBand : .off
    pair.midSide.groups[0] = masked ? 0b010 : 0
    let left = (0..<1024).map { Float($0) + 1 }
    var spectrum = [Float](repeating: 0, count: 1024)
    Intensity.apply(pair, right: right, bands: Self.bands, left: left, to: &spectrum)
    for line in 0..<1024 {
      let expected = (4..<8).contains(line) ? sign * pow(0.5, 6.0 / 4) * Double(left[line]) : 0
      #expect(abs(Double(spectrum[line]) - expected) < 1e-5)
    }
  }

  @Test func noiseHasTheEnergySent() {
    var random = SeededGenerator.printingSeed()
    var noise = NoiseSubstitution()
    for isShort in [false, true] {
      var stream = ChannelStream()
      stream.info.windowSequence = isShort ? .eightShort : .onlyLong
      stream.info.grouping = 0b1011001
      stream.info.maxBand = isShort ? 14 : 40
      for index in 0..<stream.bandCount where random.flag() {
        stream.codebooks[index] = Codebook.noise
        stream.scaleFactors[index] = Int16(random.int(-60...60))
      }
      var spectrum = [Float](repeating: 0, count: 1024)
      noise.apply(stream, bands: Self.bands, to: &spectrum)
      let offsets = Self.bands.offsets(short: isShort)
      var window = 0
      for group in 0..<stream.info.groupCount {
        for _ in 0..<stream.info.groupLengths[group] {
          for band in 0..<stream.info.maxBand {
            let index = group * stream.info.maxBand + band
            let start = window * 1024 / stream.info.windowCount
            let energy = (offsets[band]..<offsets[band + 1]).reduce(0.0) {
              $0 + pow(Double(spectrum[start + $1]), 2)
            }
            let isNoise = stream.codebooks[index] == Codebook.noise
            let expected = isNoise ? pow(2, Double(stream.scaleFactors[index]) / 2) : 0
            #expect(abs(energy - expected) <= expected * 1e-5, "band \(band)")
          }
          window += 1
        }
      }
    }
  }

  /// A pair's noise is drawn for the left channel first, then for the right one, shared or not.
  @Test func noiseComesInOrder() {
    var left = ChannelStream()
    left.info.maxBand = 4
    left.codebooks[1] = Codebook.noise
    left.codebooks[3] = Codebook.noise
    var right = left
    right.codebooks[3] = Codebook.zero
    let lines = (Self.bands.long[1]..<Self.bands.long[2], Self.bands.long[3]..<Self.bands.long[4])
    for isShared in [false, true] {
      var pair = ChannelPair(tag: 0, commonWindow: true)
      pair.midSide.mode = .perBand
      pair.midSide.groups[0] = isShared ? 0b10 : 0
      var noise = NoiseSubstitution()
      var l = [Float](repeating: 0, count: 1024)
      var r = l
      noise.apply(pair, left: left, right: right, bands: Self.bands, to: &l, &r)
      var next = [Float](repeating: 0, count: 1024)
      noise.apply(left, bands: Self.bands, to: &next)

      var state: UInt32 = 0x1F2E_3D4C
      func draw(_ lines: Range<Int>) -> [Float] {
        let values = lines.map { _ in
          state = state &* 1_664_525 &+ 1_013_904_223
          return Double(Int32(bitPattern: state))
        }
        let norm = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return values.map { Float($0 / norm) }
      }
      func isNear(_ spectrum: [Float], _ lines: Range<Int>, _ expected: [Float]) -> Bool {
        zip(spectrum[lines], expected).allSatisfy { abs($0 - $1) < 1e-5 }
      }
      let first = draw(lines.0)
      #expect(isNear(l, lines.0, first))
      #expect(isNear(l, lines.1, draw(lines.1)))
      let own = draw(lines.0)
      #expect(isNear(r, lines.0, isShared ? first : own))
      #expect(isNear(next, lines.0, draw(lines.0)))
    }
  }

  @Test func pairsShareNoiseWhereTheMaskSaysSo() {
    var noise = NoiseSubstitution()
    var left = ChannelStream()
    left.info.maxBand = 20
    for band in 0..<20 { left.codebooks[band] = Codebook.noise }
    var right = left
    for band in 0..<20 {
      left.scaleFactors[band] = 20
      right.scaleFactors[band] = 12
    }
    var pair = ChannelPair(tag: 0, commonWindow: true)
    pair.midSide.mode = .perBand
    pair.midSide.groups[0] = 0b11 << 8
    var l = [Float](repeating: 0, count: 1024)
    var r = l
    noise.apply(pair, left: left, right: right, bands: Self.bands, to: &l, &r)
    for band in 0..<20 {
      let lines = Self.bands.long[band]..<Self.bands.long[band + 1]
      let isSame = lines.allSatisfy { abs(r[$0] * 4 - l[$0]) < 1e-4 * abs(l[$0]) }
      #expect(isSame == (8...9).contains(band), "band \(band)")
    }
  }

  @Test func reflectionsAreTheStandardsSines() {
    // Spot values of the inverse quantiser with three and with four bits.
    let expected: [(index: Int, fine: Bool, value: Double)] = [
      (1, false, 0.433883739118), (3, false, 0.974927912182), (-4, false, -0.984807753012),
      (-1, false, -0.342020143326), (1, true, 0.207911690818), (7, true, 0.994521895368),
      (-8, true, -0.995734176295), (-1, true, -0.183749517817), (0, true, 0),
    ]
    for (index, fine, value) in expected {
      let reflection = TemporalNoiseShaping.reflection(index, highResolution: fine)
      #expect(abs(reflection - value) < 1e-12)
    }
  }

  @Test func directFormPredictsAsTheLatticeDoes() {
    var random = SeededGenerator.printingSeed()
    for order in [1, 2, 7, 12, 20] {
      var reflections = SIMD32<Double>(repeating: 0)
      for index in 0..<order { reflections[index] = Double(random.int(-900...900)) / 1000 }
      let a = TemporalNoiseShaping.directForm(reflections, order: order)
      // The analysis lattice: f and b start as the input, stage m turns them into f + k b', b' + k f.
      let x = (0..<40).map { _ in Double(random.int(-1000...1000)) }
      var delayed = [Double](repeating: 0, count: order)
      for n in x.indices {
        var forward = x[n]
        var backward = x[n]
        for m in 0..<order {
          let before = delayed[m]
          delayed[m] = backward
          backward = before + reflections[m] * forward
          forward += reflections[m] * before
        }
        var direct = x[n]
        for i in 0..<min(n, order) { direct += a[i] * x[n - 1 - i] }
        #expect(abs(direct - forward) < 1e-6 * (1 + abs(forward)), "order \(order), sample \(n)")
      }
    }
  }

  @Test(arguments: [3, 7, 9, 12, 17, 20], [false, true])
  func noiseShapingIsTheRecursion(order: Int, downward: Bool) {
    var random = SeededGenerator.printingSeed()
    var reflections = SIMD32<Double>(repeating: 0)
    for index in 0..<order { reflections[index] = Double(random.int(-600...600)) / 1000 }
    let a = TemporalNoiseShaping.directForm(reflections, order: order)
    let input = (0..<300).map { _ in Float(random.int(-1000...1000)) }
    let lines = 37..<251
    var output = input
    TemporalNoiseShaping.synthesize(&output, lines, coefficients: a, order: order, downward: downward)
    var expected = input.map { Double($0) }
    for n in 0..<lines.count {
      let line = downward ? lines.upperBound - 1 - n : lines.lowerBound + n
      for i in 1...order where i <= n {
        expected[line] -= a[i - 1] * expected[downward ? line + i : line - i]
      }
    }
    let scale = expected.reduce(0) { max($0, abs($1)) }
    for line in input.indices { #expect(abs(Double(output[line]) - expected[line]) < 1e-6 * scale) }

    TemporalNoiseShaping.analyze(&output, lines, coefficients: a, order: order, downward: downward)
    for line in input.indices { #expect(abs(output[line] - input[line]) < 1e-5 * Float(scale)) }
  }

  @Test func filtersStackDownFromTheTop() {
    // Two filters of 10 and 20 bands; max_sfb and TNS_MAX_BANDS (42 at 44.1 kHz) cut the first one.
    var data = TNSData()
    var filter = TNSData.Filter()
    filter.length = 10
    filter.order = 1
    filter.coefficients[0] = 3
    data.filters = [filter]
    filter.length = 20
    filter.coefficients[0] = -2
    data.filters.append(filter)
    var info = ICSInfo()
    info.maxBand = 45
    var spectrum = [Float](repeating: 1, count: 1024)
    TemporalNoiseShaping.synthesize(data, info: info, bands: Self.bands, in: &spectrum)
    let long = Self.bands.long
    var expected = [Double](repeating: 1, count: 1024)
    for (range, k) in [(long[39]..<long[42], 0.974927912182), (long[19]..<long[39], -0.642787609687)] {
      for line in range.dropFirst() { expected[line] -= k * expected[line - 1] }
    }
    for line in 0..<1024 { #expect(abs(Double(spectrum[line]) - expected[line]) < 1e-4, "line \(line)") }
    TemporalNoiseShaping.analyze(data, info: info, bands: Self.bands, in: &spectrum)
    for line in 0..<1024 { #expect(abs(spectrum[line] - 1) < 1e-4) }
  }

  @Test func couplingGainsAreStepsOfTheScale() {
    // Gains over 120 dB count as 120 dB.
    let most = pow(2, 20.0)
    for (scale, base) in [1.0905077326652577, 1.189207115002721, 1.4142135623730951, 2].enumerated() {
      for gain in [-60, -3, 0, 1, 8, 60] {
        let plain = Double(Coupling.factor(gain, scale: scale, signed: false))
        #expect(abs(plain / min(most, pow(base, Double(-gain))) - 1) < 1e-6)
        let signed = Double(Coupling.factor(gain, scale: scale, signed: true))
        let expected = (gain & 1 != 0 ? -1 : 1) * min(most, pow(base, Double(-(gain >> 1))))
        #expect(abs(signed / expected - 1) < 1e-6)
      }
    }
  }
}
