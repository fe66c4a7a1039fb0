/// `coupling_channel_element()`: a channel that is added to others, each with gains of its own (4.6.8.3).
struct CouplingChannel: Equatable, Sendable {
  static let largestTargetCount = 8

  struct Target: Equatable, Sendable {
    var isPair = false  // cc_target_is_cpe
    var tag = 0  // cc_target_tag_select
    var left = false  // cc_l
    var right = false  // cc_r
    /// Gain lists that the target uses: two where each channel of a pair has its own.
    var listCount: Int { isPair && left && right ? 2 : 1 }
  }

  var tag = 0  // element_instance_tag
  /// The coupling happens in the time domain.
  var isIndependent = false  // ind_sw_cce_flag
  /// Dependent coupling happens behind the temporal noise shaping of the targets instead of before.
  var afterTNS = false  // cc_domain
  var hasSignedGains = false  // gain_element_sign
  var gainScale = 0  // gain_element_scale
  /// Place of the channel stream in the block's `streams`.
  var stream = 0
  /// Places of the targets in the block's `couplingTargets`.
  var targets = 0..<0
  /// Places of the gain lists in the block's `gainLists`. The first stands for a gain of one.
  var gainLists = 0..<0
}

/// The gains of a coupling channel for one target channel, as exponents.
struct GainList: Equatable, Sendable {
  /// One gain for all bands instead of one for each band with lines.
  var isCommon = true  // common_gain_element_present
  /// The common gain.
  var common = 0
  /// Gains by band (`group * maxBand + band`) where they are not common. Signed gains hold the sign in bit 0.
  var bands = [Int16](repeating: 0, count: ChannelStream.bandCapacity)

  static func == (left: GainList, right: GainList) -> Bool {
    left.isCommon == right.isCommon
      && (left.isCommon ? left.common == right.common : left.bands == right.bands)
  }
}

extension CouplingChannel {
  /// Reads the element after its id, up to the channel stream.
  static func parseHead(
    _ bits: inout BitReader, targets: inout [Target]
  ) throws(AACError) -> CouplingChannel {
    var element = CouplingChannel()
    element.tag = try bits.uint(4)
    element.isIndependent = try bits.flag()
    let count = try bits.uint(3) + 1
    let first = targets.count
    for _ in 0..<count {
      var target = Target()
      target.isPair = try bits.flag()
      target.tag = try bits.uint(4)
      if target.isPair {
        target.left = try bits.flag()
        target.right = try bits.flag()
      }
      targets.append(target)
    }
    element.targets = first..<first + count
    element.afterTNS = try bits.flag()
    element.hasSignedGains = try bits.flag()
    element.gainScale = try bits.uint(2)
    return element
  }

  /// The number of gain lists, the first one (which is not sent) included.
  func listCount(in targets: [Target]) -> Int {
    targets[self.targets].reduce(0) { $0 + $1.listCount }
  }

  func writeHead(to bits: inout BitWriter, targets: [Target]) {
    bits.put(tag, 4)
    bits.put(isIndependent)
    bits.put(self.targets.count - 1, 3)
    for target in targets[self.targets] {
      bits.put(target.isPair)
      bits.put(target.tag, 4)
      if target.isPair {
        bits.put(target.left)
        bits.put(target.right)
      }
    }
    bits.put(afterTNS)
    bits.put(hasSignedGains)
    bits.put(gainScale, 2)
  }
}

extension GainList {
  /// Sets a gain of one, as the first list has it.
  mutating func setUnity() {
    isCommon = true
    common = 0
  }

  /// Reads a list other than the first into `self`.
  mutating func parse(
    _ bits: inout BitReader, independent: Bool, stream: ChannelStream
  ) throws(AACError) {
    let table = HuffmanTables.scaleFactors
    let isCommon = independent ? true : try bits.flag()
    self.isCommon = isCommon
    common = 0
    if isCommon {
      common = try table.decode(&bits) - ScaleFactorCodebook.offset
      return
    }
    var gain = 0
    for index in bands.indices { bands[index] = 0 }
    for index in 0..<stream.bandCount where stream.codebooks[index] != Codebook.zero {
      // At most 120 differences of at most 60 each: 16 bits hold the sum.
      gain += try table.decode(&bits) - ScaleFactorCodebook.offset
      bands[index] = Int16(truncatingIfNeeded: gain)
    }
  }

  func write(to bits: inout BitWriter, independent: Bool, stream: ChannelStream) {
    if !independent { bits.put(isCommon) }
    if isCommon {
      ScaleFactors.put(common, to: &bits)
      return
    }
    var gain = 0
    for index in 0..<stream.bandCount where stream.codebooks[index] != Codebook.zero {
      ScaleFactors.put(Int(bands[index]) - gain, to: &bits)
      gain = Int(bands[index])
    }
  }
}
