import PCM
import Testing

@testable import AAC

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Dynamic range control in the spectrum, each rule against the factor in double precision.
@Suite struct DynamicRangeTests {
  static func info(_ gains: [Int], tops: [Int] = [], level: Int? = nil) -> DynamicRangeInfo {
    var info = DynamicRangeInfo()
    info.bandCount = gains.count
    info.hasBands = !tops.isEmpty
    for (band, gain) in gains.enumerated() { info.gains[band] = Int8(gain) }
    for (band, top) in tops.enumerated() { info.bandTops[band] = UInt8(top) }
    info.referenceLevel = level
    return info
  }

  /// The payload in a fill element.
  static func payload(_ info: DynamicRangeInfo) -> [UInt8] {
    var bits = BitWriter()
    bits.put(11, 4)  // EXT_DYNAMIC_RANGE
    info.write(to: &bits)
    bits.alignToByte()
    return bits.bytes
  }

  static func add(_ infos: [DynamicRangeInfo], to block: inout RawDataBlock) {
    for info in infos {
      let bytes = payload(info)
      let first = block.bytes.count
      block.bytes += bytes
      block.elements.append(.fill(Fill(bytes: first..<first + bytes.count)))
    }
  }

  /// An access unit with the same line in each channel.
  static func unit(_ infos: [DynamicRangeInfo], channels: Int = 1, line: Int = 60, short: Bool = false)
    -> [UInt8]
  {
    var stream = DecoderTests.tone(line: short ? 0 : line)
    if short {
      stream = ChannelStream()
      stream.globalGain = 140
      stream.info.windowSequence = .eightShort
      stream.info.maxBand = DecoderTests.bands.shortCount
      let bands = DecoderTests.bands.short
      for window in 0..<8 {
        for band in 0..<stream.info.maxBand {
          let index = window * stream.info.maxBand + band
          let isThere = window == line / 128 && bands[band]..<bands[band + 1] ~= line % 128
          stream.codebooks[index] = isThere ? Codebook.escape : Codebook.zero
          stream.scaleFactors[index] = isThere ? 140 : 0
        }
      }
      stream.spectrum[line] = 100
    }
    var block = DecoderTests.block([
      (channels == 1 ? .singleChannel : .channelPair, 0, [ChannelStream](repeating: stream, count: channels))
    ])
    add(infos, to: &block)
    return DecoderTests.bytes(block)
  }

  static func decoder(_ control: DynamicRangeControl?, channels: Int = 1) throws -> AACDecoder {
    let decoder = try AACDecoder(DecoderTests.config(channels))
    decoder.dynamics = control
    return decoder
  }

  /// The factor between a decoder's next frame and that of another, the same for all samples.
  static func ratio(
    _ units: [[UInt8]], _ control: DynamicRangeControl?, channels: Int = 1
  ) throws -> [Double] {
    let on = try decoder(control, channels: channels)
    let off = try decoder(nil, channels: channels)
    var ratios: [Double] = []
    for unit in units {
      let a = try on.decode(unit)
      let b = try off.decode(unit)
      guard unit == units.last else { continue }
      ratios = zip(a.channels, b.channels).map { ratio($0, $1) }
    }
    return ratios
  }

  /// Least-squares factor; -1 where the samples are not multiples of each other.
  static func ratio(_ a: [Float], _ b: [Float]) -> Double {
    var product = 0.0
    var power = 0.0
    for (x, y) in zip(a, b) {
      product += Double(x) * Double(y)
      power += Double(y) * Double(y)
    }
    let factor = product / power
    let peak = b.reduce(0) { max($0, abs($1)) }
    let isMultiple = zip(a, b).allSatisfy {
      abs(Double($0) - factor * Double($1)) <= 2e-6 * Double(peak) * max(1, factor)
    }
    return isMultiple ? factor : -1
  }

  static func isNear(_ value: Double, _ expected: Double) -> Bool { abs(value / expected - 1) < 2e-6 }

  /// Every gain, with shares of cut and boost and a reference level.
  @Test func gainsAreTwentyFourthsOfAnOctave() throws {
    let levels =
      [(nil, nil), (80, nil), (nil, -20.0), (80, -23.0), (93, -31.75), (127, 0)] as [(Int?, Double?)]
    for (index, gain) in [-127, -96, -24, -7, -1, 0, 1, 13, 24, 96, 127].enumerated() {
      for (cut, boost) in [(1.0, 1.0), (0.5, 0.25), (0, 1), (1, 0), (0, 0)] {
        for (told, wanted) in [levels[index % 6], levels[(index + 2) % 6]] {
          let control = DynamicRangeControl(cut: cut, boost: boost, referenceLevel: wanted)
          let units = [[UInt8]](repeating: Self.unit([Self.info([gain], level: told)]), count: 2)
          let measured = try Self.ratio(units, control)
          var steps = Double(gain) * (gain < 0 ? cut : boost)
          if let told, let wanted { steps += Double(told) - wanted / -0.25 }
          #expect(Self.isNear(measured[0], exp2(steps / 24)), "\(gain) \(cut) \(boost) \(told as Int?)")
        }
      }
    }
  }

  /// The lines on both sides of every border have the gains of their own bands.
  @Test func bandsEndWithFourLinesEach() throws {
    let tops = [0, 3, 20, 100, 255]
    let info = Self.info([-24, 12, -48, 6, 24], tops: tops)
    var bottom = 0
    for (band, top) in tops.enumerated() {
      for line in [bottom, 4 * top + 3] {
        let units = [[UInt8]](repeating: Self.unit([info], line: line), count: 2)
        let measured = try Self.ratio(units, DynamicRangeControl())
        #expect(Self.isNear(measured[0], exp2(Double(info.gains[band]) / 24)), "line \(line)")
      }
      bottom = 4 * top + 4
    }
  }

  /// Lines above the last band have the reference level only; a band that ends too early is empty.
  @Test func linesOutsideOfTheBands() throws {
    let control = DynamicRangeControl(referenceLevel: -20)
    let info = Self.info([-24, 24, 48], tops: [9, 4, 19], level: 100)
    for (line, steps) in [(39, -24), (40, 48), (79, 48), (80, 0), (900, 0)] {
      let units = [[UInt8]](repeating: Self.unit([info], line: line), count: 2)
      let measured = try Self.ratio(units, control)
      #expect(Self.isNear(measured[0], exp2(Double(steps + 20) / 24)), "line \(line)")
    }
  }

  /// Lines of short windows are counted through all of them.
  @Test func bandsRunThroughShortWindows() throws {
    let info = Self.info([-24, 24, -48], tops: [31, 109, 255])  // windows 0 and 1 … line 440, in window 3
    for (line, gain) in [(0, -24), (127, -24), (128, 24), (300, 24), (439, 24), (440, -48), (1023, -48)] {
      let units = [[UInt8]](repeating: Self.unit([info], line: line, short: true), count: 2)
      let measured = try Self.ratio(units, DynamicRangeControl())
      #expect(Self.isNear(measured[0], exp2(Double(gain) / 24)), "line \(line)")
    }
  }

  /// Excluded channels keep what they had, at first nothing.
  @Test func excludedChannelsKeepTheirGains() throws {
    var left = Self.info([-24])
    left.excludedChannels = 0b10
    left.exclusionGroups = 1
    var right = Self.info([24])
    right.excludedChannels = 0b01
    right.exclusionGroups = 9
    let control = DynamicRangeControl()
    let first = Self.unit([left], channels: 2)
    var measured = try Self.ratio([first, first], control, channels: 2)
    #expect(Self.isNear(measured[0], 0.5) && measured[1] == 1)
    let second = Self.unit([right], channels: 2)
    measured = try Self.ratio([first, second, second], control, channels: 2)
    #expect(Self.isNear(measured[0], 0.5) && Self.isNear(measured[1], 2))
    // Both in one access unit; the later one wins where both speak.
    let both = Self.unit([Self.info([48]), left, right], channels: 2)
    measured = try Self.ratio([both, both], control, channels: 2)
    #expect(Self.isNear(measured[0], 0.5) && Self.isNear(measured[1], 2))
  }

  /// Gains and level hold while nothing new comes and in concealed frames; a reset forgets them.
  @Test func gainsHoldUntilReset() throws {
    let control = DynamicRangeControl(referenceLevel: -20)
    let on = try Self.decoder(control)
    let off = try Self.decoder(nil)
    let told = Self.unit([Self.info([-24], level: 92)])
    let plain = Self.unit([])
    for decoder in [on, off] { _ = try decoder.decode(told) }
    #expect(on.programReferenceLevel == -23 && off.programReferenceLevel == -23)
    let factor = exp2((-24.0 + 92 - 80) / 24)
    var a = PCMBuffer(format: on.format)
    var b = a
    for _ in 0..<400 {
      try on.decode(plain, into: &a)
      try off.decode(plain, into: &b)
    }
    #expect(Self.isNear(Self.ratio(a.channels[0], b.channels[0]), factor))
    for _ in 0..<3 {
      on.conceal(into: &a)
      off.conceal(into: &b)
      #expect(Self.isNear(Self.ratio(a.channels[0], b.channels[0]), factor))
    }
    on.reset()
    off.reset()
    #expect(on.programReferenceLevel == nil)
    #expect(try on.decode(plain).channels == off.decode(plain).channels)
  }

  @Test func dataOfOtherProgrammesIsPassedOver() throws {
    var config = try DecoderTests.config(0)
    config.programConfig = ProgramConfig(layout: .mono, samplingRateIndex: 4)
    config.programConfig?.tag = 3
    for (tag, factor) in [(nil, 0.5), (3, 0.5), (4, 1)] as [(Int?, Double)] {
      var info = Self.info([-24])
      info.programTag = tag
      let on = try AACDecoder(config)
      on.dynamics = DynamicRangeControl()
      let off = try AACDecoder(config)
      let unit = Self.unit([info])
      for _ in 0..<2 {
        let a = try on.decode(unit)
        #expect(Self.isNear(Self.ratio(a.channels[0], try off.decode(unit).channels[0]), factor))
      }
    }
  }

  /// Without data, and where all shares are 0, nothing changes by a single bit.
  @Test func nothingChangesWithoutData() throws {
    var random = SeededGenerator.printingSeed()
    let off = try Self.decoder(nil, channels: 2)
    let on = try Self.decoder(DynamicRangeControl(referenceLevel: -16), channels: 2)
    let zero = try Self.decoder(DynamicRangeControl(cut: 0, boost: 0), channels: 2)
    for _ in 0..<12 {
      var block = RawDataBlock()
      while !block.elements.contains(where: { if case .pair = $0 { true } else { false } }) {
        block = .random(DecoderTests.bands, &random)
        block.elements.removeAll { if case .pair = $0 { false } else { true } }
        block.elements = Array(block.elements.prefix(1))
      }
      let unit = DecoderTests.bytes(block)
      let expected = try off.decode(unit).channels
      #expect(try on.decode(unit).channels == expected)
      #expect(try zero.decode(unit).channels == expected)
    }
  }

  /// A dependent coupling channel has its target's gains, an independent one its own.
  @Test func couplingChannels() throws {
    for isIndependent in [false, true] {
      var block = DecoderTests.block([(.singleChannel, 0, [DecoderTests.tone(line: 60)])])
      var coupling = CouplingChannel(tag: 0)
      coupling.isIndependent = isIndependent
      coupling.afterTNS = true
      block.couplingTargets = [CouplingChannel.Target(isPair: false, tag: 0)]
      coupling.targets = 0..<1
      block.streams.append(DecoderTests.tone(line: 60))
      block.streamCount = 2
      coupling.stream = 1
      var list = GainList()
      list.setUnity()
      block.gainLists = [list]
      block.gainListCount = 1
      coupling.gainLists = 0..<1
      block.elements.append(.coupling(coupling))
      // The second channel is the independent coupling channel.
      var info = Self.info([-24])
      info.excludedChannels = 0b10
      info.exclusionGroups = 1
      Self.add([info], to: &block)
      let unit = DecoderTests.bytes(block)
      let measured = try Self.ratio([unit, unit], DynamicRangeControl())
      #expect(Self.isNear(measured[0], isIndependent ? 0.75 : 0.5))
    }
  }

  /// Predictions are made from the sound without gains: a gain of a half is a half of the sound, always.
  @Test func longTermPredictionDoesNotHearTheGains() throws {
    let config = AudioSpecificConfig.of(.longTermPrediction, configuration: 1)
    var stream = DecoderTests.tone(line: 60)
    stream.info.predictor = .longTerm(LTPData(lag: 1500, coefficient: 5, used: 1 << 40 - 1))
    var block = DecoderTests.block([(.singleChannel, 0, [stream])])
    block.syntax = StreamSyntax(config)
    Self.add([Self.info([-24])], to: &block)
    let unit = DecoderTests.bytes(block)
    let on = try AACDecoder(config)
    let off = try AACDecoder(config)
    var ratios: [Double] = []
    var last: [Float] = []
    for frame in 0..<12 {
      on.dynamics = frame < 2 || frame >= 9 ? nil : DynamicRangeControl()
      let a = try on.decode(unit).channels[0]
      let b = try off.decode(unit).channels[0]
      #expect(frame == 0 || b != last)
      last = b
      ratios.append(Self.ratio(a, b))
    }
    #expect(ratios[1] == 1)
    for frame in 3..<9 { #expect(Self.isNear(ratios[frame], 0.5), "frame \(frame)") }
    #expect(Self.isNear(ratios[11], 1))
  }

  /// Elements with a ready mixdown of the programme are no channels of it.
  @Test func mixdownElementsArePassedOver() throws {
    var config = try DecoderTests.config(0)
    config.programConfig = ProgramConfig(layout: .surround30, samplingRateIndex: 4)
    config.programConfig?.monoMixdown = 5
    config.programConfig?.stereoMixdown = 6
    config.programConfig?.matrixMixdown = ProgramConfig.MatrixMixdown(index: 2, pseudoSurround: true)
    let (low, high) = (DecoderTests.tone(line: 20), DecoderTests.tone(line: 200))
    let plain = DecoderTests.bytes(
      DecoderTests.block([(.singleChannel, 0, [low]), (.channelPair, 0, [low, low])]))
    let mixed = DecoderTests.bytes(
      DecoderTests.block([
        (.singleChannel, 5, [high]), (.singleChannel, 0, [low]), (.channelPair, 6, [high, high]),
        (.channelPair, 0, [low, low]),
      ]))
    let decoder = try AACDecoder(config)
    #expect(decoder.matrixMixdown == config.programConfig?.matrixMixdown)
    #expect(try decoder.decode(mixed).channels == AACDecoder(config).decode(plain).channels)
    config.programConfig?.monoMixdown = nil
    #expect(throws: AACError.self) { try AACDecoder(config).decode(mixed) }
  }

  @Test func surroundGains() {
    let gains = (0..<4).map { ProgramConfig.MatrixMixdown(index: $0, pseudoSurround: false).surroundGain }
    #expect(gains == [Float(0.5).squareRoot(), 0.5, Float(0.125).squareRoot(), 0])
  }

  @Test func sharesStayInRange() {
    var control = DynamicRangeControl(cut: -1, boost: 2, referenceLevel: -99)
    #expect(control == DynamicRangeControl(cut: 0, boost: 1, referenceLevel: -31.75))
    control.cut = .nan
    control.boost = -.infinity
    control.referenceLevel = .infinity
    #expect(control == DynamicRangeControl(cut: 0, boost: 0, referenceLevel: 0))
  }

  /// Any payload, at any time, leaves finite samples.
  @Test func randomPayloads() throws {
    var random = SeededGenerator.printingSeed()
    let decoder = try Self.decoder(DynamicRangeControl(referenceLevel: -10), channels: 2)
    for _ in 0..<60 {
      var info = DynamicRangeInfo()
      info.hasBands = random.flag()
      info.bandCount = info.hasBands ? random.int(1...16) : 1
      info.interpolationScheme = info.hasBands ? random.int(0...15) : 0
      for band in 0..<info.bandCount {
        info.gains[band] = Int8(random.int(-127...127))
        if info.hasBands { info.bandTops[band] = UInt8(random.int(0...255)) }
      }
      if random.flag() { info.referenceLevel = random.int(0...127) }
      let unit = Self.unit([info], channels: 2, line: random.int(0...1023), short: random.flag())
      let output = try decoder.decode(unit)
      #expect(output.channels.allSatisfy { $0.allSatisfy(\.isFinite) })
    }
  }
}
