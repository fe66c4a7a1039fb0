@testable import AAC

/// Low-delay streams with spectral band replication, for tests.
struct LowDelayStream {
  /// The grids with a transient: for each position the envelope borders, without the frame's end.
  static let grids16: [[Int]] = [
    [0, 4], [0, 5], [0, 2, 6], [0, 3, 7], [0, 4, 8], [0, 5, 9], [0, 6, 10], [0, 7, 11], [0, 8, 12],
    [0, 9, 13],
    [0, 10, 14], [0, 11], [0, 12], [0, 13], [0, 14], [0, 15],
  ]
  static let grids15: [[Int]] = [
    [0, 4], [0, 5], [0, 2, 6], [0, 3, 7], [0, 4, 8], [0, 5, 9], [0, 6, 10], [0, 7, 11], [0, 8, 12],
    [0, 9, 13],
    [0, 10], [0, 11], [0, 12], [0, 13], [0, 14],
  ]

  static func grid(_ random: inout SeededGenerator, slots: Int) -> SBRGrid {
    var grid = SBRGrid()
    if random.flag() {
      grid.envelopeCount = [1, 2, 4].randomElement(using: &random)!
      let borders = slots == 16 ? [0, 4, 8, 12, 16] : [0, 4, 8, 12, 15]
      for envelope in 0..<grid.envelopeCount {
        grid.borders[envelope] = borders[envelope * 4 / grid.envelopeCount]
      }
      grid.borders[grid.envelopeCount] = slots
      grid.resolutions = random.flag() ? 0xFF : 0
      if grid.envelopeCount == 1 { grid.isCoarseAlone = random.flag() }
      return grid
    }
    let position = random.int(0...slots - 1)
    grid.setTransient(position, slots: slots)
    for envelope in 0..<grid.envelopeCount where random.flag() { grid.resolutions |= 1 << UInt8(envelope) }
    return grid
  }

  let config: AudioSpecificConfig
  let header: SBRHeader
  let bands: SBRBands
  var slots: Int { config.frameLength / 32 }
  var hasChecksums: Bool { config.lowDelaySBR?.hasChecksums == true }

  init(
    hertz: Int = 22050, channels: Int = 1, isShort: Bool = false, isDual: Bool = true,
    checksums: Bool = false,
    header: SBRHeader = SBRPayload.header
  ) throws {
    var config = AudioSpecificConfig.of(
      .enhancedLowDelay, hertz: hertz, frameLengthFlag: isShort, configuration: channels)
    var bits = BitWriter()
    header.write(to: &bits)
    let count = bits.bitCount
    bits.alignToByte()
    var reader = BitReader(bits.bytes)
    let coded = SBRHeaderBits(value: try reader.uint(count), count: count)
    config.lowDelaySBR = LowDelaySBRConfig(
      isDualRate: isDual, hasChecksums: checksums,
      headers: config.elements.filter { $0.kind != .lowFrequency }.map { _ in coded })
    self.config = config
    self.header = header
    bands = try SBRBands(header, outputRate: 2 * hertz)
  }

  /// One envelope, all of it at one level, one noise floor.
  func flat(_ channelCount: Int, level: Int, noise: Int) -> SBRData {
    var data = SBRPayload.flat(channelCount, level: level, noise: noise)
    for channel in data.channels.indices { data.channels[channel].grid.borders[1] = slots }
    return data
  }

  /// An access unit: `core`, then the payloads.
  func unit(_ core: RawDataBlock, _ write: (inout BitWriter) -> Void) -> [UInt8] {
    var core = core
    core.syntax = StreamSyntax(config)
    var bits = BitWriter()
    core.write(to: &bits, bands: config.bands)
    write(&bits)
    bits.alignToByte()
    return bits.bytes
  }

  func unit(_ core: RawDataBlock, _ data: [SBRData], header: SBRHeader? = nil, extra: [UInt8] = []) -> [UInt8]
  {
    unit(core) { bits in
      for part in data {
        SBRPayload.putLowDelay(
          part, header: header, bands, slots: slots, checksum: hasChecksums, extra: extra, to: &bits)
      }
    }
  }

  /// A single channel with a few lines.
  func core(lines: [Int: Int16], gain: Int = 140) -> RawDataBlock {
    let bands = config.bands
    var stream = ChannelStream()
    stream.globalGain = gain
    stream.info.maxBand = bands.longCount
    for band in 0..<bands.longCount
    where lines.keys.contains(where: { bands.long[band]..<bands.long[band + 1] ~= $0 }) {
      stream.codebooks[band] = Codebook.escape
      stream.scaleFactors[band] = Int16(gain)
    }
    for (line, value) in lines { stream.spectrum[line] = value }
    var block = RawDataBlock()
    block.streams = [stream]
    block.streamCount = 1
    block.elements = [.single(SingleChannel())]
    return block
  }
}

extension SBRGrid {
  mutating func setTransient(_ position: Int, slots: Int) {
    let starts = (slots == 16 ? LowDelayStream.grids16 : LowDelayStream.grids15)[position]
    frameClass = .transient
    pointer = position
    envelopeCount = starts.count
    for (index, start) in starts.enumerated() { borders[index] = start }
    borders[envelopeCount] = slots
  }
}

extension SBRData {
  /// The data without what is left of other frames in places that are not in use.
  func trimmed(_ bands: SBRBands) -> SBRData {
    var result = SBRData(channelCount: channels.count)
    result.isCoupled = isCoupled
    for (index, channel) in channels.enumerated() {
      var kept = channel
      kept.envelopes = result.channels[index].envelopes
      kept.noises = result.channels[index].noises
      for envelope in 0..<channel.grid.envelopeCount {
        for band in 0..<(channel.grid.isHigh(envelope) ? bands.highCount : bands.lowCount) {
          let place = envelope * SBRChannelData.stride + band
          kept.envelopes[place] = channel.envelopes[place]
        }
      }
      for floor in 0..<channel.grid.noiseCount {
        for band in 0..<bands.noiseCount {
          let place = floor * SBRChannelData.noiseStride + band
          kept.noises[place] = channel.noises[place]
        }
      }
      for border in channel.grid.envelopeCount + 1..<8 { kept.grid.borders[border] = 0 }
      for band in bands.noiseCount..<8 { kept.inverseFilters[band] = 0 }
      result.channels[index] = kept
    }
    return result
  }
}
