import AACContainers

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where a repaired file goes: to a name of its own, or in the place of the damaged one.
struct RepairPlace {
  struct Target {
    let file: AtomicFile
    let sink: FileSink
  }

  private let path: String
  private let output: String?
  private let keepsOriginal: Bool
  private let replacing: Bool
  private let inputs: [String]

  init(_ path: String, output: String?, keepsOriginal: Bool, replacing: Bool, inputs: [String]) {
    self.path = output == nil && FileSystem.isLink(path) ? FileSystem.resolve(path) : path
    self.output = output
    self.keepsOriginal = keepsOriginal && output == nil
    self.replacing = replacing
    self.inputs = inputs
  }

  /// Where the original is kept: `NAME.damaged.EXT`.
  private var originalPath: String {
    let (folder, name) = FileSystem.split(path)
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "\(path).damaged" }
    return "\(folder)\(name[..<dot]).damaged\(name[dot...])"
  }

  /// - Throws: `exists` for the output, or for a kept original; `isInput`, `isDirectory`, `cannotWrite`.
  func open() throws(AACKitError) -> Target {
    if keepsOriginal, !replacing, FileSystem.status(originalPath) != nil {
      throw AACKitError(.exists, path: originalPath)
    }
    let file =
      if let output {
        try AtomicFile(output, replacing: replacing, inputs: inputs)
      } else { try AtomicFile(path, replacing: true) }
    do { return Target(file: file, sink: try FileSink(path: file.writingPath, replacing: true)) } catch {
      throw AACKitError(.container(error), path: output ?? path)
    }
  }

  /// Gives the new file its name once it is on the disk.
  ///
  /// - Returns: where the original is kept, if it is.
  func commit(_ target: Target) throws(AACKitError) -> String? {
    do { try target.sink.close(synchronize: true) } catch {
      throw AACKitError(.container(error), path: output ?? path)
    }
    if keepsOriginal { try keepOriginal() }
    try target.file.commit()
    FileSystem.synchronizeFolder(of: output ?? path)
    return keepsOriginal ? originalPath : nil
  }

  /// Gives the original a second name. The first one never stands for nothing where the file system has links.
  private func keepOriginal() throws(AACKitError) {
    let kept = originalPath
    // unsafe: all paths end with a zero byte, which Swift provides; so below.
    if unsafe link(path, kept) == 0 { return }
    let number = errno
    if number == EEXIST {
      guard replacing else { throw AACKitError(.exists, path: kept) }
      let beside = FileSystem.temporaryName(beside: kept)
      let isKept = unsafe link(path, beside) == 0 && rename(beside, kept) == 0
      // Where both were one file already, renaming left it.
      unsafe unlink(beside)
      if isKept { return }
    } else if FileSystem.status(kept) == nil, unsafe rename(path, kept) == 0 {
      return
    }
    throw AACKitError(.cannotWrite(FileSystem.message(number)), path: kept)
  }
}
