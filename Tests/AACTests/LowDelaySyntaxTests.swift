import Testing

@testable import AAC

/// Payloads of low-delay replication, written and read back.
@Suite struct LowDelaySyntaxTests {
  @Test(arguments: [16, 15]) func transientGridsAreThoseOfTheTable(slots: Int) throws {
    let table = slots == 16 ? LowDelayStream.grids16 : LowDelayStream.grids15
    for position in 0..<16 {
      var bits = BitWriter()
      bits.put(1, 1)
      bits.put(position, 4)
      bits.put(0b101, 3)
      bits.alignToByte()
      var reader = BitReader(bits.bytes)
      var grid = SBRGrid()
      guard position < slots else {
        #expect(throws: AACError.self) { try grid.parseLowDelay(&reader, slots: slots) }
        continue
      }
      try grid.parseLowDelay(&reader, slots: slots)
      let starts = table[position]
      #expect(grid.envelopeCount == starts.count)
      for envelope in starts.indices { #expect(grid.borders[envelope] == starts[envelope]) }
      #expect(grid.end == slots && reader.position == 5 + starts.count)
      #expect(grid.transient == (position < 2 ? 0 : 1))
      #expect(grid.noiseCount == 2 && grid.noiseBorder == 1)
      #expect(grid.isHigh(0) && !grid.isHigh(1))
    }
  }

  /// Chains of payloads of a single and a pair element, one directly behind the other, with and without
  /// headers, extensions and checksums.
  @Test(arguments: [16, 15], [false, true]) func payloadsComeBack(slots: Int, checksum: Bool) throws {
    var random = SeededGenerator.printingSeed("payloadsComeBack \(slots) \(checksum)")
    var chains = 0
    while chains < 30 {
      let header = SBRSyntaxTests.header(&random)
      guard var bands = try? SBRBands(header, outputRate: 44100) else { continue }
      chains += 1
      var parsers = [1, 2].map {
        SBRElementParser(channelCount: $0, outputRate: 44100, slots: slots, lowDelay: header)
      }
      var current = header
      var previous = [1, 2].map { SBRData(channelCount: $0) }
      for frame in 0..<5 {
        var sent: SBRHeader?
        if frame == 3 {
          // Another header in the stream, or the same again.
          let other = random.flag() ? SBRSyntaxTests.header(&random) : current
          if let others = try? SBRBands(other, outputRate: 44100) {
            if current.resets(other) { previous = [1, 2].map { SBRData(channelCount: $0) } }
            (sent, current, bands) = (other, other, others)
          }
        }
        var bits = BitWriter()
        var ends: [Int] = []
        var all: [SBRData] = []
        for (index, channelCount) in [1, 2].enumerated() {
          let data = SBRSyntaxTests.data(
            &random, channelCount, current, bands, slots: slots,
            grid: { LowDelayStream.grid(&$0, slots: $1) })
          let extra = [UInt8](repeating: 0xFF, count: [0, 0, 1, 14, 15, 200][random.int(0...5)])
          SBRPayload.putLowDelay(
            data, header: sent, bands, slots: slots, previous: previous[index], checksum: checksum,
            extra: extra, to: &bits)
          ends.append(bits.bitCount)
          all.append(data)
        }
        bits.put(random.int(0...255), 8)
        bits.alignToByte()
        var reader = BitReader(bits.bytes)
        for index in 0..<2 {
          let result = try parsers[index].parseLowDelay(&reader, hasChecksum: checksum)
          #expect(result == .data && reader.position == ends[index], "chain \(chains), frame \(frame)")
          #expect(
            parsers[index].data.trimmed(bands) == all[index].trimmed(bands), "chain \(chains), frame \(frame)"
          )
          #expect(parsers[index].header == current && !parsers[index].hasFreshStereo)
        }
        previous = all
      }
    }
  }

  /// A payload that is wrong leaves what the next one depends on as it was, its header included.
  @Test(arguments: [false, true]) func brokenPayloadsChangeNothing(checksum: Bool) throws {
    var random = SeededGenerator.printingSeed("brokenPayloadsChangeNothing \(checksum)")
    let header = SBRPayload.header
    let bands = try SBRBands(header, outputRate: 44100)
    let start = SBRElementParser(channelCount: 1, outputRate: 44100, slots: 16, lowDelay: header)
    var other = header
    other.startFrequency = 7
    var damaged = 0
    var coincidences = 0
    for _ in 0..<200 {
      var parser = start
      let data = SBRSyntaxTests.data(
        &random, 1, header, bands, slots: 16, grid: { LowDelayStream.grid(&$0, slots: $1) })
      var bits = BitWriter()
      // The broken one tells of other bands.
      SBRPayload.putLowDelay(
        data, header: other, try SBRBands(other, outputRate: 44100), slots: 16, checksum: checksum, to: &bits)
      let count = bits.bitCount
      bits.alignToByte()
      var bytes = bits.bytes
      if checksum {
        let place = random.int(0...count - 1)
        bytes[place / 8] ^= 1 << UInt8(7 - place % 8)
      } else {
        bytes.removeLast(random.int(1...bytes.count))
      }
      var reader = BitReader(bytes)
      let result = try? parser.parseLowDelay(&reader, hasChecksum: checksum)
      if result == .data, reader.position != count {
        // It ends elsewhere, and by chance (one in a thousand) its ten bits fit what is there.
        coincidences += 1
        continue
      }
      #expect(result != .data)
      if result == .damaged { damaged += 1 }
      #expect(parser.header == header && parser.bands == bands && parser.data == start.data)
      // The next one is as if there had been none.
      bits = BitWriter()
      SBRPayload.putLowDelay(data, header: nil, bands, slots: 16, checksum: checksum, to: &bits)
      bits.alignToByte()
      reader = BitReader(bits.bytes)
      #expect(try parser.parseLowDelay(&reader, hasChecksum: checksum) == .data)
      #expect(parser.data.trimmed(bands) == data.trimmed(bands) && parser.hasReset)
    }
    #expect(checksum ? damaged > 20 : damaged == 0)
    #expect(coincidences < 5)
  }

  /// A reset forgets the data and any later header, not that of the configuration.
  @Test func resetsKeepTheConfigurationsHeader() throws {
    let header = SBRPayload.header
    var other = header
    other.crossoverBand = 2
    var parser = SBRElementParser(channelCount: 1, outputRate: 44100, slots: 16, lowDelay: header)
    var bits = BitWriter()
    SBRPayload.putLowDelay(
      SBRPayload.flat(1, level: 30, noise: 3), header: other, try SBRBands(other, outputRate: 44100),
      slots: 16,
      checksum: false, to: &bits)
    bits.alignToByte()
    var reader = BitReader(bits.bytes)
    _ = try parser.parseLowDelay(&reader, hasChecksum: false)
    #expect(parser.header == other)
    parser.reset()
    #expect(parser.header == header && parser.bands != nil && parser.isLowDelay)
    #expect(parser.data == SBRData(channelCount: 1) && parser.parametricStereo == nil)
  }
}
