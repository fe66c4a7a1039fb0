public import AAC

/// `StreamMuxConfig()` (ISO/IEC 14496-3, 1.7.3): what LATM multiplexes, and how.
public struct StreamMuxConfig: Sendable, Equatable {
  /// One layer of a program.
  public struct Stream: Sendable, Equatable {
    /// How the length of a payload is told.
    public enum Framing: Sendable, Equatable {
      /// In front of each payload. 0xFF: variable rate.
      case told(bufferFullness: Int)  // frameLengthType 0, latmBufferFullness
      /// Once: all payloads have 20…531 bytes.
      case constant(byteCount: Int)  // frameLengthType 1, frameLength + 20
    }

    public var program = 0
    public var layer = 0
    /// The configuration is that of the stream before.
    public var isConfigurationShared = false  // useSameConfig
    /// `nil` where it is of a kind that is not read here.
    public var configuration: AudioSpecificConfig?
    /// The configuration as it was sent: this many bits of these bytes.
    public var configurationBytes: [UInt8]
    public var configurationBitCount: Int
    public var framing = Framing.told(bufferFullness: 0xFF)
    /// For scalable layers above a speech core.
    public var coreFrameOffset: Int?

    public init(configuration: AudioSpecificConfig?, bytes: [UInt8], bitCount: Int) {
      self.configuration = configuration
      configurationBytes = bytes
      configurationBitCount = bitCount
    }
  }

  /// 1: numbers are told as LatmGetValue, and configurations with their lengths.
  public var version = 0  // audioMuxVersion
  /// Bits in the buffer of the whole multiplex; version 1 only.
  public var totalBufferFullness = 0  // taraBufferFullness
  /// Payloads of all streams cover the same time; otherwise they come as chunks with numbers.
  public var hasSameTimeFraming = true  // allStreamsSameTimeFraming
  /// Payloads of each stream in an element, 1…64.
  public var subFrameCount = 1  // numSubFrames + 1
  /// All layers of all programs, in order.
  public var streams: [Stream]
  /// Bits of other data behind the payloads; `nil` where there is no such thing.
  public var otherDataBitCount: Int?
  /// Checksum of all before it, which is not compared.
  public var checksum: Int?  // crcCheckSum

  public init(streams: [Stream]) { self.streams = streams }

  /// A multiplex of one stream. Version 0 has no place for a configuration's sync extension: where there is
  /// one, version 1 is taken.
  ///
  /// - Parameter bytes: the configuration as another container had it.
  public init(_ configuration: AudioSpecificConfig, bytes: [UInt8]? = nil, version: Int? = nil) {
    let bytes = bytes ?? configuration.bytes
    self.version = version ?? (configuration.signalling == .backwardCompatible ? 1 : 0)
    var bits = BitReader(bytes)
    if self.version == 0, let core = try? Self.configurationInPlace(&bits) {
      streams = [core]
    } else {
      streams = [Stream(configuration: configuration, bytes: bytes, bitCount: 8 * bytes.count)]
    }
  }

  /// Index of the stream that is decoded: the first that can be.
  var chosenStream: Int? { streams.firstIndex { $0.configuration != nil } }

  /// Buffer states change from element to element without meaning.
  func isSame(as other: StreamMuxConfig) -> Bool {
    guard streams.count == other.streams.count else { return false }
    var copy = other
    copy.totalBufferFullness = totalBufferFullness
    copy.checksum = checksum
    for index in streams.indices {
      if case .told = copy.streams[index].framing, case .told = streams[index].framing {
        copy.streams[index].framing = streams[index].framing
      }
    }
    return copy == self
  }
}
