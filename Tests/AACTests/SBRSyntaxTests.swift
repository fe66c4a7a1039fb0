import Testing

@testable import AAC

/// Payloads of spectral band replication, written and read back.
@Suite struct SBRSyntaxTests {
  static func header(_ random: inout SeededGenerator) -> SBRHeader {
    var header = SBRHeader()
    header.isCoarse = Bool.random(using: &random)
    header.startFrequency = Int.random(in: 0...15, using: &random)
    header.stopFrequency = Int.random(in: 0...15, using: &random)
    header.crossoverBand = Int.random(in: 0...3, using: &random)
    header.frequencyScale = Int.random(in: 0...3, using: &random)
    header.altersScale = Bool.random(using: &random)
    header.noiseBands = Int.random(in: 0...3, using: &random)
    header.limiterBands = Int.random(in: 0...3, using: &random)
    header.limiterGains = Int.random(in: 0...3, using: &random)
    header.interpolates = Bool.random(using: &random)
    header.smooths = Bool.random(using: &random)
    return header
  }

  static func grid(_ random: inout SeededGenerator, slots: Int) -> SBRGrid {
    var grid = SBRGrid()
    grid.frameClass = SBRGrid.FrameClass(rawValue: Int.random(in: 0...3, using: &random))!
    if grid.frameClass == .fixed {
      grid.envelopeCount = [1, 2, 4].randomElement(using: &random)!
      let step = (slots + grid.envelopeCount / 2) / grid.envelopeCount
      for envelope in 0..<grid.envelopeCount { grid.borders[envelope] = envelope * step }
      grid.borders[grid.envelopeCount] = slots
      grid.resolutions = Bool.random(using: &random) ? 0xFF : 0
      return grid
    }
    let count = Int.random(in: 1...(grid.frameClass == .variable ? 5 : 4), using: &random)
    grid.envelopeCount = count
    let start = grid.frameClass == .fixedVariable ? 0 : Int.random(in: 0...3, using: &random)
    let end = slots + (grid.frameClass == .variableFixed ? 0 : Int.random(in: 0...3, using: &random))
    grid.borders[0] = start
    grid.borders[count] = end
    // One width is what the others, of 2, leave.
    let leading = grid.frameClass == .variableFixed ? count - 1 : max(0, count - 4)
    if grid.frameClass == .fixedVariable || grid.frameClass == .variable {
      for envelope in 0..<leading { grid.borders[envelope + 1] = grid.borders[envelope] + 2 }
      for envelope in (leading + 1..<max(count, leading + 1)).reversed() {
        grid.borders[envelope] = grid.borders[envelope + 1] - 2
      }
    } else {
      for envelope in 0..<leading { grid.borders[envelope + 1] = grid.borders[envelope] + 2 }
    }
    grid.pointer = Int.random(in: 0...count + 1, using: &random)
    let pointerBits = count + 1 <= 2 ? 1 : count + 1 <= 4 ? 2 : 3
    grid.pointer = min(grid.pointer, (1 << pointerBits) - 1)
    for envelope in 0..<count where Bool.random(using: &random) { grid.resolutions |= 1 << UInt8(envelope) }
    return grid
  }

  static func data(
    _ random: inout SeededGenerator, _ channelCount: Int, _ header: SBRHeader, _ bands: SBRBands, slots: Int,
    grid: (inout SeededGenerator, Int) -> SBRGrid = { Self.grid(&$0, slots: $1) }
  ) -> SBRData {
    var data = SBRData(channelCount: channelCount)
    data.isCoupled = channelCount == 2 && Bool.random(using: &random)
    for channel in 0..<channelCount {
      var part = SBRChannelData()
      part.grid = channel == 1 && data.isCoupled ? data.channels[0].grid : grid(&random, slots)
      let isAlone = part.grid.frameClass == .fixed && part.grid.envelopeCount == 1
      part.isCoarse = isAlone ? part.grid.isCoarseAlone : header.isCoarse
      // Even in the second channel, which may be coupled in the next frame.
      let step = channel + 1
      // Within what all books can say as a difference.
      for envelope in 0..<part.grid.envelopeCount {
        for band in 0..<(part.grid.isHigh(envelope) ? bands.highCount : bands.lowCount) {
          part.envelopes[envelope * 48 + band] = Int16(step * Int.random(in: 0...12, using: &random))
        }
        if Bool.random(using: &random) { part.timeEnvelopes |= 1 << UInt8(envelope) }
      }
      for floor in 0..<part.grid.noiseCount {
        for band in 0..<bands.noiseCount {
          part.noises[floor * 5 + band] = Int16(step * Int.random(in: 0...12, using: &random))
        }
        if Bool.random(using: &random) { part.timeNoises |= 1 << UInt8(floor) }
      }
      for band in 0..<bands.noiseCount {
        part.inverseFilters[band] =
          channel == 1 && data.isCoupled
          ? data.channels[0].inverseFilters[band] : UInt8.random(in: 0...3, using: &random)
      }
      if Bool.random(using: &random) {
        part.harmonics =
          UInt64.random(in: 0...UInt64.max, using: &random) & ((1 << UInt64(bands.highCount)) - 1)
      }
      data.channels[channel] = part
    }
    return data
  }

  @Test func headersComeBack() throws {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<300 {
      let header = Self.header(&random)
      var bits = BitWriter()
      header.write(to: &bits)
      bits.alignToByte()
      var reader = BitReader(bits.bytes)
      #expect(try SBRHeader(parsing: &reader) == header)
    }
  }

  /// Chains of frames, so that differences in time start from what came before.
  @Test(arguments: [1, 2], [16, 15]) func dataComesBack(channelCount: Int, slots: Int) throws {
    let seed = UInt64(channelCount * 100 + slots)
    var random = SeededGenerator(seed: seed)
    var chains = 0
    while chains < 40 {
      let header = Self.header(&random)
      guard let bands = try? SBRBands(header, outputRate: 44100) else { continue }
      chains += 1
      var previous = SBRData(channelCount: channelCount)
      for frame in 0..<4 {
        let data = Self.data(&random, channelCount, header, bands, slots: slots)
        var bits = BitWriter()
        SBRPayload.put(data, bands, slots: slots, previous: previous, to: &bits)
        let count = bits.bitCount
        bits.alignToByte()
        var reader = BitReader(bits.bytes)
        var result = SBRData(channelCount: channelCount)
        try result.parse(&reader, header: header, bands: bands, slots: slots, previous: previous)
        #expect(reader.position == count, "seed \(seed), chain \(chains), frame \(frame)")
        #expect(result == data, "seed \(seed), chain \(chains), frame \(frame)")
        previous = data
      }
    }
  }

  /// A frame that is wrong leaves what the next one depends on as it was.
  @Test func brokenPayloadsChangeNothing() throws {
    let header = SBRPayload.header
    let bands = try SBRBands(header, outputRate: 44100)
    var parser = SBRElementParser(channelCount: 1, outputRate: 44100, slots: 16)
    let whole = SBRPayload.bytes(
      SBRPayload.flat(1, level: 40, noise: 6), header: header, bands, checksum: true)
    var bits = BitReader(whole)
    #expect(try bits.uint(4) == 14)
    #expect(try parser.parse(&bits, hasChecksum: true))
    #expect(parser.hasReset && parser.header == header)
    let before = parser.data
    var broken = whole
    broken[broken.count / 2] ^= 4
    var other = BitReader(broken)
    try other.skip(4)
    #expect(throws: AACError.self) { try parser.parse(&other, hasChecksum: true) }
    for length in 1..<whole.count {
      var short = BitReader(Array(whole.prefix(length)))
      try short.skip(4)
      _ = try? short.skip(10)
      _ = try? parser.parse(&short, hasChecksum: false)
    }
    #expect(parser.data == before)
  }

  /// Random bits are read as something that fits, or refused.
  @Test(arguments: 1...4) func anyBitsAreSafe(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var accepted = 0
    for channelCount in 1...2 {
      var parser = SBRElementParser(
        channelCount: channelCount, outputRate: 48000, slots: seed % 2 == 0 ? 16 : 15)
      for _ in 0..<2000 {
        var bytes = (0..<Int.random(in: 1...80, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
        if Bool.random(using: &random) { bytes[0] |= 0x80 }
        var bits = BitReader(bytes)
        guard let hasData = try? parser.parse(&bits, hasChecksum: false), hasData else { continue }
        accepted += 1
        let bands = try #require(parser.bands)
        for channel in parser.data.channels {
          #expect(channel.grid.end <= parser.slots + 3 && channel.grid.start >= 0)
          #expect(channel.harmonics >> UInt64(bands.highCount) == 0)
          #expect((0...channel.grid.envelopeCount).contains(channel.grid.noiseBorder))
          #expect((-1...channel.grid.envelopeCount).contains(channel.grid.transient))
        }
        if let stereo = parser.parametricStereo?.current {
          #expect((1...5).contains(stereo.envelopeCount))
          #expect(stereo.border(stereo.envelopeCount) == 2 * parser.slots)
        }
      }
    }
    #expect(accepted > 0, "seed \(seed)")
  }
}
