/// What a `moov` box says about its tracks.
struct Movie {
  /// 0 where the file does not tell it.
  var timescale: UInt32 = 0
  /// The samples are in fragments (`mvex` is there).
  var isFragmented = false
  /// In the movie's time scale, from `mehd`.
  var fragmentDuration: UInt64?
  var tracks: [Track] = []
  var defaults: [TrackDefaults] = []
  var metadata = MetadataItems.Content()

  /// What a `trex` box says for all fragments of a track.
  struct TrackDefaults {
    var trackID: UInt32
    var duration: UInt32
    var size: UInt32
  }

  private static let trackLimit = 256
}

/// A track of a movie.
struct Track {
  var id: UInt32 = 0
  var handler: FourCC = "none"
  /// 0 where the file does not tell it.
  var timescale: UInt32 = 0
  /// In that time scale; `nil` where it is not told.
  var duration: UInt64?
  var language: String?
  var isEnabled = false
  /// Samples in front of a place that are to be decoded too, by the file.
  var preRoll = 0
  var edits: EditList?
  /// Tracks with the names of chapters.
  var chapterTracks: [UInt32] = []
  var descriptionBox: Box?
  var tableBox: Box?
  var tables = SampleTable.Boxes()
}

extension Movie {
  init(_ moov: Box, in window: ByteWindow) throws(ContainerError) {
    var cursor = BoxCursor(moov)
    while let box = try cursor.next(in: window) {
      switch box.type {
      case "mvhd": timescale = try Self.timescale(box, in: window)
      case "trak":
        guard tracks.count < Self.trackLimit else { continue }
        tracks.append(try Track(box, in: window))
      case "mvex": try parseExtends(box, in: window)
      case "udta": merge(MetadataItems.read(userData: box, in: window))
      case "meta":
        var content = MetadataItems.Content()
        do {
          try MetadataItems.read(meta: box, in: window, into: &content)
        } catch {
          content.remarks.append("the tags are damaged: \(error)")
          content.isIncomplete = true
        }
        merge(content)
      default: break
      }
    }
  }

  private mutating func merge(_ content: MetadataItems.Content) {
    if metadata.tags.isEmpty {
      metadata.tags = content.tags
    } else if !content.tags.isEmpty {
      // The first are read; an edit could not keep the others.
      metadata.isIncomplete = true
    }
    if metadata.chapters.isEmpty { metadata.chapters = content.chapters }
    if metadata.gapless == nil { metadata.gapless = content.gapless }
    metadata.gaplessBoxes += content.gaplessBoxes
    metadata.isIncomplete = metadata.isIncomplete || content.isIncomplete
    metadata.remarks += content.remarks
  }

  private mutating func parseExtends(_ box: Box, in window: ByteWindow) throws(ContainerError) {
    isFragmented = true
    var cursor = BoxCursor(box)
    while let child = try cursor.next(in: window) {
      var parser = try window.parser(of: child, limit: 64)
      if child.type == "mehd" {
        let version = try parser.uint8()
        try parser.skip(3)
        fragmentDuration = version == 1 ? try parser.uint64() : UInt64(try parser.uint32())
      } else if child.type == "trex", defaults.count < Self.trackLimit {
        try parser.skip(4)
        let id = try parser.uint32()
        try parser.skip(4)  // default_sample_description_index
        defaults.append(
          TrackDefaults(trackID: id, duration: try parser.uint32(), size: try parser.uint32()))
      }
    }
  }

  /// The time scale in `mvhd`.
  private static func timescale(_ box: Box, in window: ByteWindow) throws(ContainerError) -> UInt32 {
    var parser = try window.parser(of: box, limit: 64)
    let version = try parser.uint8()
    try parser.skip(3 + (version == 1 ? 16 : 8))
    return try parser.uint32()
  }
}

extension Track {
  init(_ trak: Box, in window: ByteWindow) throws(ContainerError) {
    var cursor = BoxCursor(trak)
    while let box = try cursor.next(in: window) {
      switch box.type {
      case "tkhd":
        var parser = try window.parser(of: box, limit: 64)
        let version = try parser.uint8()
        isEnabled = try parser.uint24() & 1 != 0
        try parser.skip(version == 1 ? 16 : 8)
        id = try parser.uint32()
      case "edts":
        var inner = BoxCursor(box)
        while let child = try inner.next(in: window) {
          if child.type == "elst", edits == nil { edits = try EditList(child, in: window) }
        }
      case "tref":
        var inner = BoxCursor(box)
        while let child = try inner.next(in: window) {
          guard child.type == "chap" else { continue }
          var parser = try window.parser(of: child, limit: 64)
          while parser.remaining >= 4 { chapterTracks.append(try parser.uint32()) }
        }
      case "mdia": try parseMedia(box, in: window)
      default: break
      }
    }
  }

  private mutating func parseMedia(_ mdia: Box, in window: ByteWindow) throws(ContainerError) {
    var cursor = BoxCursor(mdia)
    while let box = try cursor.next(in: window) {
      switch box.type {
      case "mdhd": try parseHeader(box, in: window)
      case "elng":
        var parser = try window.parser(of: box, limit: 64)
        try parser.skip(4)
        let name = try parser.take(parser.remaining).prefix { $0 != 0 }
        if !name.isEmpty, name.allSatisfy({ (0x2D...0x7A).contains($0) }) {
          language = String(decoding: name, as: UTF8.self)
        }
      case "hdlr":
        var parser = try window.parser(of: box, limit: 64)
        try parser.skip(8)
        handler = try parser.fourCC()
      case "minf":
        var inner = BoxCursor(box)
        while let child = try inner.next(in: window) {
          if child.type == "stbl" { try parseTables(child, in: window) }
        }
      default: break
      }
    }
  }

  /// `mdhd`.
  private mutating func parseHeader(_ box: Box, in window: ByteWindow) throws(ContainerError) {
    var parser = try window.parser(of: box, limit: 64)
    let version = try parser.uint8()
    try parser.skip(3 + (version == 1 ? 16 : 8))
    timescale = try parser.uint32()
    let width = version == 1 ? 8 : 4
    guard parser.remaining >= width else { return }
    let told = try parser.unsigned(width)
    // All ones: not known. Writers that are still at it say 0.
    if told != 0, told != (version == 1 ? .max : UInt64(UInt32.max)) { duration = told }
    guard parser.remaining >= 2 else { return }
    let letters = try parser.uint16()
    let text = [10, 5, 0].map { UInt8(letters >> $0 & 31) + 0x60 }
    // Smaller numbers are QuickTime's own codes of languages.
    guard letters >= 0x400, text.allSatisfy({ (0x61...0x7A).contains($0) }), language == nil else { return }
    language = text.elementsEqual("und".utf8) ? nil : String(decoding: text, as: UTF8.self)
  }

  private mutating func parseTables(_ stbl: Box, in window: ByteWindow) throws(ContainerError) {
    tableBox = stbl
    var cursor = BoxCursor(stbl)
    while let box = try cursor.next(in: window) {
      switch box.type {
      case "stsd": descriptionBox = box
      case "stts": tables.times = box
      case "stsc": tables.chunks = box
      case "stsz", "stz2": tables.sizes = box
      case "stco", "co64": tables.offsets = box
      case "sgpd": preRoll = max(preRoll, (try? RollGroups.distance(box, in: window)) ?? 0)
      default: break
      }
    }
  }
}
