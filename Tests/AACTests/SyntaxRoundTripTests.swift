import PCM
import Testing

@testable import AAC

@Suite struct SyntaxRoundTripTests {
  /// Writes, reads and writes again: both integers and bits must come back.
  @Test(arguments: [(44100, 1024), (96000, 1024), (8000, 1024), (32000, 960), (48000, 960), (64000, 960)])
  func blocksComeBack(hertz: Int, frameLength: Int) throws {
    var random = SeededGenerator.printingSeed()
    let bands = ScaleFactorBands.at(hertz, frameLength: frameLength)
    var back = RawDataBlock()
    for _ in 0..<12 {
      let block = RawDataBlock.random(bands, &random)
      var writer = BitWriter()
      block.write(to: &writer, bands: bands)
      var reader = BitReader(writer.bytes)
      try back.parse(&reader, bands: bands)
      #expect(reader.remaining == 0)
      #expect(back.withoutExtensions == block)
      var again = BitWriter()
      back.write(to: &again, bands: bands)
      #expect(again.bytes == writer.bytes)
    }
  }

  @Test func aShortenedBlockThrows() throws {
    var random = SeededGenerator.printingSeed()
    let bands = ScaleFactorBands.at(44100)
    let block = RawDataBlock.random(bands, &random)
    var writer = BitWriter()
    block.write(to: &writer, bands: bands)
    var back = RawDataBlock()
    for _ in 0..<60 {
      let count = random.int(0...writer.bytes.count - 1)
      var reader = BitReader(writer.bytes, range: 0..<count)
      #expect(throws: AACError.self) { try back.parse(&reader, bands: bands) }
    }
  }

  @Test func programConfigsComeBackInsideOfABlock() throws {
    let config = try #require(ProgramConfig(layout: .surround71, samplingRateIndex: 3))
    var block = RawDataBlock()
    block.elements = [
      .dataStream(DataStream(tag: 1, isAligned: false, bytes: 0..<3)), .programConfig(config),
    ]
    block.bytes = [1, 2, 3]
    var writer = BitWriter()
    let bands = ScaleFactorBands.at(48000)
    block.write(to: &writer, bands: bands)
    var back = RawDataBlock()
    var reader = BitReader(writer.bytes)
    try back.parse(&reader, bands: bands)
    #expect(back == block)
  }

  @Test func dynamicRangeComesBack() throws {
    var random = SeededGenerator.printingSeed()
    for _ in 0..<50 {
      var info = DynamicRangeInfo()
      if random.flag() { info.programTag = random.int(0...15) }
      info.exclusionGroups = random.int(0...8)
      let excludable = info.exclusionGroups * 7
      info.excludedChannels = excludable == 0 ? 0 : random.next() >> UInt64(64 - excludable)
      info.hasBands = random.flag()
      if info.hasBands {
        info.bandCount = random.int(1...16)
        info.interpolationScheme = random.int(0...15)
        for band in 0..<info.bandCount { info.bandTops[band] = UInt8(random.int(0...255)) }
      }
      if random.flag() { info.referenceLevel = random.int(0...127) }
      for band in 0..<info.bandCount { info.gains[band] = Int8(random.int(-127...127)) }
      var writer = BitWriter()
      writer.put(11, 4)
      info.write(to: &writer)
      writer.alignToByte()
      var reader = BitReader(writer.bytes)
      let payload = try ExtensionPayload(parsing: &reader, end: writer.bitCount)
      #expect(payload.content == .dynamicRange(info))
      #expect(reader.remaining == 0)
    }
  }

  @Test func fillListsItsPayloads() throws {
    var payload = BitWriter()
    payload.put(11, 4)
    DynamicRangeInfo().write(to: &payload)
    payload.alignToByte()
    let content = payload.bytes + [0xD0, 1, 2, 3]  // and spectral band replication behind it
    var element = BitWriter()
    Fill.write(content[...], to: &element)
    element.alignToByte()
    var reader = BitReader(element.bytes)
    var bytes: [UInt8] = []
    var extensions: [ExtensionPayload] = []
    let fill = try Fill(parsing: &reader, into: &bytes, extensions: &extensions)
    #expect(Array(bytes[fill.bytes]) == content)
    #expect(
      extensions.map(\.content) == [
        .dynamicRange(DynamicRangeInfo()), .spectralBandReplication(hasChecksum: false),
      ])
    let start = 4 + payload.bitCount + 4
    #expect(extensions.last?.bits == start..<4 + content.count * 8)
  }

  @Test func paddingHasTheSizeAskedFor() throws {
    let bands = ScaleFactorBands.at(44100)
    for bitCount in [0, 6, 7, 8, 15, 100, 126, 127, 128, 135, 2167, 2168, 5000, 12345] {
      var writer = BitWriter()
      let written = Fill.write(bitCount: bitCount, to: &writer)
      #expect(written == writer.bitCount)
      #expect(written <= bitCount && bitCount - written <= 15, "\(bitCount) bits")
      SyntaxElementID.end.write(to: &writer)
      writer.alignToByte()
      var block = RawDataBlock()
      var reader = BitReader(writer.bytes)
      try block.parse(&reader, bands: bands)
      #expect(block.extensions.allSatisfy { $0.content == .fillData })
    }
    var writer = BitWriter()
    #expect(Fill.write(byteCount: 10, to: &writer) == 79)
  }

  @Test func costsAreWhatIsWritten() {
    var random = SeededGenerator.printingSeed()
    let bands = ScaleFactorBands.at(48000)
    for _ in 0..<40 {
      let stream = ChannelStream.random(bands, &random)
      var writer = BitWriter()
      SectionData.write(stream.codebooks, info: stream.info, to: &writer)
      #expect(SectionData.bits(of: stream.codebooks, info: stream.info) == writer.bitCount)
      writer.removeAll()
      ScaleFactors.write(stream, to: &writer)
      #expect(ScaleFactors.bits(of: stream) == writer.bitCount)
    }
    // Sections as long as the length field tells in one go, and longer.
    for (isShort, bandCount) in [(false, 30), (false, 31), (false, 32), (false, 49), (true, 7), (true, 14)] {
      var stream = ChannelStream()
      stream.info.windowSequence = isShort ? .eightShort : .onlyLong
      stream.info.maxBand = bandCount
      for band in 0..<stream.bandCount { stream.codebooks[band] = 7 }
      var writer = BitWriter()
      SectionData.write(stream.codebooks, info: stream.info, to: &writer)
      #expect(SectionData.bits(of: stream.codebooks, info: stream.info) == writer.bitCount, "\(bandCount)")
    }
    for delta in -60...60 {
      var writer = BitWriter()
      ScaleFactors.put(delta, to: &writer)
      #expect(ScaleFactors.bits(forDelta: delta) == writer.bitCount)
    }
  }
}

extension RawDataBlock {
  /// The block as it is before reading has listed the payloads of its fill elements.
  var withoutExtensions: RawDataBlock {
    var block = self
    block.elements = elements.map { element in
      guard case .fill(var fill) = element else { return element }
      fill.extensions = 0..<0
      return .fill(fill)
    }
    return block
  }
}
