import AAC

/// `ES_Descriptor` in an `esds` box (ISO/IEC 14496-1, 7.2.6): which codec, which rates, which configuration.
struct ESDescriptor: Equatable {
  var objectTypeIndication = 0x40
  var streamType = 5
  var bufferSize = 0  // bufferSizeDB
  var maximumBitRate: UInt32 = 0
  var averageBitRate: UInt32 = 0
  /// The AudioSpecificConfig's bytes.
  var decoderSpecificInfo: [UInt8]?
}

extension ESDescriptor {
  private enum Tag {
    static let elementaryStream = 3
    static let decoderConfig = 4
    static let decoderSpecificInfo = 5
    static let slConfig = 6
  }

  /// Reads the content of an `esds` box.
  init(parsing box: ByteParser) throws(ContainerError) {
    var parser = box
    try parser.skip(4)  // version, flags
    var (tag, stream) = try Self.descriptor(&parser)
    if tag == Tag.elementaryStream {
      try stream.skip(2)  // ES_ID
      let flags = try stream.uint8()
      if flags & 0x80 != 0 { try stream.skip(2) }  // dependsOn_ES_ID
      if flags & 0x40 != 0 { try stream.skip(try stream.uint8()) }  // URL
      if flags & 0x20 != 0 { try stream.skip(2) }  // OCR_ES_Id
      while tag != Tag.decoderConfig {
        guard stream.remaining >= 2 else {
          throw stream.failure(.malformed("the esds box has no decoder configuration"))
        }
        let (inner, content) = try Self.descriptor(&stream)
        tag = inner
        if tag == Tag.decoderConfig { stream = content }
      }
    }
    guard tag == Tag.decoderConfig else {
      throw parser.failure(.malformed("the esds box starts with the descriptor \(tag)"))
    }
    objectTypeIndication = try stream.uint8()
    streamType = try stream.uint8() >> 2  // upStream, reserved
    bufferSize = try stream.uint24()
    maximumBitRate = try stream.uint32()
    averageBitRate = try stream.uint32()
    while stream.remaining >= 2 {
      var (inner, content) = try Self.descriptor(&stream)
      if inner == Tag.decoderSpecificInfo {
        decoderSpecificInfo = try content.take(content.remaining)
        return
      }
    }
  }

  /// The next descriptor's tag and content. Its size is in up to four groups of seven bits; one that is
  /// too large is cut to what is there, as some writers count wrongly.
  private static func descriptor(_ parser: inout ByteParser) throws(ContainerError) -> (Int, ByteParser) {
    let tag = try parser.uint8()
    var size = 0
    var groupCount = 0
    while true {
      let group = try parser.uint8()
      size = size << 7 | group & 0x7F
      groupCount += 1
      if group & 0x80 == 0 { break }
      guard groupCount < 4 else {
        throw parser.failure(.malformed("a descriptor's length has more than four bytes"))
      }
    }
    return (tag, try parser.slice(min(size, parser.remaining), name: "a descriptor"))
  }

  /// Appends the `esds` box.
  func write(to bytes: inout ByteBuilder) {
    let info = decoderSpecificInfo ?? []
    bytes.fullBox("esds") {
      let infoSize = 5 + info.count
      let configSize = 13 + infoSize
      Self.putHead(Tag.elementaryStream, 3 + 5 + configSize + 5 + 1, to: &$0)
      $0.uint16(0)  // ES_ID
      $0.uint8(0)  // no dependence, no URL, no OCR stream, priority 0
      Self.putHead(Tag.decoderConfig, configSize, to: &$0)
      $0.uint8(objectTypeIndication)
      $0.uint8(streamType << 2 | 1)  // upStream 0, reserved 1
      $0.uint24(bufferSize)
      $0.uint32(Int64(maximumBitRate))
      $0.uint32(Int64(averageBitRate))
      Self.putHead(Tag.decoderSpecificInfo, info.count, to: &$0)
      $0.append(info)
      Self.putHead(Tag.slConfig, 1, to: &$0)
      $0.uint8(2)  // predefined: MP4
    }
  }

  /// Tag and size in four groups, as most writers do it.
  private static func putHead(_ tag: Int, _ size: Int, to bytes: inout ByteBuilder) {
    bytes.uint8(tag)
    for shift in [21, 14, 7] { bytes.uint8(size >> shift & 0x7F | 0x80) }
    bytes.uint8(size & 0x7F)
  }
}
