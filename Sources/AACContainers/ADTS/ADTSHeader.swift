public import AAC
import PCM

/// `adts_fixed_header` and `adts_variable_header` (ISO/IEC 13818-7, 6.2): the 7 bytes in front of each
/// ADTS frame.
public struct ADTSHeader: Sendable, Hashable {
  /// Bytes of a header without checksum.
  static let byteCount = 7
  /// Largest value of aac_frame_length.
  public static let maximumFrameLength = 0x1FFF

  public var isMPEG2 = false  // ID
  public var hasChecksum = false  // !protection_absent
  /// Object type minus one (0…3).
  public var profile = 1  // profile_ObjectType
  /// Index into `SamplingRate.indexed`.
  public var samplingRateIndex: Int  // sampling_frequency_index
  public var privateBit = false
  public var channelConfiguration: Int
  public var isOriginal = false  // original_copy
  public var home = false
  public var copyrightBit = false  // copyright_identification_bit
  public var copyrightStart = false  // copyright_identification_start
  /// Bytes of the frame with header and checksums.
  public var frameLength: Int  // aac_frame_length
  /// 0x7FF: variable rate.
  public var bufferFullness = 0x7FF  // adts_buffer_fullness
  /// 1…4 access units in the frame.
  public var blockCount = 1  // number_of_raw_data_blocks_in_frame + 1

  public init(samplingRateIndex: Int, channelConfiguration: Int, frameLength: Int) {
    self.samplingRateIndex = samplingRateIndex
    self.channelConfiguration = channelConfiguration
    self.frameLength = frameLength
  }

  /// Bytes from the frame's start to the first raw_data_block.
  public var headerLength: Int {
    guard hasChecksum else { return Self.byteCount }
    return Self.byteCount + 2 * blockCount  // positions of all blocks but the first, one CRC
  }

  public var samplingRate: Int { SamplingRate.indexed[samplingRateIndex] }
}

extension ADTSHeader {
  /// Reads a header.
  ///
  /// - Throws: `truncated` below seven bytes, `malformed` where the bytes are no header.
  public init(parsing bytes: [UInt8]) throws(ContainerError) {
    guard bytes.count >= Self.byteCount else { throw ContainerError(.truncated("the ADTS header"), at: 0) }
    var word: UInt64 = 0
    for byte in bytes.prefix(Self.byteCount) { word = word << 8 | UInt64(byte) }
    guard Self.isSync(word) else {
      throw ContainerError(.malformed("there is no ADTS sync word"), at: 0)
    }
    guard let header = Self(word) else {
      let index = Int(word >> 34 & 15)
      guard index < SamplingRate.indexed.count else {
        throw ContainerError(
          .malformed("the ADTS header has the reserved sampling rate index \(index)"), at: 2)
      }
      let length = Int(word >> 13 & 0x1FFF)
      throw ContainerError(.malformed("the ADTS frame length \(length) is shorter than its header"), at: 3)
    }
    self = header
  }

  static func isSync(_ word: UInt64) -> Bool { word >> 40 & 0xFFF6 == 0xFFF0 }

  /// Reads the 56 bits of a header; `nil` where they cannot be one.
  init?(_ word: UInt64) {
    guard Self.isSync(word) else { return nil }
    isMPEG2 = word >> 43 & 1 != 0
    hasChecksum = word >> 40 & 1 == 0
    profile = Int(word >> 38 & 3)
    samplingRateIndex = Int(word >> 34 & 15)
    privateBit = word >> 33 & 1 != 0
    channelConfiguration = Int(word >> 30 & 7)
    isOriginal = word >> 29 & 1 != 0
    home = word >> 28 & 1 != 0
    copyrightBit = word >> 27 & 1 != 0
    copyrightStart = word >> 26 & 1 != 0
    frameLength = Int(word >> 13 & 0x1FFF)
    bufferFullness = Int(word >> 2 & 0x7FF)
    blockCount = Int(word & 3) + 1
    guard samplingRateIndex < SamplingRate.indexed.count, frameLength >= headerLength else { return nil }
  }

  var word: UInt64 {
    var word: UInt64 = 0xFFF
    word = word << 1 | (isMPEG2 ? 1 : 0)
    word = word << 2
    word = word << 1 | (hasChecksum ? 0 : 1)
    word = word << 2 | UInt64(profile & 3)
    word = word << 4 | UInt64(samplingRateIndex & 15)
    word = word << 1 | (privateBit ? 1 : 0)
    word = word << 3 | UInt64(channelConfiguration & 7)
    word = word << 1 | (isOriginal ? 1 : 0)
    word = word << 1 | (home ? 1 : 0)
    word = word << 1 | (copyrightBit ? 1 : 0)
    word = word << 1 | (copyrightStart ? 1 : 0)
    word = word << 13 | UInt64(frameLength & 0x1FFF)
    word = word << 11 | UInt64(bufferFullness & 0x7FF)
    return word << 2 | UInt64((blockCount - 1) & 3)
  }

  /// The header's seven bytes.
  public var bytes: [UInt8] {
    var bytes = ByteBuilder()
    bytes.put(word, Self.byteCount)
    return bytes.bytes
  }
}

extension ADTSHeader {
  /// What stays the same from frame to frame of one stream: sync word, ID, layer, profile, rate, channels.
  /// Protection is left out: streams exist that protect only some frames.
  static let steadyMask: UInt64 = 0xFF_FEFD_C000_0000

  var steadyPart: UInt64 { word & Self.steadyMask }

  /// The configuration that the header stands for; its channels are in the first access unit where
  /// `channelConfiguration` is 0.
  public func configuration() throws(ContainerError) -> AudioSpecificConfig {
    do {
      let rate = try SamplingRate(samplingRate)
      var configuration = try AudioSpecificConfig(samplingRate: rate, layout: .mono)
      configuration.objectType = AudioObjectType(rawValue: profile + 1)
      configuration.channelConfiguration = channelConfiguration
      return configuration
    } catch {
      throw ContainerError(.configuration(error))
    }
  }
}
