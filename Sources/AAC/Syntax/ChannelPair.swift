/// `channel_pair_element()`: a tag, what the two channels share, and two channel streams.
struct ChannelPair: Equatable, Sendable {
  var tag = 0  // element_instance_tag
  /// Both channels use the same ics_info.
  var commonWindow = false
  /// Which bands are coded as middle and side; only with a common window.
  var midSide = MidSideMask()
  /// Places of the channel streams in the block's `streams`.
  var left = 0
  var right = 0
}

/// ms_mask_present and ms_used: bands coded as middle and side.
struct MidSideMask: Equatable, Sendable {
  enum Mode: Int, Sendable {
    case off = 0
    case perBand = 1
    case all = 2
  }

  var mode: Mode = .off
  /// For each group a bit for each band (bit 0: band 0). Set for every coded band where `mode` is `all`.
  var groups = SIMD8<UInt64>(repeating: 0)

  @inline(__always)
  func uses(group: Int, band: Int) -> Bool { groups[group] >> UInt64(band) & 1 != 0 }
}

extension MidSideMask {
  init(parsing bits: inout BitReader, info: ICSInfo) throws(AACError) {
    let start = bits.position
    guard let mode = Mode(rawValue: try bits.uint(2)) else {
      throw AACError(.reserved("ms_mask_present", value: 3), bitOffset: start)
    }
    self.mode = mode
    switch mode {
    case .off:
      break
    case .perBand:
      for group in 0..<info.groupCount {
        var mask: UInt64 = 0
        for band in 0..<info.maxBand where try bits.flag() { mask |= 1 << UInt64(band) }
        groups[group] = mask
      }
    case .all:
      for group in 0..<info.groupCount { groups[group] = 1 << UInt64(info.maxBand) - 1 }
    }
  }

  func write(to bits: inout BitWriter, info: ICSInfo) {
    bits.put(mode.rawValue, 2)
    guard mode == .perBand else { return }
    for group in 0..<info.groupCount {
      // Band 0 comes first, in chunks that the writer takes.
      for band in stride(from: 0, to: info.maxBand, by: 32) {
        let count = min(32, info.maxBand - band)
        var word = 0
        for next in band..<band + count { word = word << 1 | (uses(group: group, band: next) ? 1 : 0) }
        bits.put(word, count)
      }
    }
  }
}

extension ChannelPair {
  /// Reads the part in front of the channel streams. The shared ics_info is `nil` without a common window;
  /// `rightInfo` differs from it in the long-term prediction only.
  static func parseHead(
    _ bits: inout BitReader, bands: ScaleFactorBands, syntax: StreamSyntax = StreamSyntax()
  ) throws(AACError) -> (pair: ChannelPair, info: ICSInfo?, rightInfo: ICSInfo?) {
    var pair = ChannelPair()
    pair.tag = try bits.uint(4)
    pair.commonWindow = try bits.flag()
    guard pair.commonWindow else { return (pair, nil, nil) }
    let info = try ICSInfo(parsing: &bits, bands: bands, syntax: syntax)
    var rightInfo = info
    try rightInfo.parseLTPData(&bits, bands, syntax)
    pair.midSide = try MidSideMask(parsing: &bits, info: info)
    return (pair, info, rightInfo)
  }

  /// Writes the element after its id. With a common window `left.info` serves both channels.
  func write(
    _ left: ChannelStream, _ right: ChannelStream, to bits: inout BitWriter, bands: ScaleFactorBands,
    syntax: StreamSyntax = StreamSyntax()
  ) {
    writeHead(left.info, right.info, to: &bits, syntax: syntax)
    left.write(to: &bits, commonWindow: commonWindow, bands: bands, syntax: syntax)
    right.write(to: &bits, commonWindow: commonWindow, bands: bands, syntax: syntax)
  }

  func writeHead(_ left: ICSInfo, _ right: ICSInfo, to bits: inout BitWriter, syntax: StreamSyntax) {
    bits.put(tag, 4)
    bits.put(commonWindow)
    guard commonWindow else { return }
    left.write(to: &bits, syntax: syntax)
    right.writeLTPData(to: &bits, syntax: syntax)
    midSide.write(to: &bits, info: left)
  }
}
