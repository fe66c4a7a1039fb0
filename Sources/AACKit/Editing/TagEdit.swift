public import AACContainers
public import AudioFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What an MP4 file says beside its sound, and can be changed.
public struct FileNotes: Sendable, Equatable {
  public var tags: Tags
  public var chapters: [Chapter]

  public init(tags: Tags = Tags(), chapters: [Chapter] = []) {
    self.tags = tags
    self.chapters = chapters
  }
}

/// What came of an edit.
public struct TagEditSummary: Sendable, Equatable {
  /// What was done to the file.
  public enum Outcome: String, Sendable, Equatable {
    /// The file has these notes already; nothing was written.
    case unchanged
    /// One write within a sector of the disk.
    case inPlace
    /// A new file took the old one's place.
    case rewritten
  }

  public var outcome: Outcome
  public var notes: FileNotes
  /// Bytes of the file.
  public var length: Int64
}

extension Transcoder {
  /// What an MP4 file says beside its sound.
  ///
  /// - Throws: `container` where it cannot be edited, with what can be done instead.
  public static func notes(of path: String) throws(AACKitError) -> FileNotes {
    let source = try openByteSource(path)
    do throws(ContainerError) {
      let editor = try MP4Editor(source)
      return FileNotes(tags: editor.tags, chapters: editor.chapters)
    } catch { throw AACKitError(.container(error), path: path) }
  }

  /// Changes tags, cover and chapters of an MP4 file, and not a byte of its sound.
  ///
  /// At every moment there is the old file or the new one, whatever happens to this program or to the machine. The new
  /// one is written beside the old one, compared with it access unit by access unit, and takes its place when it is on
  /// the disk; where all that differs lies in one sector of the disk, that is written in place. Rights of the file are
  /// kept; other names of it (hard links) keep the old content.
  ///
  /// - Parameters:
  ///   - isTrial: do everything but write.
  ///   - change: gets the present notes.
  /// - Throws: `container`, `cannotWrite`, `isDirectory`, `cancelled`; the file is as it was then.
  public static func editNotes(
    of path: String, isTrial: Bool = false, cancellation: Cancellation? = nil,
    _ change: (inout FileNotes) throws(AACKitError) -> Void
  ) throws(AACKitError) -> TagEditSummary {
    let source = try openByteSource(path)
    let before = FileSystem.status(path)
    let editor: MP4Editor
    do { editor = try MP4Editor(source) } catch { throw AACKitError(.container(error), path: path) }
    var notes = FileNotes(tags: editor.tags, chapters: editor.chapters)
    try change(&notes)
    let plan: EditPlan?
    let write: (offset: Int64, bytes: [UInt8])?
    do throws(ContainerError) {
      plan = try editor.plan(tags: notes.tags, chapters: notes.chapters)
      write = try plan?.singleWrite()
    } catch { throw AACKitError(.container(error), path: path) }
    guard let plan else {
      return TagEditSummary(outcome: .unchanged, notes: notes, length: source.length ?? 0)
    }
    let summary = TagEditSummary(
      outcome: write == nil ? .rewritten : .inPlace, notes: notes, length: plan.newLength)
    if isTrial { return summary }
    // A folder's rights would do for a new file, but the owner said that this one stays.
    // unsafe: access reads the path up to its zero byte, which Swift provides.
    guard unsafe access(path, W_OK) == 0 else {
      throw AACKitError(.cannotWrite(FileSystem.message(errno)), path: path)
    }
    let goesOn = { cancellation?.isCancelled != true }
    if let write {
      do { try plan.verify(goesOn: goesOn) } catch { throw AACKitError(.container(error), path: path) }
      guard goesOn() else { throw AACKitError(.cancelled, path: path) }
      try refuseChanged(path, since: before)
      try FileSystem.overwrite(path, write.bytes, at: write.offset)
    } else {
      try rewrite(path, plan, before, goesOn)
    }
    return summary
  }

  private static func rewrite(
    _ path: String, _ plan: EditPlan, _ before: stat?, _ goesOn: () -> Bool
  ) throws(AACKitError) {
    let file = try AtomicFile(path, replacing: true)
    do throws(ContainerError) {
      let sink = try FileSink(path: file.writingPath, replacing: true)
      let isWhole = try plan.write(to: sink, goesOn: goesOn)
      try sink.close(synchronize: true)
      if isWhole { try plan.verify(FileSource(path: file.writingPath), goesOn: goesOn) }
    } catch { throw AACKitError(.container(error), path: path) }
    guard goesOn() else { throw AACKitError(.cancelled, path: path) }
    try refuseChanged(path, since: before)
    try file.commit()
    FileSystem.synchronizeFolder(of: FileSystem.resolve(path))
  }

  private static func refuseChanged(_ path: String, since before: stat?) throws(AACKitError) {
    guard let before, let now = FileSystem.status(path), FileSystem.isSame(before, now) else {
      throw AACKitError(.cannotWrite("another program has changed it meanwhile"), path: path)
    }
  }
}
