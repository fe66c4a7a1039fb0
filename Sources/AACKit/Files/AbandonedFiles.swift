#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension AtomicFile {
  /// Removes temporary files of outputs whose writers are dead, and returns their paths.
  ///
  /// Every writer keeps its temporary file locked, and the system takes the lock away with the process. Files of
  /// writers that live are left alone, and so are all where the file system has no locks.
  ///
  /// - Parameter outputs: names as they were asked for; temporary files of other outputs stay.
  @discardableResult
  public static func removeAbandoned(beside outputs: [String]) -> [String] {
    var folders: [String: Set<String>] = [:]
    for output in outputs {
      let (folder, name) = FileSystem.split(FileSystem.resolve(output))
      folders[folder, default: []].insert(FileSystem.temporaryStem(name))
    }
    var removed: [String] = []
    for (folder, stems) in folders {
      for name in FolderListing(folder)?.names ?? [] where isTemporary(name, of: stems) {
        if removeUnlocked(folder + name) { removed.append(folder + name) }
      }
    }
    return removed
  }

  /// Whether a name is `.STEM.TAIL.part` with one of the stems.
  private static func isTemporary(_ name: String, of stems: Set<String>) -> Bool {
    guard name.hasPrefix("."), name.hasSuffix(".part") else { return false }
    let body = name.dropLast(5)
    guard let dot = body.lastIndex(of: "."), dot != body.startIndex else { return false }
    let tail = body[body.index(after: dot)...]
    guard (1...7).contains(tail.count), tail.allSatisfy({ $0.isASCII && ($0.isNumber || $0.isLowercase) })
    else {
      return false
    }
    return stems.contains(String(body[body.index(after: body.startIndex)..<dot]))
  }

  private static func removeUnlocked(_ path: String) -> Bool {
    // unsafe: both calls read the path up to its zero byte, which Swift provides.
    let descriptor = unsafe open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
    return unsafe unlink(path) == 0
  }
}
