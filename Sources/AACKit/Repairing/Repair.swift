import AAC
import AACContainers
public import AudioFiles

extension Transcoder {
  /// Makes a plain file of a damaged or unfinished one: MP4 in fragments, or cut off, or without its tables; ADTS,
  /// LOAS and others with missing or damaged frames. What is whole is kept bit by bit.
  ///
  /// An undamaged file is left alone, and no output is written for it.
  ///
  /// - Parameters:
  ///   - outputPath: the new file; `nil`: it takes the place of the old one, which is kept as `NAME.damaged.EXT`
  ///     unless all of its packets are in the new one.
  /// - Throws: `nothingToSave` where no packet is whole; `exists` for the output or the kept original;
  ///   `unsupported` where the container of the output, or what the file holds, does not allow it; what reading or
  ///   writing throws; `cancelled`.
  @discardableResult
  public static func repair(
    _ path: String, to outputPath: String? = nil, _ options: RepairOptions = RepairOptions(),
    cancellation: Cancellation? = nil, progress: (Progress) -> Void = { _ in }
  ) throws(AACKitError) -> RepairSummary {
    let file = try DamagedFile(path, options)
    let strange = try file.firstStrangeByte()
    let (found, checksPackets) = try survey(file, strange, cancellation)
    var summary = RepairSummary(container: file.info.container)
    summary.adopt(found, of: file)
    if file.kind == .container, !found.isDamaged { return summary }
    if found.keptCount == 0 { throw nothingKept(file, found) }

    summary.container = try outputContainer(file, outputPath, options)
    // All that the original has is in the new file, and nothing else was in it.
    let isLossless = file.kind == .fragments && !found.isDamaged && !file.hasOtherTracks
    if outputPath == nil, file.hasOtherTracks {
      throw AACKitError(
        .unsupported("the file has other tracks, which a repair would leave out: name an output"), path: path)
    }
    let place = RepairPlace(
      path, output: outputPath, keepsOriginal: !isLossless, replacing: options.replacing,
      inputs: [path] + (options.like.map { [$0] } ?? []))
    let target = try place.open()
    var salvage = Salvage(
      try file.open(), path: path, checksPackets: checksPackets, strangeByte: strange)
    let copied = try salvage.copy(
      to: target.sink, PacketOutput(summary.container), path: outputPath ?? path, cancellation: cancellation,
      progress: progress)
    summary.originalPath = try place.commit(target)
    summary.adopt(copied, of: file)
    summary.outcome = .repaired
    return summary
  }

  /// Looks at everything first, so that an undamaged file costs no disk space.
  private static func survey(
    _ file: DamagedFile, _ strange: Int64?, _ cancellation: Cancellation?
  ) throws(AACKitError) -> (Salvage.Finding, checksPackets: Bool) {
    var salvage = Salvage(try file.open(), path: file.path, checksPackets: true, strangeByte: strange)
    let finding = try salvage.survey(cancellation: cancellation)
    // Where most are no access units, it is the look at them that is wrong.
    guard finding.brokenCount > finding.keptCount else { return (finding, true) }
    var trusting = Salvage(try file.open(), path: file.path, strangeByte: strange)
    return (try trusting.survey(cancellation: cancellation), false)
  }

  private static func nothingKept(_ file: DamagedFile, _ found: Salvage.Finding) -> AACKitError {
    let why =
      file.kind == .fragments
      ? "the recording ended before its first fragment was written"
      : found.faults.first ?? "no frame is whole"
    return AACKitError(.nothingToSave(why), path: file.path)
  }

  private static func outputContainer(
    _ file: DamagedFile, _ outputPath: String?, _ options: RepairOptions
  ) throws(AACKitError) -> ContainerFormat {
    if let container = options.container { return container }
    if let outputPath {
      guard let container = container(for: outputPath), container != .raw else {
        throw AACKitError(
          .unsupported("the name does not tell a container that repairs are written to"), path: outputPath)
      }
      return container
    }
    switch file.info.container {
    case .fmp4, .m4a: return .m4a
    case .ts, .flv, .raw:
      throw AACKitError(
        .unsupported("\(file.info.container.name) is not written: name an output"), path: file.path)
    case let container: return container
    }
  }
}

extension RepairSummary {
  fileprivate mutating func adopt(_ finding: Salvage.Finding, of file: DamagedFile) {
    keptCount = finding.keptCount
    lostCount = finding.lostCount
    silenceCount = finding.silenceCount
    hasUnknownLoss = finding.hasUnknownLoss
    duration = finding.timeRate > 0 ? Double(finding.frames) / Double(finding.timeRate) : 0
    furtherFaults = finding.furtherFaults
    firstOffset = finding.firstOffset
    assumptions = file.assumptions
    switch file.kind {
    case .container: faults = finding.faults
    case .fragments: faults = ["the recording was not finished: it is in fragments"] + finding.faults
    case .withoutTables: faults = ["the tables (moov) are missing"] + finding.faults
    }
  }
}
