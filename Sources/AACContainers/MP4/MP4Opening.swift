import AAC

/// Opens an MP4 file: finds `moov` and in it the track to be read.
struct MP4Opening {
  var moov: Box
  var movie: Movie
  var track = Track()
  var configuration: AudioSpecificConfig
  var configurationBytes: [UInt8]
  var descriptor: ESDescriptor
  var table: SampleTable?
  var fragments: FragmentWalk?
  var trackDefaults: Movie.TrackDefaults?
  var remarks: [String] = []

  /// The number of the track that is read, from 1, and what there is; empty where there is no other.
  var number = 1
  var tracks: [TrackInfo] = []

  /// - Parameter wanted: the number of the track; `nil` for the usual one.
  init(_ window: ByteWindow, track wanted: Int? = nil) throws(ContainerError) {
    moov = try Self.findMovie(window)
    // What cannot be read twice is kept.
    let tables = try Self.tableSource(moov, window)
    let tableWindow = ByteWindow(tables)
    movie = try Movie(moov, in: tableWindow)
    remarks = movie.metadata.remarks

    let choice = try TrackChoice.find(wanted, in: movie, moov, tableWindow, tables)
    track = choice.track
    number = choice.number
    if movie.tracks.count > 1 { tracks = movie.list(tableWindow, tables) }
    configuration = choice.configuration
    configurationBytes = choice.bytes
    descriptor = choice.description.descriptor
    remarks += choice.description.remarks
    if choice.description.entryCount > 1 {
      remarks.append("the track has several descriptions; the first is used for all")
    }
    let id = track.id
    trackDefaults = movie.defaults.first { $0.trackID == id }
    guard let parent = track.tableBox else {
      throw ContainerError(.malformed("the audio track has no tables"), at: moov.start)
    }
    if movie.isFragmented {
      fragments = FragmentWalk(from: moov.end, trackID: track.id, defaults: movie.defaults)
      fragments?.timescale = track.timescale
      fragments?.editStart = UInt64(max(0, track.edits?.firstUseful?.mediaTime ?? 0))
      // Some fragmented files have no tables, some have empty ones, and some have the first samples there.
      if let filled = try? SampleTable(track.tables, source: tables, parent: parent), filled.sampleCount > 0 {
        table = filled
      }
    } else {
      table = try SampleTable(track.tables, source: tables, parent: parent)
    }
  }

  private static func findMovie(_ window: ByteWindow) throws(ContainerError) -> Box {
    var cursor = BoxCursor(from: try TagBlock.endOfLeadingTags(in: window), to: nil, in: nil)
    var sound: Box?
    do throws(ContainerError) {
      while let box = try cursor.next(in: window) {
        if box.type == "moov" {
          guard !box.isCut else {
            throw ContainerError(.truncated("the file, in its tables (moov),"), at: box.start)
          }
          return box
        }
        if box.type == "mdat" { sound = box }
      }
    } catch {
      guard case .needsSeeking = error.reason, let sound else { throw error }
      throw ContainerError(
        .needsSeeking("the tables (moov) stand behind the sound, which is too long to be kept"),
        at: sound.start)
    }
    if let sound {
      throw ContainerError(
        .malformed("the file has sound but no tables (moov): it was never finished"), at: sound.start)
    }
    throw ContainerError(.malformed("there is no moov box"), at: 0)
  }

  private static func tableSource(_ moov: Box, _ window: ByteWindow) throws(ContainerError) -> any ByteSource
  {
    guard !window.source.isSeekable else { return window.source }
    let size = moov.end - moov.start
    guard size <= Int64(FileSource.standardLookAhead) else {
      throw ContainerError(
        .needsSeeking("the tables (moov) have \(size) bytes, too many to be kept"), at: moov.start)
    }
    let bytes = try window.source.read(at: moov.start, count: Int(size))
    guard bytes.count == Int(size) else {
      throw ContainerError(.truncated("the file, in its tables (moov),"), at: moov.start + Int64(bytes.count))
    }
    return MemorySource(bytes, base: moov.start)
  }
}
