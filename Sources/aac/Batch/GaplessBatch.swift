import AACContainers
import AACKit
import AudioFiles
import Synchronization

/// Tracks that run into each other, encoded in one run to one folder.
struct GaplessBatch: Sendable {
  private let batch: Batch
  private let options: EncodeOptions
  private let arguments: ParsedArguments
  private let measuresLoudness: Bool

  init(
    _ request: BatchRequest, _ options: EncodeOptions, _ raw: RawInput?, _ arguments: ParsedArguments,
    _ console: Console
  ) throws(UsageError) {
    if raw != nil { throw UsageError("--gapless takes files with headers: leave --raw-input out") }
    if options.sampleRate != nil { throw UsageError("--gapless keeps the sampling rate: leave --rate out") }
    if let format = arguments.string(ContainerOptions.format), format != ContainerFormat.m4a.rawValue {
      throw .value(
        ContainerOptions.format.name, format, "with --gapless it is m4a, which tells where the sound begins")
    }
    try ContainerOptions.check(options.output, arguments, console)
    measuresLoudness = try EncodeJob.measuresLoudness(arguments, .m4a)
    let plan = try BatchPlan(
      request, extensions: EncodeBatch.extensions, outputExtension: ContainerFormat.m4a.usualExtension)
    batch = try Batch(plan, request, arguments, console)
    self.options = options
    self.arguments = arguments
  }

  func run() -> Int32 {
    let isInterrupted = { batch.console.cancellation.isCancelled }
    // Without one of its tracks an album has a gap.
    guard batch.plan.refusals.isEmpty else { return batch.report.end(isInterrupted: false) }
    let left = Set(batch.remaining(isWhole: Outputs.isWholeContainer).map(\.output))
    guard !left.isEmpty else { return batch.report.end(isInterrupted: isInterrupted()) }
    let items = batch.plan.items
    // The track that is being read, and which are done.
    var present = 0
    var done: Set<Int> = []
    do throws(AACKitError) {
      let replaces = arguments.has(SharedOptions.overwrite)
      for (index, item) in items.enumerated() where left.contains(item.output) {
        present = index
        if !replaces, Files.exists(item.output) { throw AACKitError(.exists, path: item.output) }
        try batch.makeFolder(of: item)
      }
      let tags = measuresLoudness ? levelTags() : []
      try Transcoder.encodeGapless(
        items.map(\.input), to: items.map { left.contains($0.output) ? $0.output : nil }, options, tags: tags,
        replacing: replaces, cancellation: batch.console.cancellation,
        progress: { index, progress in
          present = index
          batch.report.update(index, items[index], progress)
        },
        finished: { index, summary in
          done.insert(index)
          batch.report.finish(index, items[index], .done, seconds: summary.duration)
        })
    } catch {
      let named = items.indices.first { items[$0].input == error.path || items[$0].output == error.path }
      let place = named ?? items.indices.first { !done.contains($0) && $0 >= present } ?? present
      batch.report.finish(place, items[place], error)
    }
    return batch.report.end(isInterrupted: isInterrupted())
  }

  /// Tags about the loudness, for each track.
  private func levelTags() -> [Tags] {
    let levels = AlbumLevels(batch) { item in
      try EncodeJob(input: item.input, output: item.output, options: options).measure(batch.console)
    }
    let album = arguments.has(EncodeSwitches.album) ? levels.album : nil
    return batch.plan.items.map { item in
      levels.tracks[item.input]?.tags(album: album, changing: options.output.tags) ?? options.output.tags
    }
  }
}
