import AAC

@testable import AACContainers

/// Makes MP4 files of every shape that a writer of ours would not make.
struct MP4Maker {
  enum Order { case moovFirst, moovLast }
  enum SizeTable {
    case stsz
    case stz2(Int)
    case constant(Int)
  }

  var configuration: AudioSpecificConfig
  var packets: [[UInt8]]
  var order = Order.moovFirst
  var sizeTable = SizeTable.stsz
  var samplesPerChunk = 7
  var largeOffsets = false
  /// Header of 16 bytes for `mdat`; size 0: to the end of the file.
  var largeMdat = false
  var openMdat = false
  var movieScale: UInt32 = 44100
  var mediaScale: UInt32 = 44100
  /// Runs of (count, delta); empty: all 1024.
  var times: [(UInt32, UInt32)] = []
  /// (segment duration, media time); `nil`: no edit list.
  var edits: [(UInt64, Int64)]?
  var editVersion = 0
  var gapless: GaplessInfo?
  var tags = Tags()
  /// The content of an `ilst` in place of `tags`.
  var listItems: [UInt8]?
  var handler: FourCC = "soun"
  var entryType: FourCC = "mp4a"
  /// 0, 1 or 2: QuickTime's versions of the sound description.
  var entryVersion = 0
  var inWave = false
  /// The content of `esds` behind version and flags.
  var esds: [UInt8]?
  /// Put in the sample entry's place of `esds` altogether.
  var entryBoxes: [UInt8]?
  /// Replaces any table box, by its type.
  var replacedTables: [FourCC: [UInt8]] = [:]
  var plainMeta = false
  var mvexForFragments = false
  /// default_sample_size of its `trex`.
  var defaultSize: Int64 = 0
  var leadingBoxes: [UInt8] = []
  /// Directly behind `moov`.
  var boxesBehindMovie: [UInt8] = []
  /// In `udta`, behind the `meta` with `listItems`.
  var userDataBoxes: [UInt8] = []
  /// At the end of `moov`.
  var movieBoxes: [UInt8] = []
  /// The size of `moov` has 64 bits.
  var largeMovie = false
  var trackID: UInt32 = 1
  /// 1: enabled.
  var trackFlags = 0
  /// Packed letters of `mdhd`.
  var language = 0
  var movieDuration: UInt32 = 0
  var trackDuration: UInt32 = 0
  var mediaDuration: UInt32 = 0
  /// At the end of `stbl`.
  var tableBoxes: [UInt8] = []
  /// media_rate of all edits.
  var editRate: UInt32 = 0x1_0000
  /// Further tracks, whose packets lie behind those of this one.
  var others: [MP4Maker] = []
  var othersComeFirst = false
  /// A track of other things, which refers to the same data.
  var hasSecondTrack = false
  /// Bytes in `mdat` in front of the sound, which `bytes` leaves out.
  var gapBeforeData: Int64 = 0

  init(_ configuration: AudioSpecificConfig, _ packets: [Packet]) {
    self.configuration = configuration
    self.packets = packets.map(\.data)
  }

  var bytes: [UInt8] {
    var head = ByteBuilder()
    head.append(leadingBoxes)
    head.box("ftyp") {
      $0.fourCC("isom")
      $0.uint32(0)
    }
    let data = (packets + others.flatMap(\.packets)).flatMap { $0 }
    let mdatHeader = largeMdat ? 16 : 8
    var moovSize = 0
    if case .moovFirst = order { moovSize = moov(dataStart: 0).count + boxesBehindMovie.count }
    let dataStart = head.count + moovSize + mdatHeader + Int(gapBeforeData)
    let moov = moov(dataStart: dataStart) + boxesBehindMovie
    if case .moovFirst = order { head.append(moov) }
    head.uint32(openMdat ? 0 : largeMdat ? 1 : Int64(8 + data.count) + gapBeforeData)
    head.fourCC("mdat")
    if largeMdat { head.uint64(Int64(16 + data.count)) }
    head.append(data)
    if case .moovLast = order { head.append(moov) }
    return head.bytes
  }

  private func moov(dataStart: Int) -> [UInt8] {
    var bytes = ByteBuilder()
    bytes.box("moov") {
      $0.fullBox("mvhd") {
        $0.zeros(8)
        $0.uint32(Int64(movieScale))
        $0.uint32(Int64(movieDuration))
        $0.zeros(76)
      }
      if !othersComeFirst { putTrack(dataStart: dataStart, to: &$0) }
      var place = dataStart + packets.reduce(0) { $0 + $1.count }
      for other in others {
        other.putTrack(dataStart: place, to: &$0)
        place += other.packets.reduce(0) { $0 + $1.count }
      }
      if othersComeFirst { putTrack(dataStart: dataStart, to: &$0) }
      if hasSecondTrack { putSecondTrack(dataStart: dataStart, to: &$0) }
      if mvexForFragments {
        $0.box("mvex") {
          for track in [self] + others {
            $0.fullBox("trex") {
              $0.uint32(Int64(track.trackID))
              $0.uint32(1)
              $0.uint32(1024)
              $0.uint32(track.defaultSize)
              $0.zeros(4)
            }
          }
        }
      }
      if let listItems {
        $0.box("udta") {
          MetadataItems.putMeta(listItems, to: &$0)
          $0.append(userDataBoxes)
        }
      } else if plainMeta {
        var inner = ByteBuilder()
        MetadataItems.write(tags, gapless: gapless, to: &inner)
        // udta, meta with version: take out the four bytes of the version.
        let content = Array(inner.bytes.dropFirst(20))
        $0.box("udta") { $0.box("meta") { $0.append(content) } }
      } else {
        MetadataItems.write(tags, gapless: gapless, to: &$0)
      }
    }
    if !movieBoxes.isEmpty {
      var longer = ByteBuilder()
      longer.box("moov") { $0.append(Array(bytes.bytes.dropFirst(8)) + movieBoxes) }
      bytes = longer
    }
    guard largeMovie else { return bytes.bytes }
    var large = ByteBuilder()
    large.uint32(1)
    large.fourCC("moov")
    large.uint64(Int64(bytes.count) + 8)
    return large.bytes + bytes.bytes.dropFirst(8)
  }

  private func putTrack(dataStart: Int, to bytes: inout ByteBuilder) {
    bytes.box("trak") {
      $0.fullBox("tkhd", flags: trackFlags) {
        $0.zeros(8)
        $0.uint32(Int64(trackID))
        $0.zeros(4)
        $0.uint32(Int64(trackDuration))
        $0.zeros(60)
      }
      if let edits { putEdits(edits, to: &$0) }
      $0.box("mdia") {
        $0.fullBox("mdhd") {
          $0.zeros(8)
          $0.uint32(Int64(mediaScale))
          $0.uint32(Int64(mediaDuration))
          $0.uint16(language)
          $0.uint16(0)
        }
        $0.fullBox("hdlr") {
          $0.uint32(0)
          $0.fourCC(handler)
          $0.zeros(13)
        }
        $0.box("minf") {
          $0.box("stbl") {
            putTables(dataStart: dataStart, to: &$0)
            $0.append(tableBoxes)
          }
        }
      }
    }
  }

  /// A track of text with one sample: the first bytes of the sound.
  private func putSecondTrack(dataStart: Int, to bytes: inout ByteBuilder) {
    bytes.box("trak") {
      $0.fullBox("tkhd") {
        $0.zeros(8)
        $0.uint32(7)
        $0.zeros(68)
      }
      $0.box("mdia") {
        $0.fullBox("mdhd") {
          $0.zeros(8)
          $0.uint32(1000)
          $0.zeros(8)
        }
        $0.fullBox("hdlr") {
          $0.uint32(0)
          $0.fourCC("meta")
          $0.zeros(13)
        }
        $0.box("minf") {
          $0.box("stbl") {
            $0.fullBox("stts") { for value in [1, 1, 1000] as [Int64] { $0.uint32(value) } }
            $0.fullBox("stsc") { for value in [1, 1, 1, 1] as [Int64] { $0.uint32(value) } }
            $0.fullBox("stsz") { for value in [0, 1, 10] as [Int64] { $0.uint32(value) } }
            $0.fullBox("stco") { for value in [1, Int64(dataStart)] { $0.uint32(value) } }
          }
        }
      }
    }
  }

  private func putEdits(_ edits: [(UInt64, Int64)], to bytes: inout ByteBuilder) {
    bytes.box("edts") {
      $0.fullBox("elst", version: editVersion) {
        $0.uint32(Int64(edits.count))
        for (duration, time) in edits {
          let width = editVersion == 1 ? 8 : 4
          $0.put(duration, width)
          $0.put(UInt64(bitPattern: time), width)
          $0.uint32(Int64(editRate))
        }
      }
    }
  }

  private func putTables(dataStart: Int, to bytes: inout ByteBuilder) {
    bytes.fullBox("stsd") {
      $0.uint32(1)
      $0.box(entryType) { putEntry(to: &$0) }
    }
    put("stts", to: &bytes) {
      let runs = times.isEmpty ? [(UInt32(packets.count), UInt32(1024))] : times
      $0.uint32(Int64(runs.count))
      for (count, delta) in runs {
        $0.uint32(Int64(count))
        $0.uint32(Int64(delta))
      }
    }
    let full = packets.count / samplesPerChunk
    let rest = packets.count % samplesPerChunk
    put("stsc", to: &bytes) {
      $0.uint32((full > 0 ? 1 : 0) + (rest > 0 ? 1 : 0))
      if full > 0 { for value in [1, samplesPerChunk, 1] { $0.uint32(Int64(value)) } }
      if rest > 0 { for value in [full + 1, rest, 1] { $0.uint32(Int64(value)) } }
    }
    putSizes(to: &bytes)
    var offsets: [Int] = []
    var place = dataStart
    for (index, packet) in packets.enumerated() {
      if index % samplesPerChunk == 0 { offsets.append(place) }
      place += packet.count
    }
    put(largeOffsets ? "co64" : "stco", to: &bytes) {
      $0.uint32(Int64(offsets.count))
      for offset in offsets { $0.put(UInt64(offset), largeOffsets ? 8 : 4) }
    }
  }

  private func put(_ type: FourCC, to bytes: inout ByteBuilder, _ content: (inout ByteBuilder) -> Void) {
    if let replaced = replacedTables[type] {
      bytes.box(type) { $0.append(replaced) }
    } else {
      bytes.fullBox(type, content)
    }
  }

  private func putSizes(to bytes: inout ByteBuilder) {
    switch sizeTable {
    case .stsz:
      put("stsz", to: &bytes) {
        $0.uint32(0)
        $0.uint32(Int64(packets.count))
        for packet in packets { $0.uint32(Int64(packet.count)) }
      }
    case .constant(let size):
      put("stsz", to: &bytes) {
        $0.uint32(Int64(size))
        $0.uint32(Int64(packets.count))
      }
    case .stz2(let bits):
      put("stz2", to: &bytes) {
        $0.uint32(Int64(bits))
        $0.uint32(Int64(packets.count))
        var writer = BitWriter()
        for packet in packets { writer.put(packet.count, bits) }
        writer.alignToByte()
        $0.append(writer.bytes)
      }
    }
  }

  private func putEntry(to bytes: inout ByteBuilder) {
    bytes.zeros(6)
    bytes.uint16(1)
    bytes.uint16(entryVersion)
    bytes.zeros(6)
    bytes.uint16(2)
    bytes.uint16(16)
    bytes.zeros(4)
    bytes.uint32(44100 << 16)
    if entryVersion == 1 { bytes.zeros(16) }
    if entryVersion == 2 {
      bytes.uint32(72)
      bytes.put(Double(44100).bitPattern, 8)
      bytes.uint32(2)
      bytes.zeros(20)
    }
    if let entryBoxes {
      bytes.append(entryBoxes)
    } else if inWave {
      bytes.box("wave") {
        $0.box("frma") { $0.fourCC("mp4a") }
        $0.box("mp4a") { $0.zeros(4) }
        putDescriptor(to: &$0)
        $0.uint32(8)
        $0.uint32(0)
      }
    } else {
      putDescriptor(to: &bytes)
    }
  }

  private func putDescriptor(to bytes: inout ByteBuilder) {
    if let esds {
      bytes.fullBox("esds") { $0.append(esds) }
    } else {
      var descriptor = ESDescriptor()
      descriptor.decoderSpecificInfo = configuration.bytes
      descriptor.write(to: &bytes)
    }
  }

  /// An `esds` content whose descriptor lengths have `lengthBytes` bytes.
  static func esds(
    _ info: [UInt8], lengthBytes: Int, objectType: UInt8 = 0x40, reservedBit: UInt8 = 1, flags: [UInt8] = [0]
  ) -> [UInt8] {
    func descriptor(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
      var head = [tag]
      for index in (0..<lengthBytes).reversed() {
        head.append(UInt8(content.count >> (7 * index) & 0x7F) | (index > 0 ? 0x80 : 0))
      }
      return head + content
    }
    let config =
      [objectType, 5 << 2 | reservedBit, 0, 6, 0] + [UInt8](repeating: 0, count: 8) + descriptor(5, info)
    return descriptor(3, [0, 0] + flags + descriptor(4, config) + descriptor(6, [2]))
  }
}
