#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An output file that appears under its name only when it is whole.
///
/// Until `commit()` everything goes to a temporary file beside it, which is removed where `commit()` is
/// never called, and locked so that others can tell whether its writer lives. Devices and named pipes are written
/// to directly.
public final class AtomicFile {
  /// The name asked for.
  public let path: String
  /// Where to write.
  public let writingPath: String
  private let target: String
  private let replaces: Bool
  private var isPending: Bool
  /// Holds the lock on the temporary file.
  private var descriptor: Int32 = -1

  /// - Parameters:
  ///   - replacing: whether an existing file may be replaced.
  ///   - inputs: files that are read for it; none of them may be the output.
  /// - Throws: `exists`, `isInput`, `isDirectory`, `cannotWrite`.
  public init(_ path: String, replacing: Bool, inputs: [String] = []) throws(AACKitError) {
    self.path = path
    replaces = replacing
    let target = FileSystem.resolve(path)
    self.target = target
    var mode: mode_t = 0o666
    var replaced: stat?
    if let status = FileSystem.status(target) {
      if status.st_mode & S_IFMT == S_IFDIR { throw AACKitError(.isDirectory, path: path) }
      for input in inputs {
        guard let other = FileSystem.status(input) else { continue }
        if other.st_dev == status.st_dev, other.st_ino == status.st_ino {
          throw AACKitError(.isInput, path: path)
        }
      }
      guard status.st_mode & S_IFMT == S_IFREG else {
        writingPath = path
        isPending = false
        return
      }
      guard replacing else { throw AACKitError(.exists, path: path) }
      mode = status.st_mode & 0o777
      replaced = status
    }
    guard !FileSystem.split(target).name.isEmpty else { throw AACKitError(.isDirectory, path: path) }
    (writingPath, descriptor) = Self.makeTemporary(beside: target, mode)
    isPending = descriptor >= 0
    guard isPending else { throw AACKitError(.cannotWrite(FileSystem.message(errno)), path: path) }
    if let replaced {
      // The old file's owner, as far as this user may give it away, and its rights, whatever those of new files are.
      if replaced.st_uid != geteuid() || replaced.st_gid != getegid() {
        _ = fchown(descriptor, replaced.st_uid, replaced.st_gid)
      }
      _ = fchmod(descriptor, mode)
    }
  }

  /// A new, locked file; the descriptor is below 0, and `errno` set, where it cannot be made.
  private static func makeTemporary(beside target: String, _ mode: mode_t) -> (
    path: String, descriptor: Int32
  ) {
    while true {
      let path = FileSystem.temporaryName(beside: target)
      // unsafe: open reads the path up to its zero byte, which Swift provides.
      let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      guard descriptor >= 0 else { return (path, -1) }
      // Somebody who tidies up may come before the lock: then the file has no name any more, or soon has none.
      var status = stat()
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        if errno != EWOULDBLOCK { return (path, descriptor) }
      } else if unsafe fstat(descriptor, &status) != 0 || status.st_nlink > 0 {
        return (path, descriptor)
      }
      close(descriptor)
    }
  }

  private func unlock() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  deinit {
    discard()
    unlock()
  }

  /// Gives the file its name.
  ///
  /// - Throws: `exists` where another one has come up since, `cannotWrite`.
  public func commit() throws(AACKitError) {
    guard isPending else { return }
    if !replaces {
      // A link never replaces anything. File systems without links get the plain way.
      // unsafe: both paths end with a zero byte, which Swift provides; so below.
      if unsafe link(writingPath, target) == 0 {
        discard()
        return
      }
      if errno == EEXIST || FileSystem.status(target) != nil {
        discard()
        throw AACKitError(.exists, path: path)
      }
    }
    // What is replaced may be all that there is: after a power cut either file shall be whole.
    if FileSystem.status(target) != nil { _ = FileSystem.synchronize(descriptor) }
    guard unsafe rename(writingPath, target) == 0 else {
      let message = FileSystem.message(errno)
      discard()
      throw AACKitError(.cannotWrite(message), path: path)
    }
    isPending = false
    unlock()
  }

  /// Removes the temporary file.
  public func discard() {
    guard isPending else { return }
    isPending = false
    unsafe unlink(writingPath)
    unlock()
  }
}
