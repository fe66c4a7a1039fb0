public import AACContainers
public import AudioFiles
import PCM

extension Transcoder {
  /// Encodes tracks that follow each other without a pause, as those of a live album, each to an M4A file of its own.
  ///
  /// Every file decodes to exactly its track's frames, and joined they sound as if they had been encoded in one piece.
  ///
  /// - Parameters:
  ///   - paths: the tracks in order, PCM files of one format.
  ///   - outputPaths: as many; `nil` for a track that only its neighbours need.
  ///   - tags: of each track, besides those of `options`.
  ///   - progress: called after each block with the track's place.
  ///   - finished: called for each track when its file is there.
  /// - Throws: `unsupported` for tracks of different formats, before anything is written; `noSamples`; what reading,
  ///   encoding or writing throws; `cancelled`. Tracks that are finished stay.
  public static func encodeGapless(
    _ paths: [String], to outputPaths: [String?], _ options: EncodeOptions = EncodeOptions(),
    tags: [Tags] = [],
    replacing: Bool = false, cancellation: Cancellation? = nil,
    progress: (Int, Progress) -> Void = { _, _ in }, finished: (Int, EncodeSummary) -> Void = { _, _ in }
  ) throws(AACKitError) {
    guard paths.count == outputPaths.count else {
      throw AACKitError(.unsupported("\(paths.count) tracks cannot become \(outputPaths.count) files"))
    }
    guard options.output.container == .m4a, options.sampleRate == nil else {
      throw AACKitError(.unsupported("tracks without gaps need M4A files and keep their sampling rate"))
    }
    guard let format = try commonFormat(paths) else { return }
    let layout = try prepare(BufferReader(PCMBuffer(format: format)), options).layout
    var run = try GaplessEncoder(
      options.encoderSettings(PCMFormat(sampleRate: format.sampleRate, layout: layout)))
    // A track's last packets come while the next one is read.
    var files: [Int: OutputFiles] = [:]
    func commit(_ tracks: [GaplessEncoder.Finished]) throws(AACKitError) {
      for track in tracks {
        guard let file = files.removeValue(forKey: track.index) else { continue }
        try file.commit()
        finished(track.index, track.summary)
      }
    }
    for (index, path) in paths.enumerated() {
      do throws(AACKitError) {
        if let output = outputPaths[index] {
          files[index] = try OutputFiles(output, .m4a, replacing: replacing, inputs: paths)
        }
        let source = try AudioFile.open(path, cancellation: cancellation)
        var options = options
        if tags.indices.contains(index) {
          for item in tags[index].items { options.output.tags[item.key] = item.value }
        }
        try run.begin(files[index]?.sink, options.output(for: source))
        let reader = try prepare(source, options).reader
        var buffer = PCMBuffer(format: reader.format)
        var frames: Int64 = 0
        while try read(reader, into: &buffer) {
          if cancellation?.isCancelled == true { throw AACKitError(.cancelled) }
          buffer.format.layout = layout
          try commit(try run.push(buffer))
          frames += Int64(buffer.frameCount)
          progress(
            index, Progress(frames: frames, total: reader.frameCount, sampleRate: format.sampleRate))
        }
        try run.end()
      } catch {
        var error = error
        if error.path == nil, error.reason != .cancelled { error.path = path }
        throw error
      }
    }
    try commit(try run.finish())
  }

  private static func read(
    _ reader: any AudioReader, into buffer: inout PCMBuffer
  ) throws(AACKitError) -> Bool {
    do { return try reader.read(8192, into: &buffer) > 0 } catch { throw AACKitError(.audioFile(error)) }
  }

  /// The format that all tracks have; `nil` where there are none.
  private static func commonFormat(_ paths: [String]) throws(AACKitError) -> PCMFormat? {
    var common: (format: PCMFormat, path: String)?
    for path in paths {
      let format = try AudioFile.open(path).format
      guard let first = common else {
        common = (format, path)
        continue
      }
      guard format == first.format else {
        throw AACKitError(
          .unsupported(
            "is \(words(format)), and \(first.path) is \(words(first.format)): tracks without gaps need one format"
          ),
          path: path)
      }
    }
    return common?.format
  }

  private static func words(_ format: PCMFormat) -> String { "\(format.sampleRate) Hz \(format.layout.name)" }
}
