import PCM
import Testing

@testable import AAC

@Suite struct ObjectTypeDecoderTests {
  static let types: [AudioObjectType] = [
    .main, .longTermPrediction, .errorResilientLowComplexity, .errorResilientLongTermPrediction, .lowDelay,
    .enhancedLowDelay,
  ]

  private static func bytes(_ block: RawDataBlock, _ config: AudioSpecificConfig) -> [UInt8] {
    var block = block
    block.syntax = StreamSyntax(config)
    var writer = BitWriter()
    block.write(to: &writer, bands: config.bands)
    return writer.bytes
  }

  /// The same lines in every syntax: with a filterbank of the same kind also the same sound.
  @Test func everySyntaxGivesTheSameSound() throws {
    var random = SeededGenerator.printingSeed()
    let plain = AudioSpecificConfig.of(.lowComplexity)
    var block = RawDataBlock.random(plain.bands, StreamSyntax(plain), &random)
    for index in block.streams.indices { block.streams[index].info.predictor = .none }
    for index in block.elements.indices {
      guard case .pair(var pair) = block.elements[index] else { continue }
      pair.tag = 0
      block.elements[index] = .pair(pair)
    }
    let expected = try AACDecoder(plain).decode(Self.bytes(block, plain))
    for type in Self.types where type != .lowDelay && type != .enhancedLowDelay {
      for flags in type.isErrorResilient ? [0, 1, 2, 4, 5] : [0] {
        let config = AudioSpecificConfig.of(type, flags: flags)
        var same = block
        if flags & 2 != 0 {
          for index in same.streams.indices { same.streams[index].tameScaleFactors() }
        }
        let output = try AACDecoder(config).decode(Self.bytes(same, config))
        if flags & 2 == 0 { #expect(output.channels == expected.channels, "\(type.name), flags \(flags)") }
        if flags & 2 != 0 {
          let tamed = try AACDecoder(plain).decode(Self.bytes(same, plain))
          #expect(output.channels == tamed.channels, "\(type.name), flags \(flags)")
        }
      }
    }
  }

  /// All types at all rates and layouts: what comes out is finite and as long as a frame.
  @Test(arguments: types) func everythingDecodes(type: AudioObjectType) throws {
    var random = SeededGenerator.printingSeed("\(type.name)")
    for hertz in SamplingRate.indexed {
      let config = AudioSpecificConfig.of(
        type, flags: type.isErrorResilient ? random.int(0...7) : 0, hertz: hertz,
        frameLengthFlag: random.flag(), configuration: ChannelConfiguration.numbers[random.int(0...9)])
      let decoder = try AACDecoder(AudioSpecificConfig(parsing: config.bytes))
      let syntax = StreamSyntax(config)
      for _ in 0..<2 {
        let output = try decoder.decode(Self.bytes(.random(config.bands, syntax, &random), config))
        #expect(output.frameCount == config.frameLength)
        #expect(output.format.layout == config.elements.layout)
        #expect(output.channels.allSatisfy { $0.allSatisfy(\.isFinite) })
      }
    }
  }

  @Test func configurationsThatAreNotDecodedAreRefused() throws {
    var config = AudioSpecificConfig.of(.enhancedLowDelay)
    config.lowDelaySBR = LowDelaySBRConfig()
    #expect(throws: AACError.self) { try AACDecoder(config) }
    config.lowDelaySBR = nil
    config.errorProtection = 1
    #expect(throws: AACError(.unsupported("epConfig 1"))) { try AACDecoder(config) }
    config = .of(.errorResilientLowComplexity)
    config.channelConfiguration = 0
    config.programConfig = ProgramConfig(layout: .stereo, samplingRateIndex: 4)
    #expect(throws: AACError(.unsupported("a program config element with ER LC audio"))) {
      try AACDecoder(config)
    }
  }

  /// A lag that is not sent is the last one; a reset forgets it with the history.
  @Test func lowDelayLagsArePersistent() throws {
    let config = AudioSpecificConfig.of(.lowDelay, configuration: 1)
    var stream = ChannelStream()
    stream.globalGain = 140
    stream.info.maxBand = 36
    for band in 0..<36 {
      stream.codebooks[band] = 5
      stream.scaleFactors[band] = 140
    }
    for line in 0..<40 { stream.spectrum[line] = Int16(line % 7 - 3) }
    var block = RawDataBlock()
    block.streams = [stream]
    block.streamCount = 1
    block.elements = [.single(SingleChannel())]
    func unit(lag: Int?) -> [UInt8] {
      block.streams[0].info.predictor = .longTerm(LTPData(lag: lag, coefficient: 3, used: 1 << 36 - 1))
      return Self.bytes(block, config)
    }
    let named = try AACDecoder(config)
    let kept = try AACDecoder(config)
    for frame in 0..<6 {
      let a = try named.decode(unit(lag: 345)).channels[0]
      let b = try kept.decode(unit(lag: frame == 0 ? 345 : nil)).channels[0]
      #expect(a == b, "frame \(frame)")
    }
    let other = try AACDecoder(config)
    var a: [Float] = []
    for _ in 0..<6 { a = try other.decode(unit(lag: 200)).channels[0] }
    let b = try kept.decode(unit(lag: nil)).channels[0]
    #expect(a != b)
    kept.reset()
    let first = try kept.decode(unit(lag: nil)).channels[0]
    let fresh = try AACDecoder(config)
    #expect(try fresh.decode(unit(lag: nil)).channels[0] == first)
  }

  /// The loudest frames, each predicted from those before it, stay numbers.
  @Test(arguments: types) func extremesStayFinite(type: AudioObjectType) throws {
    let config = AudioSpecificConfig.of(type, configuration: 1)
    let bands = config.bands
    let syntax = StreamSyntax(config)
    var stream = ChannelStream()
    stream.globalGain = 255
    let count = bands.longCount
    stream.info.maxBand = count
    for band in 0..<count {
      stream.codebooks[band] = Codebook.escape
      stream.scaleFactors[band] = 255
    }
    for line in 0..<bands.frameLength { stream.spectrum[line] = line & 1 == 0 ? 8191 : -8191 }
    if type == .main {
      stream.info.predictor = .perLine(PredictionData(resetGroup: 0, used: 1 << UInt64(min(count, 40)) - 1))
    } else if syntax.hasLongTermPrediction {
      let used: UInt64 = 1 << UInt64(min(count, 40)) - 1
      stream.info.predictor = .longTerm(LTPData(lag: 1, coefficient: 7, used: used))
    }
    var filter = TNSData.Filter(length: 63, order: 12)
    for index in 0..<12 { filter.coefficients[index] = index & 1 == 0 ? 7 : -8 }
    stream.tns = TNSData(highResolution: 1, filters: [filter])
    var block = RawDataBlock()
    block.streams = [stream]
    block.streamCount = 1
    block.elements = [.single(SingleChannel())]
    let loud = Self.bytes(block, config)
    block.streams[0].tns = nil
    let plain = Self.bytes(block, config)
    let decoder = try AACDecoder(config)
    for frame in 0..<40 {
      let output = try decoder.decode(frame % 3 == 0 ? loud : plain)
      #expect(output.channels.allSatisfy { $0.allSatisfy(\.isFinite) }, "frame \(frame)")
    }
  }

  @Test(arguments: types) func concealmentFadesAndResetForgets(type: AudioObjectType) throws {
    var random = SeededGenerator.printingSeed("\(type.name)")
    let config = AudioSpecificConfig.of(type)
    let decoder = try AACDecoder(config)
    let unit = Self.bytes(.random(config.bands, StreamSyntax(config), &random), config)
    var output = try decoder.decode(unit)
    let first = output.channels
    _ = try decoder.decode(unit)
    decoder.reset()
    #expect(try decoder.decode(unit).channels == first)
    func energy() -> Float { output.channels.reduce(0) { max($0, $1.reduce(0) { max($0, abs($1)) }) } }
    decoder.conceal(into: &output)
    // Sixteen frames of low delay fade, and the window of enhanced low delay reaches over three more.
    for _ in 0..<20 { decoder.conceal(into: &output) }
    #expect(energy() == 0)
  }

  /// Damaged access units only throw.
  @Test(arguments: types) func damageOnlyThrows(type: AudioObjectType) throws {
    var random = SeededGenerator.printingSeed("\(type.name)")
    var output = PCMBuffer(format: PCMFormat(sampleRate: 44100, layout: .stereo))
    var thrown = 0
    for flags in 0..<8 {
      let config = AudioSpecificConfig.of(
        type, flags: type.isErrorResilient ? flags : 0, frameLengthFlag: random.flag(),
        configuration: [1, 2, 6][flags % 3])
      let bytes = Self.bytes(.random(config.bands, StreamSyntax(config), &random), config)
      let decoder = try AACDecoder(config)
      for _ in 0..<60 {
        var unit = bytes
        for _ in 0..<random.int(1...4) where !unit.isEmpty {
          switch random.int(0...3) {
          case 0: unit.removeLast(random.int(1...min(unit.count, 40)))
          case 1: unit[random.int(0...unit.count - 1)] = UInt8(random.int(0...255))
          default: unit[random.int(0...min(unit.count - 1, 60))] ^= 1 << UInt8(random.int(0...7))
          }
        }
        do throws(AACError) { try decoder.decode(unit, into: &output) } catch { thrown += 1 }
        if random.int(0...19) == 0 { decoder.conceal(into: &output) }
        #expect(output.channels.allSatisfy { $0.prefix(output.frameCount).allSatisfy(\.isFinite) })
      }
    }
    #expect(thrown > 100)
  }
}

extension ChannelStream {
  /// Makes the differences of the scale factors small enough for the length field of reversible codewords.
  fileprivate mutating func tameScaleFactors() {
    for index in 0..<bandCount {
      switch codebooks[index] {
      case 0: scaleFactors[index] = 0
      case 13: scaleFactors[index] = Int16(min(max(globalGain - 90, -346), 420))
      case 14, 15: scaleFactors[index] = Int16(index & 1)
      default: scaleFactors[index] = Int16(globalGain)
      }
    }
    reversible = ReversibleScaleFactors()
  }
}
