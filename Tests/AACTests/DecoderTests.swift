import PCM
import Testing

@testable import AAC

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct DecoderTests {
  static let bands = ScaleFactorBands.at(44100)

  static func config(_ number: Int) throws -> AudioSpecificConfig {
    var config = try AudioSpecificConfig(samplingRate: SamplingRate(44100), layout: .stereo)
    config.channelConfiguration = number
    return config
  }

  /// A stream of one line, `value` high before the inverse quantiser, in a long window.
  static func tone(line: Int, value: Int = 100, scaleFactor: Int = 140) -> ChannelStream {
    var stream = ChannelStream()
    stream.globalGain = scaleFactor
    stream.info.maxBand = 49
    for band in 0..<49 where bands.long[band]..<bands.long[band + 1] ~= line {
      stream.codebooks[band] = Codebook.escape
      stream.scaleFactors[band] = Int16(scaleFactor)
    }
    stream.spectrum[line] = Int16(value)
    return stream
  }

  /// A block of the given elements, each with streams of its own.
  static func block(_ elements: [(SyntaxElementID, tag: Int, [ChannelStream])]) -> RawDataBlock {
    var block = RawDataBlock()
    for (id, tag, streams) in elements {
      let first = block.streams.count
      block.streams += streams
      switch id {
      case .singleChannel: block.elements.append(.single(SingleChannel(tag: tag, stream: first)))
      case .lowFrequency: block.elements.append(.lowFrequency(SingleChannel(tag: tag, stream: first)))
      default: block.elements.append(.pair(ChannelPair(tag: tag, left: first, right: first + 1)))
      }
    }
    block.streamCount = block.streams.count
    return block
  }

  static func bytes(_ block: RawDataBlock) -> [UInt8] {
    var bits = BitWriter()
    block.write(to: &bits, bands: bands)
    return bits.bytes
  }

  /// One line in two equal blocks, at every indexed rate and at explicit ones, with both frame lengths.
  @Test(arguments: SamplingRate.indexed + [37_800, 50_000, 192_000], [1024, 960])
  func aLineBecomesACosine(hertz: Int, frameLength: Int) throws {
    var config = try AudioSpecificConfig(samplingRate: SamplingRate(hertz), layout: .mono)
    config.frameLengthFlag = frameLength == 960
    let bands = ScaleFactorBands.at(hertz, frameLength: frameLength)
    let line = frameLength - 100
    var stream = ChannelStream()
    stream.globalGain = 140
    stream.info.maxBand = bands.longCount
    for band in 0..<bands.longCount where bands.long[band]..<bands.long[band + 1] ~= line {
      stream.codebooks[band] = Codebook.escape
      stream.scaleFactors[band] = 140
    }
    stream.spectrum[line] = -100
    var bits = BitWriter()
    Self.block([(.singleChannel, 0, [stream])]).write(to: &bits, bands: bands)
    let decoder = try AACDecoder(AudioSpecificConfig(parsing: config.bytes))
    _ = try decoder.decode(bits.bytes)
    let output = try decoder.decode(bits.bytes)
    #expect(output.frameCount == frameLength)
    #expect(output.format == PCMFormat(sampleRate: hertz, layout: .mono))
    let n = Double(frameLength)
    let x = -pow(100, 4.0 / 3) * pow(2, 40.0 / 4) / n / 32768
    for index in stride(from: 0, to: frameLength, by: 7) {
      // Second half of the first block and first half of the second one, with sine windows.
      func windowed(_ at: Double) -> Double {
        sin(Double.pi / (2 * n) * (at + 0.5))
          * cos(Double.pi / n * (at + (n + 1) / 2) * (Double(line) + 0.5))
      }
      let expected = x * (windowed(Double(index)) + windowed(Double(index) + n))
      #expect(abs(Double(output.channels[0][index]) - expected) < 1e-6)
    }
  }

  /// Every channel of every configuration comes out at its place: each carries a line of its own.
  @Test(arguments: ChannelConfiguration.numbers) func channelsComeOutInLayoutOrder(number: Int) throws {
    let elements = try #require(ChannelConfiguration.elements(of: number))
    var parts: [(SyntaxElementID, tag: Int, [ChannelStream])] = []
    var lines: [Speaker: Int] = [:]
    for element in elements {
      let streams = element.speakers.map { speaker in
        let line = 20 * (lines.count + 1)
        lines[speaker!] = line
        return Self.tone(line: line)
      }
      let id: SyntaxElementID =
        switch element.kind {
        case .single: .singleChannel
        case .pair: .channelPair
        case .lowFrequency: .lowFrequency
        }
      parts.append((id, 0, streams))
    }
    let decoder = try AACDecoder(Self.config(number))
    let unit = Self.bytes(Self.block(parts))
    _ = try decoder.decode(unit)
    let output = try decoder.decode(unit)
    #expect(output.format.layout == elements.layout)
    for (channel, speaker) in output.format.layout.speakers.enumerated() {
      let place = try #require(speaker)
      let line = try #require(lines[place])
      let alone = try AACDecoder(Self.config(1))
      let single = Self.bytes(Self.block([(.singleChannel, 0, [Self.tone(line: line)])]))
      _ = try alone.decode(single)
      #expect(try output.channels[channel] == alone.decode(single).channels[0])
    }
  }

  @Test func aProgramConfigInTheStreamSetsTheLayout() throws {
    let decoder = try AACDecoder(Self.config(0))
    #expect(decoder.format.layout.channelCount == 0)
    var block = Self.block([
      (.singleChannel, 3, [Self.tone(line: 40)]),
      (.channelPair, 7, [Self.tone(line: 10), Self.tone(line: 20)]),
    ])
    var config = ProgramConfig()
    config.front = [.init(isPair: false, tag: 3), .init(isPair: true, tag: 7)]
    block.elements.insert(.programConfig(config), at: 0)
    #expect(try decoder.decode(Self.bytes(block)).format.layout == .surround30)

    // The next block may leave it out; another layout replaces it.
    block.elements.removeFirst()
    #expect(try decoder.decode(Self.bytes(block)).format.layout == .surround30)
    config.front = [.init(isPair: true, tag: 7)]
    config.back = [.init(isPair: false, tag: 3)]
    block.elements.insert(.programConfig(config), at: 0)
    let output = try decoder.decode(Self.bytes(block))
    #expect(output.format.layout == ChannelLayout([.frontLeft, .frontRight, .backCenter]))
    #expect(decoder.format == output.format)
  }

  @Test func aStreamWithoutAnyLayoutIsGuessed() throws {
    let decoder = try AACDecoder(Self.config(0))
    let silence = ChannelStream()
    let unit = Self.bytes(Self.block([(.channelPair, 0, [silence, silence])]))
    #expect(try decoder.decode(unit).format.layout == .stereo)
    let odd = Self.bytes(
      Self.block([(.channelPair, 0, [silence, silence]), (.singleChannel, 1, [silence])]))
    #expect(try AACDecoder(Self.config(0)).decode(odd).format.layout == .discrete(3))
  }

  @Test func monoInAStereoStreamIsFollowed() throws {
    let decoder = try AACDecoder(Self.config(2))
    let silence = ChannelStream()
    let mono = Self.bytes(Self.block([(.singleChannel, 0, [silence])]))
    #expect(try decoder.decode(mono).format.layout == .mono)
    let stereo = Self.bytes(Self.block([(.channelPair, 0, [silence, silence])]))
    #expect(try decoder.decode(stereo).format.layout == .stereo)
  }

  @Test func whatDoesNotFitThrowsAndLeavesTheDecoderUsable() throws {
    let silence = ChannelStream()
    let good = Self.bytes(Self.block([(.channelPair, 0, [Self.tone(line: 9), silence])]))
    let steady = try AACDecoder(Self.config(2))
    let shaken = try AACDecoder(Self.config(2))
    var output = PCMBuffer(format: steady.format)
    let bad: [[UInt8]] = [
      [], [0xFF, 0xFF], Array(good.dropLast(4)),
      Self.bytes(
        Self.block([(.channelPair, 0, [silence, silence]), (.channelPair, 1, [silence, silence])])),
    ]
    for unit in bad {
      _ = try steady.decode(good)
      _ = try shaken.decode(good)
      #expect(throws: AACError.self) { try shaken.decode(unit, into: &output) }
      #expect(output.frameCount == 0)
      #expect(try shaken.decode(good).channels == steady.decode(good).channels)
    }
  }

  @Test func otherObjectTypesAreRefusedByName() throws {
    for (type, name) in [
      (AudioObjectType.scalableSampleRate, "SSR"), (.scalable, "Scalable"), (.errorResilientBSAC, "ER BSAC"),
      (.errorResilientScalable, "ER Scalable"), (AudioObjectType(rawValue: 7), "TwinVQ"),
      (AudioObjectType(rawValue: 8), "CELP"), (.unifiedSpeechAndAudio, "xHE (USAC)"),
    ] {
      var config = try Self.config(2)
      config.objectType = type
      #expect(throws: AACError(.unsupported("\(name) audio"))) { try AACDecoder(config) }
    }
  }

  @Test func concealmentFadesAndResetForgets() throws {
    let decoder = try AACDecoder(Self.config(1))
    let unit = Self.bytes(Self.block([(.singleChannel, 0, [Self.tone(line: 30)])]))
    let first = try decoder.decode(unit)
    var output = try decoder.decode(unit)
    func peak() -> Float { output.channels[0].reduce(0) { max($0, abs($1)) } }
    let before = peak()
    for frame in 1...8 {
      #expect(decoder.conceal(into: &output).run == frame)
      #expect(output.frameCount == 1024)
      #expect(peak() < before * 1.5 && peak() > 0)
      if frame >= 5 { #expect(peak() < before / 2) }
    }
    decoder.conceal(into: &output)
    #expect(peak() < before / 8)
    decoder.conceal(into: &output)
    #expect(peak() == 0)
    decoder.reset()
    #expect(try decoder.decode(unit).channels == first.channels)
  }

  /// Dependent coupling adds lines before the filterbank, independent coupling samples behind it: both are
  /// what the target would have carried itself.
  @Test(arguments: [false, true]) func couplingAddsToItsTargets(independent: Bool) throws {
    let silence = ChannelStream()
    var block = Self.block([(.channelPair, 2, [silence, Self.tone(line: 60)])])
    var coupling = CouplingChannel(tag: 1)
    coupling.isIndependent = independent
    coupling.gainScale = 3
    block.couplingTargets = [CouplingChannel.Target(isPair: true, tag: 2, left: true, right: true)]
    coupling.targets = 0..<1
    block.streams.append(Self.tone(line: 30))
    block.streamCount += 1
    coupling.stream = 2
    var half = GainList()
    half.common = 1
    block.gainLists = [GainList(), half]
    block.gainListCount = 2
    coupling.gainLists = 0..<2
    block.elements.append(.coupling(coupling))
    let decoder = try AACDecoder(Self.config(2))
    _ = try decoder.decode(Self.bytes(block))
    let output = try decoder.decode(Self.bytes(block))

    func alone(_ line: Int) throws -> [Float] {
      let decoder = try AACDecoder(Self.config(1))
      let unit = Self.bytes(Self.block([(.singleChannel, 0, [Self.tone(line: line)])]))
      _ = try decoder.decode(unit)
      return try decoder.decode(unit).channels[0]
    }
    let source = try alone(30)
    let own = try alone(60)
    for n in 0..<1024 {
      #expect(abs(output.channels[0][n] - source[n]) < 1e-6)
      #expect(abs(output.channels[1][n] - (own[n] + source[n] / 2)) < 1e-6)
    }
  }

  /// The loudest that the syntax can say, through filters close to instability, is still a number.
  @Test func extremesStayFinite() throws {
    var left = ChannelStream()
    left.globalGain = 255
    left.info.maxBand = 49
    for band in 0..<49 {
      left.codebooks[band] = Codebook.escape
      left.scaleFactors[band] = 255
    }
    for line in 0..<1024 { left.spectrum[line] = 8191 }
    var filter = TNSData.Filter()
    filter.length = 63
    filter.order = 20
    for index in 0..<20 { filter.coefficients[index] = index & 1 == 0 ? 7 : -8 }
    left.tns = TNSData(highResolution: 1, filters: [filter])
    var right = left
    for band in 0..<49 {
      right.codebooks[band] = band < 20 ? Codebook.noise : Codebook.intensityInPhase
      right.scaleFactors[band] = band < 20 ? 420 : -255
    }
    for line in 0..<1024 { right.spectrum[line] = 0 }
    // Positions start at 0 and go there in steps of at most 60.
    for band in 20..<25 { right.scaleFactors[band] = Int16(max(-255, -60 * (band - 19))) }
    var block = Self.block([(.channelPair, 0, [left, right])])
    block.elements = [.pair(ChannelPair(tag: 0, commonWindow: true, left: 0, right: 1))]
    let decoder = try AACDecoder(Self.config(2))
    for _ in 0..<3 {
      let output = try decoder.decode(Self.bytes(block))
      #expect(output.channels.allSatisfy { $0.allSatisfy(\.isFinite) })
      #expect(output.channels.allSatisfy { $0.contains { abs($0) > 1e6 } })
    }
  }

  /// Damaged access units only throw.
  @Test func damageOnlyThrows() throws {
    var random = SeededGenerator.printingSeed()
    var output = PCMBuffer(format: PCMFormat(sampleRate: 44100, layout: .stereo))
    var thrown = 0
    for _ in 0..<10 {
      let frameLength = random.flag() ? 1024 : 960
      let bands = ScaleFactorBands.at(44100, frameLength: frameLength)
      var bits = BitWriter()
      RawDataBlock.random(bands, &random).write(to: &bits, bands: bands)
      var config = try Self.config(0)
      config.frameLengthFlag = frameLength == 960
      let decoder = try AACDecoder(config)
      for _ in 0..<200 {
        var unit = bits.bytes
        for _ in 0..<random.int(1...4) where !unit.isEmpty {
          switch random.int(0...3) {
          case 0: unit.removeLast(random.int(1...min(unit.count, 40)))
          case 1: unit[random.int(0...unit.count - 1)] = UInt8(random.int(0...255))
          default: unit[random.int(0...min(unit.count - 1, 60))] ^= 1 << UInt8(random.int(0...7))
          }
        }
        do throws(AACError) { try decoder.decode(unit, into: &output) } catch { thrown += 1 }
        if random.int(0...19) == 0 { decoder.conceal(into: &output) }
      }
    }
    #expect(thrown > 500)
  }
}
