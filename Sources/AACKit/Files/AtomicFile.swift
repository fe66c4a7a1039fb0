#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An output file that appears under its name only when it is whole.
///
/// Until `commit()` everything goes to a temporary file beside it, which is removed where `commit()` is
/// never called. Devices and named pipes are written to directly.
public final class AtomicFile {
  /// The name asked for.
  public let path: String
  /// Where to write.
  public let writingPath: String
  private let target: String
  private let replaces: Bool
  private var isPending: Bool

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
    writingPath = FileSystem.temporaryName(beside: target)
    isPending = true
    // unsafe: open reads the path up to its zero byte, which Swift provides.
    let descriptor = unsafe open(writingPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else {
      isPending = false
      throw AACKitError(.cannotWrite(FileSystem.message(errno)), path: path)
    }
    if let replaced {
      // The old file's owner, as far as this user may give it away, and its rights, whatever those of new files are.
      if replaced.st_uid != geteuid() || replaced.st_gid != getegid() {
        _ = fchown(descriptor, replaced.st_uid, replaced.st_gid)
      }
      _ = fchmod(descriptor, mode)
    }
    close(descriptor)
  }

  deinit { discard() }

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
    guard unsafe rename(writingPath, target) == 0 else {
      let message = FileSystem.message(errno)
      discard()
      throw AACKitError(.cannotWrite(message), path: path)
    }
    isPending = false
  }

  /// Removes the temporary file.
  public func discard() {
    guard isPending else { return }
    isPending = false
    unsafe unlink(writingPath)
  }
}
