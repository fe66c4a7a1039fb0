import Testing

@testable import AAC

@Suite struct ObjectTypeSyntaxTests {
  static let resilientTypes: [AudioObjectType] = [
    .errorResilientLowComplexity, .errorResilientLongTermPrediction, .lowDelay, .enhancedLowDelay,
  ]

  /// Writes, reads and writes again: both integers and bits must come back.
  @Test(arguments: resilientTypes, 0...7) func resilientBlocksComeBack(
    type: AudioObjectType, flags: Int
  ) throws {
    var random = SeededGenerator.printingSeed("type \(type.rawValue), flags \(flags)")
    for hertz in [48000, 32000, 22050] {
      let config = AudioSpecificConfig.of(type, flags: flags, hertz: hertz, frameLengthFlag: random.flag())
      try Self.roundTrip(config, &random)
    }
  }

  @Test(arguments: [AudioObjectType.main, .longTermPrediction]) func plainBlocksComeBack(
    type: AudioObjectType
  ) throws {
    var random = SeededGenerator.printingSeed("type \(type.rawValue)")
    for hertz in [96000, 44100, 8000] {
      try Self.roundTrip(.of(type, hertz: hertz, frameLengthFlag: random.flag()), &random)
    }
  }

  private static func roundTrip(_ config: AudioSpecificConfig, _ random: inout SeededGenerator) throws {
    var config = config
    let bands = config.bands
    var back = RawDataBlock()
    for number in [1, 2, 6] {
      config.channelConfiguration = number
      let syntax = StreamSyntax(config)
      let block = RawDataBlock.random(bands, syntax, &random)
      var writer = BitWriter()
      block.write(to: &writer, bands: bands)
      var reader = BitReader(writer.bytes)
      back.syntax = syntax
      try back.parse(&reader, bands: bands)
      #expect(reader.remaining < 8)
      #expect(back.extensions.isEmpty)
      #expect(back == block)
      var again = BitWriter()
      back.write(to: &again, bands: bands)
      #expect(again.bytes == writer.bytes)
      if !config.objectType.isErrorResilient {
        var scanner = try AccessUnitScanner(config)
        try scanner.scan(writer.bytes + [0], range: 0..<writer.bytes.count + 1)
        #expect(scanner.layout.byteCount == writer.bytes.count)
      }
    }
  }

  /// Against the standard's own way of telling the order and placing the bits, step by step.
  @Test(arguments: [0, 1]) func reorderedDataIsThatOfTheReference(flags: Int) throws {
    var random = SeededGenerator.printingSeed()
    var config = AudioSpecificConfig.of(.errorResilientLowComplexity, flags: flags | 4)
    for round in 0..<12 {
      config.frameLengthFlag = round & 1 != 0
      let bands = config.bands
      let stream = ChannelStream.random(bands, StreamSyntax(config), &random)
      var reordering = CodewordReordering()
      let (lengths, bits) = reordering.data(of: stream, bands: bands)
      let reference = ReorderingReference(stream, bands)
      #expect(lengths.data == reference.bits.count)
      #expect(lengths.longestCodeword == reference.longest)
      #expect(bits == reference.bits)
    }
  }

  @Test func reorderedDataOfWrongLengthThrows() throws {
    var random = SeededGenerator.printingSeed()
    let config = AudioSpecificConfig.of(.lowDelay, flags: 4, configuration: 1)
    let bands = config.bands
    var stream = ChannelStream()
    stream.info.maxBand = 20
    for band in 0..<20 { stream.codebooks[band] = UInt8(band % 11 + 1) }
    for line in 0..<bands.long[20] { stream.spectrum[line] = random.flag() ? 1 : -1 }
    var reordering = CodewordReordering()
    let (lengths, data) = reordering.data(of: stream, bands: bands)
    var writer = BitWriter()
    for bit in data { writer.put(bit) }
    for _ in 0..<100 { writer.put(0, 8) }
    var back = stream
    func parse(_ lengths: CodewordReordering.Lengths) throws(AACError) {
      var reader = BitReader(writer.bytes)
      try reordering.parse(&reader, lengths: lengths, into: &back, bands: bands)
    }
    try parse(lengths)
    #expect(back == stream)
    for length in [0, lengths.data / 4, lengths.data / 2] {
      var short = lengths
      short.data = length
      #expect(throws: AACError.self) { try parse(short) }
    }
    for longest in [0, 1] {
      var narrow = lengths
      narrow.longestCodeword = longest
      #expect(throws: AACError.self) { try parse(narrow) }
    }
  }

  /// A codeword cut off anywhere is not taken for another one.
  @Test func codewordsNeedAllTheirBits() throws {
    var random = SeededGenerator.printingSeed()
    for number in 1...11 {
      let book = SpectralCodebook.all[number]
      for _ in 0..<40 {
        var lines = (0..<4).map { _ in Int16(random.int(-book.lav...book.lav)) }
        if number == 11, random.flag() { lines[random.int(0...1)] = Int16(random.int(-8191...8191)) }
        var writer = BitWriter()
        SpectralData.write(lines, 0..<book.dimension, book: book, to: &writer)
        let length = writer.bitCount
        for _ in 0..<8 { writer.put(random.int(0...255), 8) }
        var reader = BitReader(writer.bytes)
        let window = UInt64(try reader.uint(32)) << 32 | UInt64(try reader.uint(32))
        for count in 0...49 {
          let cut = count == 0 ? 0 : window & ~(UInt64.max >> UInt64(count))
          let word = try? SpectralCodeword(cut, count: count, codebook: number, bitOffset: 0)
          #expect((word != nil) == (count >= length), "codebook \(number), \(count) of \(length) bits")
          guard let word else { continue }
          #expect(word.length == length)
          for place in 0..<book.dimension { #expect(word.values[place] == lines[place]) }
        }
      }
    }
  }

  @Test func virtualCodebooksLimitTheirLines() throws {
    let config = AudioSpecificConfig.of(.lowDelay, flags: 1, configuration: 1)
    let syntax = StreamSyntax(config)
    for (index, largest) in VirtualCodebooks.largestLines.enumerated() {
      for value in [largest, -largest, largest + 1, -largest - 1] {
        var stream = ChannelStream()
        stream.info.maxBand = 1
        stream.codebooks[0] = Codebook.escape
        stream.virtualCodebooks[0] = UInt8(16 + index)
        stream.spectrum[2] = Int16(value)
        var block = RawDataBlock()
        block.syntax = syntax
        block.streams = [stream]
        block.streamCount = 1
        block.elements = [.single(SingleChannel())]
        var writer = BitWriter()
        block.write(to: &writer, bands: config.bands)
        var back = RawDataBlock()
        back.syntax = syntax
        var reader = BitReader(writer.bytes)
        if abs(value) <= largest {
          try back.parse(&reader, bands: config.bands)
          #expect(back == block)
        } else {
          #expect(throws: AACError.self) { try back.parse(&reader, bands: config.bands) }
        }
      }
    }
  }

  @Test func reversibleCodewordsAreSymmetricAndComplete() throws {
    let book = ReversibleCodebook.self
    for (length, codeword) in zip(book.lengths, book.codewords) {
      for bit in 0..<UInt32(length) {
        #expect(codeword >> bit & 1 == codeword >> (UInt32(length) - 1 - bit) & 1)
      }
    }
    for lengths in [book.lengths + book.forbiddenLengths, book.escapeLengths] {
      #expect(lengths.reduce(0) { $0 + 1 << (20 - Int($1)) } == 1 << 20)
    }
    for (symbol, length) in book.escapeLengths.enumerated() {
      var writer = BitWriter()
      writer.put(Int(book.escapeCodewords[symbol]), Int(length))
      writer.put(0x5555, 16)
      writer.alignToByte()
      var reader = BitReader(writer.bytes)
      #expect(try book.escapeDecoding.decode(&reader) == symbol)
      #expect(reader.position == Int(length))
    }
  }

  @Test(arguments: [512, 480]) func lowDelayBandsAscend(frameLength: Int) {
    for hertz in SamplingRate.indexed {
      let bands = ScaleFactorBands.at(hertz, frameLength: frameLength)
      #expect(bands.long.first == 0 && bands.long.last == frameLength)
      for (low, high) in zip(bands.long, bands.long.dropFirst()) {
        #expect(low < high && (high - low) % 4 == 0)
      }
      #expect(bands.tnsMaxBandsLong <= bands.longCount)
    }
  }

  @Test func configurationsComeBack() throws {
    for type in Self.resilientTypes + [.main, .longTermPrediction] {
      for flags in type.isErrorResilient ? 0...7 : 0...0 {
        for isShort in [false, true] {
          var config = AudioSpecificConfig.of(type, flags: flags, frameLengthFlag: isShort, configuration: 6)
          #expect(try AudioSpecificConfig(parsing: config.bytes) == config)
          #expect(config.frameLength == (type.rawValue < 20 ? (isShort ? 960 : 1024) : isShort ? 480 : 512))
          guard type == .enhancedLowDelay else { continue }
          config.errorProtection = 1
          // A header with all fields, one with the first extra ones, one without and one with the second.
          config.lowDelaySBR = LowDelaySBRConfig(
            isDualRate: isShort, hasChecksums: !isShort,
            headers: [
              SBRHeaderBits(value: 3 << 11 | 5, count: 27), SBRHeaderBits(value: 2 << 5, count: 21),
              SBRHeaderBits(value: 0x1230 << 2, count: 16),
            ])
          let back = try AudioSpecificConfig(parsing: config.bytes)
          #expect(back == config)
        }
      }
    }
  }

  /// ELDSpecificConfig's extensions are passed over, whatever their size.
  @Test func enhancedLowDelayExtensionsArePassedOver() throws {
    let config = AudioSpecificConfig.of(.enhancedLowDelay, configuration: 1)
    for size in [0, 3, 14, 15, 200, 269, 270, 1000] {
      var bits = BitWriter()
      config.objectType.write(to: &bits)
      config.samplingRate.write(to: &bits)
      bits.put(1, 4)
      bits.put(0, 5)
      bits.put(2, 4)  // ELDEXT_LDSAC
      bits.put(min(size, 15), 4)
      if size >= 15 { bits.put(min(size - 15, 255), 8) }
      if size >= 270 { bits.put(size - 270, 16) }
      for _ in 0..<size { bits.put(0xAA, 8) }
      bits.put(0, 4)
      bits.put(0, 2)
      bits.alignToByte()
      #expect(try AudioSpecificConfig(parsing: bits.bytes) == config)
      #expect(throws: AACError.self) {
        try AudioSpecificConfig(parsing: Array(bits.bytes.dropLast(1 + size / 2)))
      }
    }
  }
}
