import PCM

@testable import AAC

extension StreamSyntax {
  /// The syntax of an object type with the resilience flags of the low three bits of `flags`.
  static func of(_ objectType: AudioObjectType, flags: Int = 0, hertz: Int = 44100, configuration: Int = 2)
    -> StreamSyntax
  {
    var config = AudioSpecificConfig.of(objectType, flags: flags, hertz: hertz, frameLengthFlag: false)
    config.channelConfiguration = configuration
    return StreamSyntax(config)
  }
}

extension AudioSpecificConfig {
  static func of(
    _ objectType: AudioObjectType, flags: Int = 0, hertz: Int = 44100, frameLengthFlag: Bool = false,
    configuration: Int = 2
  ) -> AudioSpecificConfig {
    var config = try! AudioSpecificConfig(samplingRate: SamplingRate(hertz), layout: .stereo)
    config.objectType = objectType
    config.frameLengthFlag = frameLengthFlag
    config.channelConfiguration = configuration
    config.sectionDataResilience = flags & 1 != 0
    config.scaleFactorDataResilience = flags & 2 != 0
    config.spectralDataResilience = flags & 4 != 0
    return config
  }

  var bands: ScaleFactorBands { ScaleFactorBands(samplingRate: samplingRate, frameLength: frameLength) }
}

extension ICSInfo {
  /// An info with everything that a type of streams has.
  static func random(
    _ bands: ScaleFactorBands, _ syntax: StreamSyntax, _ random: inout SeededGenerator
  ) -> ICSInfo {
    var info = ICSInfo.random(bands.short.count > 1 ? bands : .at(44100), &random)
    if syntax.objectType == .lowDelay || syntax.objectType == .enhancedLowDelay {
      info.windowSequence = .onlyLong
      info.grouping = 0
      if syntax.objectType == .enhancedLowDelay { info.windowShape = .sine }
    }
    // Reordered data has a limit that coarse random lines in all bands would break.
    let limit = bands.count(short: info.isShort) / (syntax.spectralResilience ? 2 : 1)
    info.maxBand = random.int(0...limit)
    guard !info.isShort, random.flag() else { return info }
    if syntax.objectType == .main {
      let used = random.next() & (1 << UInt64(min(info.maxBand, syntax.predictionBands)) - 1)
      info.predictor = .perLine(
        PredictionData(resetGroup: random.flag() ? random.int(PredictionData.resetGroups) : 0, used: used))
    } else if syntax.hasLongTermPrediction {
      info.predictor = .longTerm(random.flag() ? .random(info, bands, syntax, &random) : nil)
    }
    return info
  }
}

extension LTPData {
  static func random(
    _ info: ICSInfo, _ bands: ScaleFactorBands, _ syntax: StreamSyntax, _ random: inout SeededGenerator
  ) -> LTPData {
    var data = LTPData()
    let largest = min(2 * bands.frameLength, 1 << LTPData.lagBits(syntax.objectType) - 1)
    if syntax.objectType != .lowDelay || random.flag() { data.lag = random.int(0...largest) }
    data.coefficient = random.int(0...7)
    data.used = random.next() & (1 << UInt64(min(info.maxBand, LTPData.bandLimit)) - 1)
    return data
  }
}

extension ChannelStream {
  /// A stream that uses everything the syntax of its type has.
  static func random(
    _ bands: ScaleFactorBands, _ syntax: StreamSyntax, info: ICSInfo? = nil,
    _ random: inout SeededGenerator
  ) -> ChannelStream {
    let info = info ?? .random(bands, syntax, &random)
    var stream = ChannelStream.random(bands, info: info, &random)
    if syntax.objectType == .enhancedLowDelay { stream.pulses = nil }
    if syntax.sectionResilience { stream.useVirtualCodebooks(bands, &random) }
    if syntax.scaleFactorResilience { stream.useReversibleScaleFactors(&random) }
    return stream
  }

  private mutating func useVirtualCodebooks(_ bands: ScaleFactorBands, _ random: inout SeededGenerator) {
    let offsets = bands.offsets(short: info.isShort)
    var start = 0
    for group in 0..<info.groupCount {
      let windows = info.groupLengths[group]
      for band in 0..<info.maxBand where codebooks[group * info.maxBand + band] == Codebook.escape {
        guard random.int(0...4) > 0 else { continue }
        let number = random.int(16...31)
        virtualCodebooks[group * info.maxBand + band] = UInt8(number)
        let largest = Int16(VirtualCodebooks.largestLines[number - 16])
        for line in start + windows * offsets[band]..<start + windows * offsets[band + 1] {
          spectrum[line] = min(max(spectrum[line], -largest), largest)
        }
      }
      start += windows * bands.frameLength / info.windowCount
    }
  }

  /// Scale factors in small steps, since the codewords' length is limited, and some large ones.
  private mutating func useReversibleScaleFactors(_ random: inout SeededGenerator) {
    var values = [globalGain, 0, globalGain - 90 - 256 + random.int(0...511)]
    var isFirstNoise = true
    for index in 0..<bandCount {
      let chain: Int
      switch codebooks[index] {
      case 0: continue
      case 13: chain = 2
      case 14, 15: chain = 1
      default: chain = 0
      }
      let range = [ScaleFactors.spectralRange, ScaleFactors.intensityRange, ScaleFactors.noiseRange][chain]
      let delta = random.int(0...39) == 0 ? random.int(-60...60) : random.int(-5...5)
      if chain != 2 || !isFirstNoise {
        values[chain] = min(max(values[chain] + delta, range.lowerBound), range.upperBound)
      }
      if chain == 2 { isFirstNoise = false }
      scaleFactors[index] = Int16(values[chain])
    }
    var frame = ReversibleScaleFactors()
    frame.isForConcealment = random.flag()
    frame.reverseGlobalGain = random.int(0...255)
    let used = codebooks.prefix(bandCount)
    if used.contains(13) { frame.lastNoise = random.int(0...511) }
    if used.contains(14) || used.contains(15) { frame.lastPosition = random.int(-60...60) }
    reversible = frame
  }
}

extension RawDataBlock {
  /// A block of the elements that the configuration names.
  static func random(
    _ bands: ScaleFactorBands, _ syntax: StreamSyntax, _ random: inout SeededGenerator
  ) -> RawDataBlock {
    var block = RawDataBlock()
    block.syntax = syntax
    let isEnhanced = syntax.objectType == .enhancedLowDelay
    for kind in syntax.elements {
      let tag = isEnhanced ? 0 : random.int(0...15)
      switch kind {
      case .single:
        block.elements.append(
          .single(SingleChannel(tag: tag, stream: block.add(.random(bands, syntax, &random)))))
      case .lowFrequency:
        block.elements.append(
          .lowFrequency(SingleChannel(tag: tag, stream: block.add(.random(bands, syntax, &random)))))
      case .pair: block.addPair(tag, bands, syntax, &random)
      }
    }
    return block
  }

  private mutating func add(_ stream: ChannelStream) -> Int {
    streams.append(stream)
    streamCount += 1
    return streamCount - 1
  }

  private mutating func addPair(
    _ tag: Int, _ bands: ScaleFactorBands, _ syntax: StreamSyntax, _ random: inout SeededGenerator
  ) {
    let isCommon = syntax.objectType == .enhancedLowDelay || random.flag()
    var pair = ChannelPair(tag: tag, commonWindow: isCommon)
    var info: ICSInfo?
    var rightInfo: ICSInfo?
    if isCommon {
      let common = ICSInfo.random(bands, syntax, &random)
      info = common
      rightInfo = common
      if case .longTerm = common.predictor {
        rightInfo?.predictor = .longTerm(random.flag() ? .random(common, bands, syntax, &random) : nil)
      }
      pair.midSide.mode = MidSideMask.Mode(rawValue: random.int(0...2))!
      let all: UInt64 = 1 << UInt64(common.maxBand) - 1
      for group in 0..<common.groupCount where pair.midSide.mode != .off {
        pair.midSide.groups[group] = pair.midSide.mode == .all ? all : random.next() & all
      }
    }
    pair.left = add(.random(bands, syntax, info: info, &random))
    pair.right = add(.random(bands, syntax, info: rightInfo, &random))
    elements.append(.pair(pair))
  }
}
