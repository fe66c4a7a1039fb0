import AAC
import PCM

/// What the `moov` box of a file to be written says, apart from the sample tables.
struct MovieHeader {
  var configuration: AudioSpecificConfig
  var configurationBytes: [UInt8]
  /// Ticks a second of movie and media: the output rate, so that all lengths are exact to the sample.
  var timescale: Int
  var channelCount: Int
  var mpeg2: Bool
  /// Seconds since 1904; 0: not told, and files of equal content are equal.
  var creationTime: Int64 = 0
  var descriptor = ESDescriptor()

  static let trackID = 1

  init(_ configuration: AudioSpecificConfig, bytes: [UInt8]?, timescale: Int?, mpeg2: Bool) {
    self.configuration = configuration
    configurationBytes = bytes ?? configuration.bytes
    self.timescale = timescale ?? configuration.outputRate
    channelCount = configuration.elements.layout.channelCount
    if configuration.psPresent == true { channelCount = max(2, channelCount) }
    self.mpeg2 = mpeg2
    descriptor.decoderSpecificInfo = configurationBytes
    let type = configuration.objectType.rawValue
    descriptor.objectTypeIndication = mpeg2 && (1...3).contains(type) ? 0x65 + type : 0x40
    // The decoder's input buffer: 6144 bits for each channel.
    descriptor.bufferSize = max(1, channelCount) * 768
  }

  func writeFileType(fragmented: Bool, to bytes: inout ByteBuilder) {
    bytes.box("ftyp") {
      $0.fourCC(fragmented ? "iso6" : "M4A ")
      $0.uint32(fragmented ? 0 : 0x200)
      for brand in fragmented ? fragmentBrands : ["M4A ", "mp42", "isom"] { $0.fourCC(brand) }
    }
  }

  /// All that is written in fragments is a CMAF track by its boxes (ISO/IEC 23000-19, 7.2: `cmfc`). The profile `caac`
  /// (10.4) asks for LC, with or without SBR and PS, of one or two channels at 48 kHz at most.
  private var fragmentBrands: [FourCC] {
    let brands: [FourCC] = ["iso6", "M4A ", "mp41", "cmfc"]
    let isCore =
      configuration.objectType.rawValue == 2 && configuration.frameLength == 1024 && !mpeg2
      && channelCount <= 2 && configuration.outputRate <= 48_000
    return isCore ? brands + ["caac"] : brands
  }

  // MARK: The duration of a fragmented file, known only at its end

  /// An empty box where `mehd` will be.
  static func reserveDuration(in bytes: inout ByteBuilder) {
    bytes.box("free") { $0.zeros(12) }
  }

  /// Writes `mehd` (ISO/IEC 14496-12, 8.8.2), its content before its name.
  static func fillDuration(_ duration: Int64, _ sink: any ByteSink, at place: Int64) throws(ContainerError) {
    var content = ByteBuilder()
    content.uint32(1 << 24)  // version 1
    content.uint64(duration)
    try sink.rewrite(content.bytes, at: place + 8)
    try sink.flush()
    var name = ByteBuilder()
    name.fourCC("mehd")
    try sink.rewrite(name.bytes, at: place + 4)
  }

  func writeMovieHeader(duration: Int64, trackCount: Int = 1, to bytes: inout ByteBuilder) {
    let isLarge = duration > Int64(UInt32.max)
    bytes.fullBox("mvhd", version: isLarge ? 1 : 0) {
      putTimes(duration: duration, isLarge, scale: timescale, to: &$0)
      $0.uint32(0x1_0000)  // rate
      $0.uint16(0x100)  // volume
      $0.zeros(10)
      Self.putMatrix(to: &$0)
      $0.zeros(24)
      $0.uint32(Int64(Self.trackID + trackCount))  // next_track_ID
    }
  }

  func writeTrackHeader(duration: Int64, alternateGroup: Int = 1, to bytes: inout ByteBuilder) {
    let isLarge = duration > Int64(UInt32.max)
    bytes.fullBox("tkhd", version: isLarge ? 1 : 0, flags: 7) {
      let width = isLarge ? 8 : 4
      $0.put(UInt64(creationTime), width)
      $0.put(UInt64(creationTime), width)
      $0.uint32(Int64(Self.trackID))
      $0.uint32(0)
      $0.put(UInt64(duration), width)
      $0.zeros(8)
      $0.uint16(0)  // layer
      $0.uint16(alternateGroup)
      $0.uint16(0x100)  // volume
      $0.uint16(0)
      Self.putMatrix(to: &$0)
      $0.zeros(8)  // width, height
    }
  }

  func writeMediaHeader(duration: Int64, to bytes: inout ByteBuilder) {
    let isLarge = duration > Int64(UInt32.max)
    bytes.fullBox("mdhd", version: isLarge ? 1 : 0) {
      putTimes(duration: duration, isLarge, scale: timescale, to: &$0)
      $0.uint16(0x55C4)  // und
      $0.uint16(0)
    }
    bytes.fullBox("hdlr") {
      $0.uint32(0)
      $0.fourCC("soun")
      $0.zeros(12)
      $0.append("SoundHandler")
      $0.uint8(0)
    }
  }

  private func putTimes(duration: Int64, _ isLarge: Bool, scale: Int, to bytes: inout ByteBuilder) {
    let width = isLarge ? 8 : 4
    bytes.put(UInt64(creationTime), width)
    bytes.put(UInt64(creationTime), width)
    bytes.uint32(Int64(scale))
    bytes.put(UInt64(duration), width)
  }

  private static func putMatrix(to bytes: inout ByteBuilder) {
    for value in [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000] as [Int64] { bytes.uint32(value) }
  }

  func writeMediaInformationHead(to bytes: inout ByteBuilder) {
    bytes.fullBox("smhd") { $0.zeros(4) }
    bytes.box("dinf") {
      $0.fullBox("dref") {
        $0.uint32(1)
        $0.fullBox("url ", flags: 1) { _ in }
      }
    }
  }

  func writeSampleDescription(to bytes: inout ByteBuilder) {
    bytes.fullBox("stsd") {
      $0.uint32(1)
      $0.box("mp4a") {
        $0.zeros(6)
        $0.uint16(1)  // data_reference_index
        $0.zeros(8)  // version, revision, vendor
        $0.uint16(channelCount)
        $0.uint16(16)  // samplesize
        $0.zeros(4)
        let rate = configuration.outputRate
        $0.uint32(rate <= 0xFFFF ? Int64(rate) << 16 : 0)  // 16.16 bits hold no more
        descriptor.write(to: &$0)
      }
    }
  }

  /// The group that tells of one access unit of pre-roll: its `sgpd` box.
  static func writeRollDescription(to bytes: inout ByteBuilder) {
    bytes.fullBox("sgpd", version: 1) {
      $0.fourCC("roll")
      $0.uint32(2)  // default_length
      $0.uint32(1)
      $0.uint16(0xFFFF)  // roll_distance −1
    }
  }

  static func writeRollGroup(sampleCount: Int, to bytes: inout ByteBuilder) {
    bytes.fullBox("sbgp") {
      $0.fourCC("roll")
      $0.uint32(1)
      $0.uint32(Int64(sampleCount))
      $0.uint32(1)
    }
  }
}
