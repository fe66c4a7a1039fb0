/// `er_raw_data_block()`: the elements in the order of the channel configuration, without ids, then extension
/// payloads (table 4.4 and, for enhanced low delay, er_raw_data_block_eld()).
extension RawDataBlock {
  mutating func parseErrorResilient(
    _ bits: inout BitReader, _ bands: ScaleFactorBands
  ) throws(AACError) {
    for kind in syntax.elements {
      switch kind {
      case .single: elements.append(.single(try parseResilientSingle(&bits, bands)))
      case .lowFrequency: elements.append(.lowFrequency(try parseResilientSingle(&bits, bands)))
      case .pair: elements.append(.pair(try parseResilientPair(&bits, bands)))
      }
    }
    if !syntax.hasLowDelayReplication { parseResilientExtensions(&bits) }
  }

  /// Payloads take whole bytes. One that does not make sense hides what follows, and nothing else.
  mutating func parseResilientExtensions(_ bits: inout BitReader) {
    while bits.remaining >= 8 {
      let end = bits.position + bits.remaining / 8 * 8
      guard let payload = try? ExtensionPayload(parsing: &bits, end: end) else { return }
      extensions.append(payload)
    }
  }

  private mutating func parseResilientSingle(
    _ bits: inout BitReader, _ bands: ScaleFactorBands
  ) throws(AACError) -> SingleChannel {
    let tag = syntax.objectType == .enhancedLowDelay ? 0 : try bits.uint(4)
    return SingleChannel(tag: tag, stream: try parseStream(&bits, nil, bands))
  }

  private mutating func parseResilientPair(
    _ bits: inout BitReader, _ bands: ScaleFactorBands
  ) throws(AACError) -> ChannelPair {
    var pair: ChannelPair
    let info: ICSInfo?
    let rightInfo: ICSInfo?
    if syntax.objectType == .enhancedLowDelay {
      let common = try ICSInfo(parsingMaxBand: &bits, bands: bands)
      pair = ChannelPair(commonWindow: true)
      pair.midSide = try MidSideMask(parsing: &bits, info: common)
      info = common
      rightInfo = common
    } else {
      (pair, info, rightInfo) = try ChannelPair.parseHead(&bits, bands: bands, syntax: syntax)
    }
    pair.left = try parseStream(&bits, info, bands)
    pair.right = try parseStream(&bits, rightInfo, bands)
    return pair
  }
}

extension RawDataBlock {
  /// Writes the block's channel elements, which are those of the channel configuration in their order. The
  /// block ends with a whole byte, but for one that data of low-delay replication follows.
  func writeErrorResilient(to bits: inout BitWriter, bands: ScaleFactorBands) {
    for element in elements {
      switch element {
      case .single(let channel), .lowFrequency(let channel):
        if syntax.objectType != .enhancedLowDelay { bits.put(channel.tag, 4) }
        streams[channel.stream].writeErrorResilient(
          to: &bits, commonWindow: false, bands: bands, syntax: syntax)
      case .pair(let pair):
        let left = streams[pair.left]
        let right = streams[pair.right]
        if syntax.objectType == .enhancedLowDelay {
          bits.put(left.info.maxBand, 6)
          pair.midSide.write(to: &bits, info: left.info)
        } else {
          pair.writeHead(left.info, right.info, to: &bits, syntax: syntax)
        }
        left.writeErrorResilient(
          to: &bits, commonWindow: pair.commonWindow, bands: bands, syntax: syntax)
        right.writeErrorResilient(
          to: &bits, commonWindow: pair.commonWindow, bands: bands, syntax: syntax)
      default: break
      }
    }
    if !syntax.hasLowDelayReplication { bits.alignToByte() }
  }
}
