public import AAC
import PCM

/// `adif_header()` (ISO/IEC 13818-7, 6.1): one header in front of all access units.
public struct ADIFHeader: Sendable, Equatable {
  static let mark = Array("ADIF".utf8)
  /// Room for sixteen program config elements with the longest comments.
  static let largestByteCount = 1 << 13

  /// 72 bits that name the work.
  public var copyrightID: [UInt8]?
  public var isOriginal = false  // original_copy
  public var home = false
  public var isVariableRate = true  // bitstream_type
  /// Bits a second: the highest where the rate varies; 0: not known.
  public var bitRate = 0
  /// Bits in the decoder's buffer, for constant rate.
  public var bufferFullness = 0  // adif_buffer_fullness
  public var programs: [ProgramConfig] = []

  public init() {}
}

extension ADIFHeader {
  /// Reads a header; `byteCount` gets its length.
  ///
  /// The buffer fullness stands in front of each program by one reading of the standard, and once by
  /// another: `fullnessOnce`.
  init(parsing bytes: [UInt8], fullnessOnce: Bool = false, byteCount: inout Int) throws(ContainerError) {
    guard bytes.starts(with: Self.mark) else {
      throw ContainerError(.malformed("there is no ADIF mark"), at: 0)
    }
    var bits = BitReader(bytes)
    do {
      try bits.skip(32)
      if try bits.flag() {
        var id: [UInt8] = []
        for _ in 0..<9 { id.append(UInt8(truncatingIfNeeded: try bits.uint(8))) }
        copyrightID = id
      }
      isOriginal = try bits.flag()
      home = try bits.flag()
      isVariableRate = try bits.flag()
      bitRate = try bits.uint(23)
      let count = try bits.uint(4) + 1
      for index in 0..<count {
        if !isVariableRate, index == 0 || !fullnessOnce { bufferFullness = try bits.uint(20) }
        programs.append(try ProgramConfig(parsing: &bits))
      }
      try bits.alignToByte()
    } catch {
      if case .truncated = error.reason {
        throw ContainerError(.truncated("the ADIF header"), at: Int64(bytes.count))
      }
      throw ContainerError(.configuration(error), at: Int64((error.bitOffset ?? 0) / 8))
    }
    byteCount = bits.position / 8
  }

  /// The header's bytes.
  public var bytes: [UInt8] {
    var bits = BitWriter()
    for byte in Self.mark { bits.put(Int(byte), 8) }
    bits.put(copyrightID != nil)
    if let copyrightID {
      for index in 0..<9 { bits.put(index < copyrightID.count ? Int(copyrightID[index]) : 0, 8) }
    }
    bits.put(isOriginal)
    bits.put(home)
    bits.put(isVariableRate)
    bits.put(min(max(0, bitRate), 0x7F_FFFF), 23)
    bits.put(min(max(1, programs.count), 16) - 1, 4)
    for program in programs.prefix(16) {
      if !isVariableRate { bits.put(min(max(0, bufferFullness), 0xF_FFFF), 20) }
      program.write(to: &bits)
    }
    bits.alignToByte()
    return bits.bytes
  }

  /// What a decoder needs for the first program.
  public func configuration() throws(ContainerError) -> AudioSpecificConfig {
    guard let program = programs.first, SamplingRate.indexed.indices.contains(program.samplingRateIndex)
    else {
      throw ContainerError(.malformed("the ADIF header describes no program"), at: 0)
    }
    do {
      var configuration = try AudioSpecificConfig(
        samplingRate: SamplingRate(SamplingRate.indexed[program.samplingRateIndex]), layout: .mono)
      configuration.objectType = AudioObjectType(rawValue: program.profile + 1)
      configuration.channelConfiguration = 0
      configuration.programConfig = program
      return configuration
    } catch {
      throw ContainerError(.configuration(error), at: 0)
    }
  }
}
