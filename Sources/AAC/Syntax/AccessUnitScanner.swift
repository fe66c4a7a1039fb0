/// Walks over access units to learn where they end and what they hold, without keeping any of it.
///
/// For containers: ADIF and some ADTS frames do not tell an access unit's length, and ADTS's checksums
/// cover parts of elements.
public struct AccessUnitScanner: Sendable {
  /// Bits of an access unit that a checksum covers. Where fewer than `paddedCount` are there, zero bits
  /// stand for the missing ones.
  public struct Region: Sendable, Equatable {
    public var offset: Int
    public var count: Int
    public var paddedCount: Int
  }

  /// What the last scan found.
  public struct Layout: Sendable, Equatable {
    /// Bytes of the access unit, alignment included.
    public var byteCount = 0
    /// What ADTS's crc_check covers, in order (ISO/IEC 13818-7, 6.2.3).
    public var protectedRegions: [Region] = []
    /// Noise substitution is used, which MPEG-2 does not have.
    public var usesNoise = false
    /// Channels of the single, pair and low-frequency elements.
    public var channelCount = 0
    /// element_instance_tag of each single, pair and low-frequency element, in order.
    public var channelTags: [Int] = []
    /// The last program config element.
    public var programConfig: ProgramConfig?
  }

  public private(set) var layout = Layout()
  private let bands: ScaleFactorBands
  private let syntax: StreamSyntax
  private var stream = ChannelStream()
  private var gains = GainList()
  private var targets: [CouplingChannel.Target] = []
  private var bytes: [UInt8] = []

  /// - Throws: `unsupported` for object types whose syntax is not known here.
  public init(_ configuration: AudioSpecificConfig) throws(AACError) {
    guard configuration.objectType.isDecodable, !configuration.objectType.isErrorResilient else {
      throw AACError(.unsupported("looking into \(configuration.objectType.name) access units"))
    }
    syntax = StreamSyntax(configuration)
    bands = ScaleFactorBands(
      samplingRate: configuration.samplingRate, frameLength: configuration.frameLength)
  }

  /// Scans the access unit at the start of `range` and fills `layout`.
  ///
  /// - Throws: where the bytes are no access unit, or end before it does. `layout` is then partly filled.
  public mutating func scan(_ data: [UInt8], range: Range<Int>) throws(AACError) {
    var bits = BitReader(data, range: range)
    layout.protectedRegions.removeAll(keepingCapacity: true)
    layout.usesNoise = false
    layout.channelCount = 0
    layout.channelTags.removeAll(keepingCapacity: true)
    layout.programConfig = nil
    var elementCount = 0
    while true {
      let id = try SyntaxElementID(parsing: &bits)
      let start = bits.position
      switch id {
      case .singleChannel, .lowFrequency: try scanSingle(&bits)
      case .channelPair: try scanPair(&bits)
      case .couplingChannel: try scanCoupling(&bits)
      case .dataStream:
        bytes.removeAll(keepingCapacity: true)
        _ = try DataStream(parsing: &bits, into: &bytes)
        protect(start, bits.position - start)
      case .programConfig:
        layout.programConfig = try ProgramConfig(parsing: &bits)
        protect(start, bits.position - start)
      case .fill:
        var count = try bits.uint(4)
        if count == 15 { count += try bits.uint(8) - 1 }
        try bits.skip(count * 8)
      case .end:
        try bits.alignToByte()
        layout.byteCount = bits.position / 8
        return
      }
      elementCount += 1
      guard elementCount <= RawDataBlock.largestElementCount else {
        throw bits.failure(.inconsistent("more than \(RawDataBlock.largestElementCount) elements in a block"))
      }
    }
  }

  private mutating func protect(_ offset: Int, _ count: Int, atMost limit: Int? = nil) {
    layout.protectedRegions.append(
      Region(offset: offset, count: min(count, limit ?? count), paddedCount: limit ?? count))
  }

  private static let elementLimit = 192
  private static let secondChannelLimit = 128

  private mutating func scanSingle(_ bits: inout BitReader) throws(AACError) {
    let start = bits.position
    layout.channelTags.append(try bits.uint(4))
    try scanStream(&bits, nil)
    layout.channelCount += 1
    protect(start, bits.position - start, atMost: Self.elementLimit)
  }

  private mutating func scanPair(_ bits: inout BitReader) throws(AACError) {
    let start = bits.position
    let (pair, info, rightInfo) = try ChannelPair.parseHead(&bits, bands: bands, syntax: syntax)
    layout.channelTags.append(pair.tag)
    try scanStream(&bits, info)
    let second = bits.position
    try scanStream(&bits, rightInfo)
    layout.channelCount += 2
    protect(start, bits.position - start, atMost: Self.elementLimit)
    protect(second, bits.position - second, atMost: Self.secondChannelLimit)
  }

  private mutating func scanCoupling(_ bits: inout BitReader) throws(AACError) {
    let start = bits.position
    targets.removeAll(keepingCapacity: true)
    let element = try CouplingChannel.parseHead(&bits, targets: &targets)
    try scanStream(&bits, nil)
    for _ in 0..<element.listCount(in: targets) - 1 {
      try gains.parse(&bits, independent: element.isIndependent, stream: stream)
    }
    protect(start, bits.position - start, atMost: Self.elementLimit)
  }

  private mutating func scanStream(_ bits: inout BitReader, _ info: ICSInfo?) throws(AACError) {
    try stream.parse(&bits, commonInfo: info, bands: bands, syntax: syntax)
    if !layout.usesNoise { layout.usesNoise = Self.hasNoise(stream.codebooks, stream.bandCount) }
  }

  private static func hasNoise(_ codebooks: [UInt8], _ count: Int) -> Bool {
    for index in 0..<min(count, codebooks.count) where codebooks[index] == Codebook.noise { return true }
    return false
  }
}

extension ProgramConfig {
  /// The config that an access unit starts with; `nil` where it starts with something else.
  public init?(leading accessUnit: [UInt8]) {
    guard let first = accessUnit.first, first >> 5 == SyntaxElementID.programConfig.rawValue else {
      return nil
    }
    var bits = BitReader(accessUnit)
    guard (try? bits.skip(3)) != nil, let config = try? ProgramConfig(parsing: &bits) else { return nil }
    self = config
  }

  /// The element with its id, as it stands in front of the others in an access unit. It fills whole bytes:
  /// an access unit behind it makes one access unit with it.
  public var elementBytes: [UInt8] {
    var bits = BitWriter()
    SyntaxElementID.programConfig.write(to: &bits)
    write(to: &bits)
    return bits.bytes
  }
}
