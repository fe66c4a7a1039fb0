/// `raw_data_block()`: the elements of one access unit, as integers (4.4.2.1, table 4.3).
///
/// Elements refer to what they carry by place in the pools (`streams`, `bytes`, …), which keep their storage
/// when the block is read into again.
struct RawDataBlock: Sendable {
  enum Element: Equatable, Sendable {
    case single(SingleChannel)
    case pair(ChannelPair)
    case coupling(CouplingChannel)
    case lowFrequency(SingleChannel)
    case dataStream(DataStream)
    case programConfig(ProgramConfig)
    case fill(Fill)
  }

  /// Sixteen of each channel element, and more data and fill elements than any sensible stream has.
  static let largestElementCount = 256
  static let largestStreamCount = 16 * 5

  /// In bit-stream order, without the terminator.
  var elements: [Element] = []
  var streams: [ChannelStream] = []
  /// Streams in use; those behind are spare.
  var streamCount = 0
  var couplingTargets: [CouplingChannel.Target] = []
  var gainLists: [GainList] = []
  var gainListCount = 0
  var bytes: [UInt8] = []
  var extensions: [ExtensionPayload] = []
  /// What the block is read and written by.
  var syntax = StreamSyntax()
  /// Scratch of the error-resilient syntax.
  var reordering = CodewordReordering()
}

extension RawDataBlock {
  /// Forgets the elements and keeps the storage.
  mutating func removeAll() {
    elements.removeAll(keepingCapacity: true)
    streamCount = 0
    couplingTargets.removeAll(keepingCapacity: true)
    gainListCount = 0
    bytes.removeAll(keepingCapacity: true)
    extensions.removeAll(keepingCapacity: true)
  }

  /// Reads a block into `self`, including the alignment behind its end.
  mutating func parse(_ bits: inout BitReader, bands: ScaleFactorBands) throws(AACError) {
    removeAll()
    if syntax.isErrorResilient {
      try parseErrorResilient(&bits, bands)
      return
    }
    while true {
      let id = try SyntaxElementID(parsing: &bits)
      guard id == .end || elements.count < Self.largestElementCount else {
        throw bits.failure(.inconsistent("more than \(Self.largestElementCount) elements in a block"))
      }
      switch id {
      case .singleChannel: elements.append(.single(try parseSingle(&bits, bands)))
      case .channelPair: elements.append(.pair(try parsePair(&bits, bands)))
      case .couplingChannel: elements.append(.coupling(try parseCoupling(&bits, bands)))
      case .lowFrequency: elements.append(.lowFrequency(try parseSingle(&bits, bands)))
      case .dataStream: elements.append(.dataStream(try DataStream(parsing: &bits, into: &bytes)))
      case .programConfig: elements.append(.programConfig(try ProgramConfig(parsing: &bits)))
      case .fill:
        elements.append(.fill(try Fill(parsing: &bits, into: &bytes, extensions: &extensions)))
      case .end:
        try bits.alignToByte()
        return
      }
    }
  }

  private mutating func parseSingle(
    _ bits: inout BitReader, _ bands: ScaleFactorBands
  ) throws(AACError) -> SingleChannel {
    let tag = try bits.uint(4)
    return SingleChannel(tag: tag, stream: try parseStream(&bits, nil, bands))
  }

  private mutating func parsePair(
    _ bits: inout BitReader, _ bands: ScaleFactorBands
  ) throws(AACError) -> ChannelPair {
    var (pair, info, rightInfo) = try ChannelPair.parseHead(&bits, bands: bands, syntax: syntax)
    pair.left = try parseStream(&bits, info, bands)
    pair.right = try parseStream(&bits, rightInfo, bands)
    return pair
  }

  private mutating func parseCoupling(
    _ bits: inout BitReader, _ bands: ScaleFactorBands
  ) throws(AACError) -> CouplingChannel {
    var element = try CouplingChannel.parseHead(&bits, targets: &couplingTargets)
    element.stream = try parseStream(&bits, nil, bands)
    let first = gainListCount
    for list in 0..<element.listCount(in: couplingTargets) {
      if gainListCount == gainLists.count { gainLists.append(GainList()) }
      if list == 0 {
        gainLists[gainListCount].setUnity()
      } else {
        try gainLists[gainListCount].parse(
          &bits, independent: element.isIndependent, stream: streams[element.stream])
      }
      gainListCount += 1
    }
    element.gainLists = first..<gainListCount
    return element
  }

  /// Reads a channel stream into the next spare one and returns its place.
  mutating func parseStream(
    _ bits: inout BitReader, _ commonInfo: ICSInfo?, _ bands: ScaleFactorBands
  ) throws(AACError) -> Int {
    guard streamCount < Self.largestStreamCount else {
      throw bits.failure(.inconsistent("more than \(Self.largestStreamCount) channels in a block"))
    }
    if streamCount == streams.count { streams.append(ChannelStream()) }
    if syntax.isErrorResilient {
      try streams[streamCount].parseErrorResilient(
        &bits, commonInfo: commonInfo, bands: bands, syntax: syntax, reordering: &reordering)
    } else {
      try streams[streamCount].parse(&bits, commonInfo: commonInfo, bands: bands, syntax: syntax)
    }
    streamCount += 1
    return streamCount - 1
  }
}

extension RawDataBlock {
  /// Writes the block with its terminator and the alignment behind it.
  func write(to bits: inout BitWriter, bands: ScaleFactorBands) {
    if syntax.isErrorResilient {
      writeErrorResilient(to: &bits, bands: bands)
      return
    }
    for element in elements { write(element, to: &bits, bands: bands) }
    SyntaxElementID.end.write(to: &bits)
    bits.alignToByte()
  }

  private func write(_ element: Element, to bits: inout BitWriter, bands: ScaleFactorBands) {
    switch element {
    case .single(let channel):
      SyntaxElementID.singleChannel.write(to: &bits)
      SingleChannel.write(tag: channel.tag, streams[channel.stream], to: &bits, bands: bands, syntax: syntax)
    case .lowFrequency(let channel):
      SyntaxElementID.lowFrequency.write(to: &bits)
      SingleChannel.write(tag: channel.tag, streams[channel.stream], to: &bits, bands: bands, syntax: syntax)
    case .pair(let pair):
      SyntaxElementID.channelPair.write(to: &bits)
      pair.write(streams[pair.left], streams[pair.right], to: &bits, bands: bands, syntax: syntax)
    case .coupling(let channel):
      SyntaxElementID.couplingChannel.write(to: &bits)
      channel.writeHead(to: &bits, targets: couplingTargets)
      let stream = streams[channel.stream]
      stream.write(to: &bits, commonWindow: false, bands: bands, syntax: syntax)
      for list in gainLists[channel.gainLists].dropFirst() {
        list.write(to: &bits, independent: channel.isIndependent, stream: stream)
      }
    case .dataStream(let data):
      SyntaxElementID.dataStream.write(to: &bits)
      DataStream.write(tag: data.tag, aligned: data.isAligned, bytes[data.bytes], to: &bits)
    case .programConfig(let config):
      SyntaxElementID.programConfig.write(to: &bits)
      config.write(to: &bits)
    case .fill(let fill):
      SyntaxElementID.fill.write(to: &bits)
      Fill.write(bytes[fill.bytes], to: &bits)
    }
  }
}

extension RawDataBlock: Equatable {
  /// Compares what would be written.
  static func == (left: RawDataBlock, right: RawDataBlock) -> Bool {
    left.elements == right.elements
      && left.streams.prefix(left.streamCount) == right.streams.prefix(right.streamCount)
      && left.couplingTargets == right.couplingTargets
      && left.gainLists.prefix(left.gainListCount) == right.gainLists.prefix(right.gainListCount)
      && left.bytes == right.bytes
  }
}
