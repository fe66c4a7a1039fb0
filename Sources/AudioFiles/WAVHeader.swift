import PCM

/// What stands before the samples of a RIFF WAVE file.
struct WAVHeader: Equatable {
  /// `nil` where the samples are in a form that only libsndfile reads.
  var sample: SampleFormat?
  var format: PCMFormat
  /// Bytes of samples; `nil` where the header leaves it open.
  var dataSize: Int64?

  /// Sizes that writers put where they cannot know better: nothing, or numbers at the end of 31 and of 32
  /// bits.
  static func isOpen(_ size: UInt32) -> Bool {
    size == 0 || (0x7FFF_0000...0x7FFF_FFFF).contains(size) || size >= 0xFFFF_0000
  }

  private static let largestChunk: Int64 = 64 << 20

  /// Reads up to the first sample and adds every byte to `record`.
  ///
  /// - Throws: `damaged` where the header ends early or contradicts itself.
  init(reading input: ByteInput, record: inout [UInt8]) throws(AudioFileError) {
    let riff = try Self.bytes(12, input, &record)
    var wide: Int64?
    var found: (sample: SampleFormat?, format: PCMFormat)?
    while true {
      let head = try Self.bytes(8, input, &record)
      let size = Self.number32(head, 4)
      switch Self.name(head, 0) {
      case "data":
        guard let found else { throw AudioFileError(.damaged("the samples come before their format")) }
        sample = found.sample
        format = found.format
        if Self.name(riff, 0) == "RF64", size == .max {
          dataSize = wide
        } else {
          dataSize = Self.isOpen(size) ? nil : Int64(size)
        }
        return
      case "ds64":
        let body = try Self.chunk(size, input, &record)
        guard body.count >= 16 else { throw AudioFileError(.damaged("the ds64 chunk is too short")) }
        let value = UInt64(Self.number32(body, 8)) | UInt64(Self.number32(body, 12)) << 32
        wide = value == 0 || value > 1 << 62 ? nil : Int64(value)
      case "fmt ":
        found = try Self.parseFormat(try Self.chunk(size, input, &record))
      default:
        _ = try Self.chunk(size, input, &record)
      }
    }
  }

  private static func parseFormat(
    _ body: [UInt8]
  ) throws(AudioFileError) -> (sample: SampleFormat?, format: PCMFormat) {
    guard body.count >= 16 else { throw AudioFileError(.damaged("the fmt chunk is too short")) }
    var tag = number16(body, 0)
    let channels = number16(body, 2)
    let rate = Int(number32(body, 4))
    let frameSize = number16(body, 12)
    let bits = number16(body, 14)
    var mask: UInt32 = 0
    if tag == 0xFFFE, body.count >= 40 {
      mask = number32(body, 20)
      tag = number16(body, 24)
    }
    guard channels > 0, rate > 0, rate <= 0xFF_FFFF, channels <= 1024 else {
      throw AudioFileError(.damaged("the header names \(channels) channels at \(rate) Hz"))
    }
    let sample: SampleFormat? =
      switch (tag, (bits + 7) / 8) {
      case (1, 1): .u8
      case (1, 2): .s16le
      case (1, 3): .s24le
      case (1, 4): .s32le
      case (3, 4): .f32le
      case (3, 8): .f64le
      default: nil
      }
    let fits = sample.map { $0.bytesPerSample * channels == frameSize } ?? false
    let layout = ChannelLayout(mask: mask, channelCount: channels)
    return (fits ? sample : nil, PCMFormat(sampleRate: rate, layout: layout))
  }

  /// A chunk's body and its padding byte.
  private static func chunk(
    _ size: UInt32, _ input: ByteInput, _ record: inout [UInt8]
  ) throws(AudioFileError) -> [UInt8] {
    let padded = Int64(size) + Int64(size & 1)
    guard padded <= largestChunk else { throw AudioFileError(.damaged("a chunk has \(size) bytes")) }
    return try bytes(Int(padded), input, &record)
  }

  private static func bytes(
    _ count: Int, _ input: ByteInput, _ record: inout [UInt8]
  ) throws(AudioFileError) -> [UInt8] {
    var bytes: [UInt8] = []
    var left = count
    while left > 0 {
      var part: [UInt8] = []
      let got = try input.read(min(left, 65536), into: &part)
      guard got > 0 else { throw AudioFileError(.damaged("the header ends after \(input.position) bytes")) }
      bytes.append(contentsOf: part.prefix(got))
      left -= got
    }
    record.append(contentsOf: bytes)
    return bytes
  }

  private static func name(_ bytes: [UInt8], _ index: Int) -> String {
    String(decoding: bytes[index..<index + 4], as: UTF8.self)
  }

  private static func number16(_ bytes: [UInt8], _ index: Int) -> Int {
    Int(bytes[index]) | Int(bytes[index + 1]) << 8
  }

  private static func number32(_ bytes: [UInt8], _ index: Int) -> UInt32 {
    UInt32(number16(bytes, index)) | UInt32(number16(bytes, index + 2)) << 16
  }
}

extension WAVHeader {
  /// The bytes of a header with open sizes, as a pipe needs it.
  static func open(_ sample: SampleFormat, _ format: PCMFormat) -> [UInt8] {
    let layout = format.layout
    let isPlain = layout == .mono || layout == .stereo
    let tag: UInt16 = sample.isFloat ? 3 : 1
    let frameSize = sample.bytesPerSample * layout.channelCount
    var bytes: [UInt8] = []
    func put(_ text: String) { bytes.append(contentsOf: text.utf8) }
    func put16(_ value: Int) {
      bytes.append(UInt8(truncatingIfNeeded: value))
      bytes.append(UInt8(truncatingIfNeeded: value >> 8))
    }
    func put32(_ value: Int) {
      put16(value)
      put16(value >> 16)
    }
    put("RIFF")
    put32(0xFFFF_FFFF)
    put("WAVEfmt ")
    put32(isPlain ? 16 : 40)
    put16(isPlain ? Int(tag) : 0xFFFE)
    put16(layout.channelCount)
    put32(format.sampleRate)
    put32(format.sampleRate * frameSize)
    put16(frameSize)
    put16(sample.bytesPerSample * 8)
    if !isPlain {
      put16(22)
      put16(sample.bytesPerSample * 8)
      put32(Int(layout.mask ?? 0))
      put16(Int(tag))
      // The rest of KSDATAFORMAT_SUBTYPE_PCM and …_IEEE_FLOAT.
      bytes += [0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71]
    }
    put("data")
    put32(0xFFFF_FFFF)
    return bytes
  }
}
