import AAC
import PCM

/// What the first usable entry of a track's `stsd` box says about its codec.
struct SampleDescription {
  enum Content {
    case aac(AudioSpecificConfig, bytes: [UInt8])
    /// Something else, by a name for people.
    case other(String)
  }

  var content: Content
  var descriptor = ESDescriptor()
  var channelCount = 0
  var sampleRate = 0
  /// Entries of the box.
  var entryCount = 0
  /// Oddities to warn about.
  var remarks: [String] = []
}

extension SampleDescription {
  /// Reads a `stsd` box.
  init(_ box: Box, in window: ByteWindow) throws(ContainerError) {
    guard let head = try window.number(8, at: box.content), box.contentSize >= 8 else {
      throw ContainerError(.truncated("the box stsd"), at: box.start)
    }
    var cursor = BoxCursor(box, skipping: 8)
    guard let entry = try cursor.next(in: window) else {
      throw ContainerError(.malformed("the box stsd is empty"), at: box.start)
    }
    content = .other("the codec \(entry.type)")
    entryCount = Int(UInt32(truncatingIfNeeded: head))
    guard entry.type == "mp4a" else {
      content = .other(Protection.name(of: entry, in: window) ?? Self.name(of: entry.type))
      return
    }
    try parseAudioEntry(entry, in: window)
  }

  /// `AudioSampleEntry`, or QuickTime's sound description of version 0, 1 or 2.
  private mutating func parseAudioEntry(_ entry: Box, in window: ByteWindow) throws(ContainerError) {
    var parser = try window.parser(of: entry, limit: 64)
    try parser.skip(8)  // reserved, data_reference_index
    let version = try parser.uint16()
    try parser.skip(6)  // revision, vendor
    channelCount = try parser.uint16()
    try parser.skip(6)  // samplesize, compression id, packet size
    sampleRate = try parser.uint16()
    try parser.skip(2)
    if version == 2 {
      try parser.skip(4)
      let rate = Double(bitPattern: try parser.uint64())
      sampleRate = rate >= 1 && rate < 16_777_216 ? Int(rate) : 0
      channelCount = Int(try parser.uint32() & 0xFFFF)
    }
    let sizes: [Int64] = version == 1 ? [28 + 16, 28] : version == 2 ? [28 + 36, 28] : [28]
    for size in sizes {
      guard let box = try Self.configurationBox(in: entry, skipping: size, window) else { continue }
      descriptor = try ESDescriptor(parsing: window.parser(of: box))
      try interpret(at: box.start)
      return
    }
    throw ContainerError(.malformed("the track's description has no esds box"), at: entry.start)
  }

  /// The `esds` box in an entry, or in its `wave` box.
  private static func configurationBox(
    in entry: Box, skipping count: Int64, _ window: ByteWindow
  ) throws(ContainerError) -> Box? {
    var cursor = BoxCursor(entry, skipping: count)
    // What stands here may not be boxes at all, where the version was told wrongly.
    while let box = try? cursor.next(in: window) {
      if box.type == "esds" { return box }
      guard box.type == "wave" else { continue }
      var inner = BoxCursor(box)
      while let child = try? inner.next(in: window) {
        if child.type == "esds" { return child }
      }
    }
    return nil
  }

  private mutating func interpret(at offset: Int64) throws(ContainerError) {
    let type = descriptor.objectTypeIndication
    guard type == 0x40 || (0x66...0x68).contains(type) else {
      content = .other(Self.name(ofObjectType: type))
      return
    }
    do {
      if let bytes = descriptor.decoderSpecificInfo, !bytes.isEmpty {
        content = .aac(try AudioSpecificConfig(parsing: bytes), bytes: bytes)
      } else {
        let configuration = try plainConfiguration(type)
        remarks.append("the file has no audio configuration; it was taken from the track's description")
        content = .aac(configuration, bytes: configuration.bytes)
      }
    } catch {
      throw ContainerError(.configuration(error), at: offset)
    }
  }

  private func plainConfiguration(_ type: Int) throws(AACError) -> AudioSpecificConfig {
    var configuration = try AudioSpecificConfig(samplingRate: SamplingRate(sampleRate), layout: .mono)
    if type != 0x40 { configuration.objectType = AudioObjectType(rawValue: type - 0x65) }
    configuration.channelConfiguration = channelCount == 8 ? 7 : channelCount
    guard ChannelConfiguration.elements(of: configuration.channelConfiguration) != nil else {
      throw AACError(.unsupported("\(channelCount) channels without a configuration"))
    }
    return configuration
  }

  // MARK: Names

  static func name(of type: FourCC) -> String {
    switch type {
    case "alac": "Apple Lossless audio (alac)"
    case ".mp3", "ms\0U": "MP3 audio"
    case "ac-3", "ec-3", "ac-4": "Dolby audio (\(type))"
    case "Opus": "Opus audio"
    case "fLaC": "FLAC audio"
    case "samr", "sawb", "sawp": "AMR audio (\(type))"
    case "lpcm", "sowt", "twos", "in24", "in32", "fl32", "fl64", "ipcm", "fpcm", "raw ", "NONE":
      "uncompressed audio (\(type))"
    case "ulaw", "alaw", "ima4": "telephone-quality audio (\(type))"
    case "dtsc", "dtsh", "dtsl", "dtse", "dtsx": "DTS audio (\(type))"
    case "mha1", "mhm1": "MPEG-H audio (\(type))"
    default: "the codec \(type)"
    }
  }

  private static func name(ofObjectType type: Int) -> String {
    switch type {
    case 0x69, 0x6B: "MP3 audio (in an mp4a entry)"
    case 0xA5, 0xA6: "Dolby audio (in an mp4a entry)"
    case 0xA9: "DTS audio (in an mp4a entry)"
    case 0xAD: "Opus audio (in an mp4a entry)"
    case 0xDD, 0xE1: "audio of another company's codec (object type \(type))"
    default: "audio with the MP4 object type \(type)"
    }
  }
}
