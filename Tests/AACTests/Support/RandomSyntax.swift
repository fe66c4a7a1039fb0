@testable import AAC

extension ScaleFactorBands {
  static func at(_ hertz: Int, frameLength: Int = 1024) -> ScaleFactorBands {
    ScaleFactorBands(samplingRate: try! SamplingRate(hertz), frameLength: frameLength)
  }
}

extension ICSInfo {
  static func random(_ bands: ScaleFactorBands, _ random: inout SeededGenerator) -> ICSInfo {
    var info = ICSInfo()
    info.windowSequence = WindowSequence(rawValue: UInt8(random.int(0...3)))!
    info.windowShape = random.flag() ? .sine : .kaiserBessel
    info.maxBand = random.int(0...bands.count(short: info.isShort))
    if info.isShort { info.grouping = UInt8(random.int(0...127)) }
    return info
  }
}

extension ChannelStream {
  /// A stream that uses everything the syntax has. `allowsIntensity` only for second channels.
  static func random(
    _ bands: ScaleFactorBands, info: ICSInfo? = nil, allowsIntensity: Bool = true,
    _ random: inout SeededGenerator
  ) -> ChannelStream {
    var stream = ChannelStream()
    stream.info = info ?? .random(bands, &random)
    stream.globalGain = random.int(0...255)
    stream.fillBands(allowsIntensity, &random)
    stream.fillLines(bands, &random)
    if random.flag(), !stream.info.isShort { stream.pulses = .random(bands, &random) }
    if random.flag() { stream.tns = .random(stream.info, &random) }
    return stream
  }

  private mutating func fillBands(_ allowsIntensity: Bool, _ random: inout SeededGenerator) {
    var gain = globalGain
    var position = 0
    var energy: Int?
    var codebook = 0
    for index in 0..<info.groupCount * info.maxBand {
      if random.int(0...2) == 0 { codebook = random.int(0...(allowsIntensity ? 15 : 13)) }
      if codebook == 12 { codebook = 11 }
      codebooks[index] = UInt8(codebook)
      let delta = random.int(-60...60)
      switch codebook {
      case 0:
        scaleFactors[index] = 0
      case 13:
        let value =
          if let energy { min(420, max(-346, energy + delta)) } else {
            globalGain - 90 - 256 + random.int(0...511)
          }
        energy = value
        scaleFactors[index] = Int16(value)
      case 14, 15:
        position = min(255, max(-255, position + delta))
        scaleFactors[index] = Int16(position)
      default:
        gain = min(255, max(0, gain + delta))
        scaleFactors[index] = Int16(gain)
      }
    }
  }

  private mutating func fillLines(_ bands: ScaleFactorBands, _ random: inout SeededGenerator) {
    let offsets = bands.offsets(short: info.isShort)
    let windowLength = info.isShort ? bands.frameLength / 8 : bands.frameLength
    var start = 0
    for group in 0..<info.groupCount {
      let windows = info.groupLengths[group]
      for band in 0..<info.maxBand {
        let codebook = Int(codebooks[group * info.maxBand + band])
        guard (1...11).contains(codebook) else { continue }
        for line in start + windows * offsets[band]..<start + windows * offsets[band + 1] {
          var largest = SpectralCodebook.all[codebook].lav
          if codebook == 11, random.int(0...7) == 0 { largest = 1 << random.int(4...13) - 1 }
          spectrum[line] = Int16(random.int(-largest...largest))
        }
      }
      start += windows * windowLength
    }
  }
}

extension PulseData {
  static func random(_ bands: ScaleFactorBands, _ random: inout SeededGenerator) -> PulseData {
    var pulses = PulseData()
    pulses.count = random.int(1...4)
    pulses.startBand = random.int(0...bands.longCount - 1)
    var line = bands.long[pulses.startBand]
    for index in 0..<pulses.count {
      pulses.offsets[index] = min(random.int(0...31), bands.frameLength - 1 - line)
      pulses.amplitudes[index] = random.int(0...15)
      line += pulses.offsets[index]
    }
    return pulses
  }
}

extension TNSData {
  static func random(_ info: ICSInfo, _ random: inout SeededGenerator) -> TNSData {
    var data = TNSData()
    for window in 0..<info.windowCount {
      let count = random.int(0...(info.isShort ? 1 : 3))
      if count > 0, random.flag() { data.highResolution |= 1 << UInt8(window) }
      for _ in 0..<count {
        var filter = TNSData.Filter()
        filter.window = window
        filter.length = random.int(0...(info.isShort ? 15 : 63))
        filter.order = random.int(0...(info.isShort ? 7 : 20))
        if filter.order > 0 {
          filter.downward = random.flag()
          filter.compressed = random.flag()
          let width = 3 + Int(data.highResolution >> UInt8(window) & 1) - (filter.compressed ? 1 : 0)
          for index in 0..<filter.order {
            filter.coefficients[index] = Int8(random.int(-(1 << (width - 1))...(1 << (width - 1)) - 1))
          }
        }
        data.filters.append(filter)
      }
    }
    return data
  }
}

extension RawDataBlock {
  /// A block of random elements of all kinds but program configs.
  static func random(_ bands: ScaleFactorBands, _ random: inout SeededGenerator) -> RawDataBlock {
    var block = RawDataBlock()
    for tag in 0..<random.int(1...5) {
      switch random.int(0...5) {
      case 0: block.elements.append(.single(SingleChannel(tag: tag, stream: block.add(bands, nil, &random))))
      case 1:
        block.elements.append(.lowFrequency(SingleChannel(tag: tag, stream: block.add(bands, nil, &random))))
      case 2: block.addPair(tag, bands, &random)
      case 3: block.addCoupling(tag, bands, &random)
      case 4:
        let data = block.addBytes(random.int(0...DataStream.largestCount), &random)
        block.elements.append(.dataStream(DataStream(tag: tag, isAligned: random.flag(), bytes: data)))
      default:
        let data = block.addBytes(random.int(0...Fill.largestCount), &random)
        block.elements.append(.fill(Fill(bytes: data)))
      }
    }
    return block
  }

  private mutating func add(
    _ bands: ScaleFactorBands, _ info: ICSInfo?, _ random: inout SeededGenerator
  ) -> Int {
    streams.append(.random(bands, info: info, &random))
    streamCount += 1
    return streamCount - 1
  }

  private mutating func addPair(_ tag: Int, _ bands: ScaleFactorBands, _ random: inout SeededGenerator) {
    var pair = ChannelPair(tag: tag, commonWindow: random.flag())
    var info: ICSInfo?
    if pair.commonWindow {
      let common = ICSInfo.random(bands, &random)
      info = common
      pair.midSide.mode = MidSideMask.Mode(rawValue: random.int(0...2))!
      let all: UInt64 = 1 << UInt64(common.maxBand) - 1
      for group in 0..<common.groupCount where pair.midSide.mode != .off {
        pair.midSide.groups[group] = pair.midSide.mode == .all ? all : random.next() & all
      }
    }
    pair.left = add(bands, info, &random)
    pair.right = add(bands, info, &random)
    elements.append(.pair(pair))
  }

  private mutating func addCoupling(_ tag: Int, _ bands: ScaleFactorBands, _ random: inout SeededGenerator) {
    var element = CouplingChannel(tag: tag)
    element.isIndependent = random.flag()
    element.afterTNS = random.flag()
    element.hasSignedGains = random.flag()
    element.gainScale = random.int(0...3)
    let first = couplingTargets.count
    for _ in 0..<random.int(1...8) {
      var target = CouplingChannel.Target(isPair: random.flag(), tag: random.int(0...15))
      if target.isPair {
        target.left = random.flag()
        target.right = random.flag()
      }
      couplingTargets.append(target)
    }
    element.targets = first..<couplingTargets.count
    element.stream = add(bands, nil, &random)
    let firstList = gainListCount
    for index in 0..<element.listCount(in: couplingTargets) {
      var list = GainList()
      list.isCommon = index == 0 || element.isIndependent || random.flag()
      if list.isCommon {
        list.common = index == 0 ? 0 : random.int(-60...60)
      } else {
        let stream = streams[element.stream]
        var gain = 0
        for band in 0..<stream.bandCount where stream.codebooks[band] != 0 {
          gain += random.int(-60...60)
          list.bands[band] = Int16(gain)
        }
      }
      gainLists.append(list)
      gainListCount += 1
    }
    element.gainLists = firstList..<gainListCount
    elements.append(.coupling(element))
  }

  private mutating func addBytes(_ count: Int, _ random: inout SeededGenerator) -> Range<Int> {
    let first = bytes.count
    for _ in 0..<count { bytes.append(UInt8(random.int(0...255))) }
    return first..<bytes.count
  }
}
