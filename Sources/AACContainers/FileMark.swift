/// File formats that are known by their first bytes.
enum FileMark {
  private static let marks: [(bytes: [UInt8], name: String)] = [
    ([UInt8]("RIFF".utf8), "a RIFF file"),
    ([UInt8]("RF64".utf8), "a WAV file (RF64)"),
    ([UInt8]("BW64".utf8), "a WAV file (BW64)"),
    ([UInt8]("FORM".utf8), "an AIFF file"),
    ([UInt8]("caff".utf8), "a CAF file"),
    ([UInt8]("fLaC".utf8), "a FLAC file"),
    ([UInt8]("OggS".utf8), "an Ogg file"),
    ([UInt8](".snd".utf8), "an AU file"),
    ([UInt8]("#!AMR".utf8), "an AMR file"),
    ([UInt8]("MThd".utf8), "a MIDI file"),
    ([UInt8]("wvpk".utf8), "a WavPack file"),
    ([UInt8]("MAC ".utf8), "a Monkey's Audio file"),
    ([UInt8]("MPCK".utf8), "a Musepack file"),
    ([UInt8]("TTA1".utf8), "a TTA file"),
    ([UInt8]("DSD ".utf8), "a DSD file"),
    ([UInt8]("%PDF".utf8), "a PDF document"),
    ([UInt8]("#EXTM3U".utf8), "a playlist (M3U)"),
    ([UInt8]("<?xml".utf8), "an XML document"),
    ([UInt8]("<!DOC".utf8), "an HTML page"),
    ([UInt8]("<html".utf8), "an HTML page"),
    ([UInt8]("GIF8".utf8), "a GIF picture"),
    ([0x89, 0x50, 0x4E, 0x47], "a PNG picture"),
    ([0xFF, 0xD8, 0xFF], "a JPEG picture"),
    ([0x1A, 0x45, 0xDF, 0xA3], "a Matroska or WebM file"),
    ([0x30, 0x26, 0xB2, 0x75], "a Windows Media file (ASF)"),
    ([0x50, 0x4B, 0x03, 0x04], "a ZIP archive"),
    ([0x1F, 0x8B], "a gzip file"),
    ([0x7F, 0x45, 0x4C, 0x46], "a program (ELF)"),
    ([0x00, 0x00, 0x01, 0xBA], "an MPEG program stream"),
    ([0x0B, 0x77], "Dolby audio (AC-3)"),
    ([0x7F, 0xFE, 0x80, 0x01], "DTS audio"),
  ]

  /// Box types that MP4 and QuickTime files start with.
  private static let boxTypes: Set<FourCC> = [
    "ftyp", "moov", "mdat", "free", "skip", "wide", "styp", "sidx", "moof", "pnot", "uuid",
  ]

  static func identify(_ head: [UInt8]) -> Probe.Content? {
    if head.starts(with: "ADIF".utf8) { return .container(.adif) }
    if head.starts(with: "FLV".utf8) { return .container(.flv) }
    if isMP4(head) { return .container(.m4a) }
    if head.starts(with: "RIFF".utf8), head.count >= 12 {
      return .other(head[8..<12].elementsEqual("WAVE".utf8) ? "a WAV file" : "a RIFF file")
    }
    return marks.first { head.starts(with: $0.bytes) }.map { .other($0.name) }
  }

  private static func isMP4(_ head: [UInt8]) -> Bool {
    guard head.count >= 8 else { return false }
    var word: UInt64 = 0
    for index in 0..<8 { word = word << 8 | UInt64(head[index]) }
    let size = word >> 32
    return boxTypes.contains(FourCC(UInt32(truncatingIfNeeded: word))) && (size >= 8 || size <= 1)
  }

  /// Whether all of `head` are characters that texts have.
  static func isText(_ head: [UInt8]) -> Bool {
    let isWhole = head.allSatisfy { byte in
      byte == 9 || byte == 10 || byte == 13 || (0x20...0x7E).contains(byte) || (0x80..<0xF5).contains(byte)
    }
    return isWhole && head.contains { (0x20...0x7E).contains($0) }
  }
}
