import AAC

/// The track of a movie that is read: the one asked for, else the first one that is enabled and can be decoded.
struct TrackChoice {
  let track: Track
  let number: Int
  let description: SampleDescription
  let configuration: AudioSpecificConfig
  let bytes: [UInt8]

  private struct Candidate {
    var choice: TrackChoice
    /// Lower is better.
    var rank: Int
  }

  /// - Parameter wanted: the number of a track, from 1.
  /// - Throws: `noTrack` where that one cannot be read; without a wish `notAAC` or `unsupported` with the name of what
  ///   is there.
  static func find(
    _ wanted: Int?, in movie: Movie, _ moov: Box, _ window: ByteWindow, _ source: any ByteSource
  ) throws(ContainerError) -> TrackChoice {
    var best: Candidate?
    var failure: ContainerError?
    for (index, track) in movie.tracks.enumerated() where track.isSound && wanted ?? index + 1 == index + 1 {
      guard let box = track.descriptionBox else { continue }
      do {
        let description = try SampleDescription(box, in: window)
        switch description.content {
        case .aac(let configuration, let bytes):
          let choice = TrackChoice(
            track: track, number: index + 1, description: description, configuration: configuration,
            bytes: bytes)
          let isDecodable = (try? configuration.checkDecodable()) != nil
          let rank = (isDecodable ? 0 : 2) + (track.isEnabled ? 0 : 1)
          if rank < best?.rank ?? .max { best = Candidate(choice: choice, rank: rank) }
        case .other(let name):
          failure = failure ?? ContainerError(.unsupported(name), at: box.start)
        }
      } catch {
        failure = failure ?? error
      }
    }
    if let best { return best.choice }
    if let wanted {
      // A damaged description tells more than its name.
      if let failure, movie.tracks.indices.contains(wanted - 1), !failure.isUnsupported { throw failure }
      throw movie.list(window, source).refusal(of: wanted)
    }
    throw failure ?? ContainerError(.notAAC("an MP4 file without sound"), at: moov.start)
  }
}

extension ContainerError {
  fileprivate var isUnsupported: Bool { if case .unsupported = reason { true } else { false } }
}

extension Track {
  /// Some writers leave the handler out.
  var isSound: Bool { handler == "soun" || handler == "none" }

  private var kind: TrackInfo.Kind {
    switch handler {
    case "soun", "none": .audio
    case "vide": .video
    case "text", "sbtl", "subt", "clcp": .text
    default: .other
    }
  }
}

extension Movie {
  /// What the tracks are, for people.
  func list(_ window: ByteWindow, _ source: any ByteSource) -> [TrackInfo] {
    tracks.enumerated().map { index, track in track.info(index + 1, window, source) }
  }
}

extension Track {
  fileprivate func info(_ number: Int, _ window: ByteWindow, _ source: any ByteSource) -> TrackInfo {
    var info = TrackInfo(number: number, id: Int(id), kind: kind, codec: "nothing that is described")
    info.language = language
    info.isEnabled = isEnabled
    info.duration = seconds(source)
    guard let descriptionBox else { return info }
    guard isSound else {
      info.codec = VisualCodec.name(descriptionBox, in: window) ?? "nothing that is described"
      return info
    }
    do {
      let description = try SampleDescription(descriptionBox, in: window)
      switch description.content {
      case .aac(let configuration, _):
        info.codec = configuration.codecName
        info.isReadable = (try? configuration.checkDecodable()) != nil
      case .other(let name): info.codec = name
      }
    } catch { info.codec = "audio that cannot be read" }
    return info
  }

  /// By the table of durations, which players go by; a header may be left over from another state of the file.
  private func seconds(_ source: any ByteSource) -> Double? {
    guard timescale > 0 else { return nil }
    var ticks = duration
    if let tableBox, let table = try? SampleTable(tables, source: source, parent: tableBox),
      let times = try? table.sumTimes(), times.total > 0
    {
      ticks = times.total
    }
    return ticks.map { Double($0) / Double(timescale) }
  }
}

extension AudioSpecificConfig {
  fileprivate var codecName: String {
    if sbrPresent == true { return psPresent == true ? "AAC HEv2" : "AAC HE" }
    return "AAC \(objectType.name)"
  }
}

/// What is beside the sound.
private enum VisualCodec {
  /// The first entry of an `stsd` box.
  static func name(_ box: Box, in window: ByteWindow) -> String? {
    var cursor = BoxCursor(box, skipping: 8)
    guard let entry = try? cursor.next(in: window) else { return nil }
    return switch entry.type {
    case "avc1", "avc3": "H.264 video (\(entry.type))"
    case "hvc1", "hev1", "dvh1", "dvhe": "H.265 video (\(entry.type))"
    case "av01": "AV1 video"
    case "vp08", "vp09": "VP8 or VP9 video (\(entry.type))"
    case "mp4v": "MPEG-4 video (mp4v)"
    case "encv": "encrypted video"
    case "jpeg", "mjpa", "mjpb", "png ": "pictures (\(entry.type))"
    case "tx3g", "text", "wvtt", "stpp", "c608": "text (\(entry.type))"
    default: "the codec \(entry.type)"
    }
  }
}
