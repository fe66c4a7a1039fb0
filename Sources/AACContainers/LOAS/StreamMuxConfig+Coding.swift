public import AAC

extension StreamMuxConfig {
  /// Far more bits than an element can have.
  private static let largestOtherData = 1 << 24

  /// Reads a configuration.
  ///
  /// - Throws: `unsupported` for a later version's syntax, and for speech streams beside the sound.
  public init(parsing bits: inout BitReader) throws(AACError) {
    self.init(streams: [])
    version = try bits.uint(1)
    if version == 1 {
      guard try !bits.flag() else { throw bits.failure(.unsupported("audioMuxVersionA 1")) }
      totalBufferFullness = try bits.latmValue()
    }
    hasSameTimeFraming = try bits.flag()
    subFrameCount = try bits.uint(6) + 1
    let programCount = try bits.uint(4) + 1
    for program in 0..<programCount {
      let layerCount = try bits.uint(3) + 1
      for layer in 0..<layerCount { try parseStream(&bits, program, layer) }
    }
    if try bits.flag() { otherDataBitCount = try parseOtherDataLength(&bits) }
    if try bits.flag() { checksum = try bits.uint(8) }
  }

  private mutating func parseStream(
    _ bits: inout BitReader, _ program: Int, _ layer: Int
  ) throws(AACError) {
    var stream: Stream
    if let previous = streams.last, try bits.flag() {
      stream = previous
      stream.isConfigurationShared = true
      stream.coreFrameOffset = nil
    } else if version == 0 {
      stream = try Self.configurationInPlace(&bits)
    } else {
      let count = try bits.latmValue()  // ascLen
      let bytes = try bits.bytes(bits: count)
      stream = Stream(configuration: try? AudioSpecificConfig(parsing: bytes), bytes: bytes, bitCount: count)
    }
    stream.program = program
    stream.layer = layer
    let type = try bits.uint(3)
    switch type {
    case 0:
      stream.framing = .told(bufferFullness: try bits.uint(8))
      if hasSameTimeFraming == false, layer > 0, stream.isScalable, streams.last?.isSpeech == true {
        stream.coreFrameOffset = try bits.uint(6)
      }
    case 1: stream.framing = .constant(byteCount: try bits.uint(9) + 20)
    case 2: throw bits.failure(.reserved("frameLengthType", value: type))
    default: throw bits.failure(.unsupported("LATM with speech (frameLengthType \(type))"))
    }
    streams.append(stream)
  }

  private func parseOtherDataLength(_ bits: inout BitReader) throws(AACError) -> Int {
    var length = 0
    if version == 1 {
      length = try bits.latmValue()
    } else {
      var goesOn = true
      while goesOn, length <= Self.largestOtherData {
        goesOn = try bits.flag()  // otherDataLenEsc
        length = length << 8 | (try bits.uint(8))  // otherDataLenTmp
      }
    }
    guard length <= Self.largestOtherData else {
      throw bits.failure(.outOfRange("otherDataLenBits", value: length, allowed: 0...Self.largestOtherData))
    }
    return length
  }

  /// Reads a configuration whose length nothing tells. A sync extension cannot be told from what follows
  /// and is not looked for; alignment inside counts from the configuration's start.
  static func configurationInPlace(_ bits: inout BitReader) throws(AACError) -> Stream {
    var ahead = bits
    var bytes: [UInt8] = []
    // No configuration is shorter. With no byte more than it needs, there is no room for an extension.
    var wanted = 2
    while true {
      while bytes.count < wanted {
        guard ahead.remaining > 0 else {
          throw ahead.failure(.truncated(missingBits: 8 * (wanted - bytes.count)))
        }
        bytes += try ahead.bytes(bits: min(8, ahead.remaining))
      }
      var trial = BitReader(bytes)
      do {
        let configuration = try AudioSpecificConfig(parsing: &trial)
        let count = trial.position
        var exact = BitReader(bytes)
        let sent = try exact.bytes(bits: count)
        try bits.skip(count)
        return Stream(configuration: configuration, bytes: sent, bitCount: count)
      } catch {
        // A last byte that is there in part may say anything.
        if ahead.remaining == 0, 8 * bytes.count > bits.remaining {
          throw ahead.failure(.truncated(missingBits: 8))
        }
        guard case .truncated(let missing) = error.reason, missing <= 1 << 20 else { throw error }
        wanted = bytes.count + max(1, (missing + 7) / 8)
      }
    }
  }

  /// Writes the configuration.
  public func write(to bits: inout BitWriter) {
    bits.put(version & 1, 1)
    if version == 1 {
      bits.put(false)  // audioMuxVersionA
      bits.put(latmValue: totalBufferFullness)
    }
    bits.put(hasSameTimeFraming)
    bits.put((subFrameCount - 1) & 63, 6)
    let programCount = (streams.last?.program ?? 0) + 1
    bits.put((programCount - 1) & 15, 4)
    for program in 0..<programCount {
      let layers = streams.filter { $0.program == program }
      bits.put((layers.count - 1) & 7, 3)
      for layer in layers { write(layer, isFirst: program == 0 && layer.layer == 0, to: &bits) }
    }
    bits.put(otherDataBitCount != nil)
    if let otherDataBitCount { write(otherDataLength: otherDataBitCount, to: &bits) }
    bits.put(checksum != nil)
    if let checksum { bits.put(checksum & 0xFF, 8) }
  }

  private func write(_ stream: Stream, isFirst: Bool, to bits: inout BitWriter) {
    if !isFirst { bits.put(stream.isConfigurationShared) }
    if isFirst || !stream.isConfigurationShared {
      if version == 1 { bits.put(latmValue: stream.configurationBitCount) }
      bits.put(bits: stream.configurationBitCount, of: stream.configurationBytes)
    }
    switch stream.framing {
    case .told(let bufferFullness):
      bits.put(0, 3)
      bits.put(bufferFullness & 0xFF, 8)
      if let coreFrameOffset = stream.coreFrameOffset { bits.put(coreFrameOffset & 63, 6) }
    case .constant(let byteCount):
      bits.put(1, 3)
      bits.put((byteCount - 20) & 0x1FF, 9)
    }
  }

  private func write(otherDataLength length: Int, to bits: inout BitWriter) {
    if version == 1 {
      bits.put(latmValue: length)
      return
    }
    var shift = 0
    while length >> shift > 0xFF { shift += 8 }
    while shift >= 0 {
      bits.put(shift > 0)
      bits.put(length >> shift & 0xFF, 8)
      shift -= 8
    }
  }
}

extension StreamMuxConfig.Stream {
  /// audioObjectType, by the configuration's first bits.
  private var typeNumber: Int { configurationBytes.first.map { Int($0 >> 3) } ?? 0 }
  fileprivate var isScalable: Bool { [6, 20].contains(typeNumber) }
  fileprivate var isSpeech: Bool { [8, 24].contains(typeNumber) }
}
