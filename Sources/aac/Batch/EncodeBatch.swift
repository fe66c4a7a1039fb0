import AACContainers
import AACKit
import AudioFiles
import Synchronization

/// Several inputs to one folder.
struct EncodeBatch: Sendable {
  /// What is taken of folders: PCM only, since AAC is rarely meant to be encoded anew.
  static let extensions = ["wav", "wave", "aif", "aiff", "aifc", "flac", "caf", "w64", "rf64", "au"]

  private let batch: Batch
  private let options: EncodeOptions
  private let raw: RawInput?
  private let arguments: ParsedArguments
  private let measuresLoudness: Bool
  private let track: Int?

  init(
    _ request: BatchRequest, _ options: EncodeOptions, _ raw: RawInput?, _ arguments: ParsedArguments,
    _ console: Console
  ) throws {
    var options = options
    let formats = ContainerFormat.outputs.map { (name: $0.rawValue, value: $0) }
    options.output.container = try arguments.choice(ContainerOptions.format, formats) ?? .m4a
    try ContainerOptions.check(options.output, arguments, console)
    track = try TrackOption.number(arguments)
    measuresLoudness = try EncodeJob.measuresLoudness(arguments, options.output.container)
    let plan = try BatchPlan(
      request, extensions: Self.extensions, outputExtension: options.output.container.usualExtension)
    batch = try Batch(plan, request, arguments, console)
    self.options = options
    self.raw = raw
    self.arguments = arguments
  }

  func run() -> Int32 {
    let items = batch.remaining(isWhole: Outputs.isWholeContainer)
    // An album's loudness is that of all its tracks, those that are done already too.
    let isAlbum = arguments.has(EncodeSwitches.album) && !items.isEmpty
    let levels = isAlbum ? AlbumLevels(batch) { try job(for: $0).measure(batch.console) } : nil
    return batch.run(items) { item, progress in
      var job = job(for: item)
      job.level = levels?.tracks[item.input]
      job.album = levels?.album
      let (summary, warnings) = try job.run(arguments, batch.console, progress: progress)
      for warning in warnings { batch.report.remark("\(item.input): \(warning)") }
      return summary.duration
    }
  }

  private func job(for item: BatchItem) -> EncodeJob {
    var job = EncodeJob(input: item.input, output: item.output, options: options, raw: raw)
    job.measuresLoudness = measuresLoudness
    job.track = track
    return job
  }
}

/// How loud the tracks of an album are, and all of them together.
struct AlbumLevels: Sendable {
  private(set) var tracks: [String: ReplayGain]
  private(set) var album = ReplayGain()

  /// Measures all files of a batch. Those that cannot be read are left out: encoding them tells why.
  init(_ batch: Batch, _ measure: @escaping @Sendable (BatchItem) throws -> ReplayGain) {
    let levels = Mutex<[String: ReplayGain]>([:])
    batch.forEach(batch.plan.items) { _, item in
      guard let level = try? measure(item) else { return }
      levels.withLock { $0[item.input] = level }
    }
    tracks = levels.withLock { $0 }
    for level in tracks.values { album.add(level) }
  }
}

extension Outputs {
  /// Whether a container's packets can be read to the end.
  static func isWholeContainer(_ path: String) -> Bool {
    guard let source = try? openByteSource(path), let inspection = try? Inspection(source, path: path) else {
      return false
    }
    return !inspection.isDamaged && inspection.frames > 0 && inspection.warnings.isEmpty
  }

  /// Whether a PCM file has sound.
  static func isWholeSound(_ path: String) -> Bool {
    guard let reader = try? AudioFileReader(path: path) else { return false }
    return (reader.frameCount ?? 0) > 0 && reader.warnings.isEmpty
  }
}

extension ContainerFormat {
  var usualExtension: String {
    switch self {
    case .adts: "aac"
    case .m4a, .fmp4: "m4a"
    case .adif, .loas, .raw, .ts, .flv: rawValue
    }
  }
}
