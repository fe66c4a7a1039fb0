/// What a `moov` box says about its tracks.
struct Movie {
  var timescale: UInt32 = 1
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
  var timescale: UInt32 = 1
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

  /// The time scale in `mvhd` or `mdhd`.
  static func timescale(_ box: Box, in window: ByteWindow) throws(ContainerError) -> UInt32 {
    var parser = try window.parser(of: box, limit: 64)
    let version = try parser.uint8()
    try parser.skip(3 + (version == 1 ? 16 : 8))
    let timescale = try parser.uint32()
    guard timescale > 0 else {
      throw ContainerError(.malformed("the time scale in the box \(box.type) is 0"), at: box.start)
    }
    return timescale
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
        try parser.skip(3 + (version == 1 ? 16 : 8))
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
      case "mdhd": timescale = try Movie.timescale(box, in: window)
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
      default: break
      }
    }
  }
}
