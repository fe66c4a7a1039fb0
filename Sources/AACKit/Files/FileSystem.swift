#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Questions to the file system, and what a file that has to outlive a crash needs.
enum FileSystem {
  /// Where a symbolic link leads, so that it is not the link that is replaced.
  static func resolve(_ path: String) -> String {
    // unsafe: realpath returns a new text, which is copied and freed here.
    guard let real = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  static func isLink(_ path: String) -> Bool {
    var status = stat()
    // unsafe: lstat fills the structure it is given.
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  static func status(_ path: String) -> stat? {
    var status = stat()
    // unsafe: stat fills the structure it is given.
    return unsafe stat(path, &status) == 0 ? status : nil
  }

  /// The system's words for an error number.
  static func message(_ number: Int32) -> String {
    // unsafe: the text is copied at once.
    guard let words = unsafe strerror(number) else { return "error \(number)" }
    return unsafe String(cString: words)
  }

  /// The folder with its slash (empty: the present one), and the name in it.
  static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return ("", path) }
    return (String(path[...slash]), String(path[path.index(after: slash)...]))
  }

  /// A name beside `path` that nobody else has.
  static func temporaryName(beside path: String) -> String {
    let (folder, name) = split(path)
    let tail = String(UInt32.random(in: 0...(.max)), radix: 36)
    return "\(folder).\(temporaryStem(name)).\(tail).part"
  }

  /// As much of a name as leaves room for the rest of a temporary one: names end at 255 bytes.
  static func temporaryStem(_ name: String) -> String {
    var stem = ""
    var length = 0
    for character in name {
      length += character.utf8.count
      if length > 200 { break }
      stem.append(character)
    }
    return stem
  }

  /// Whether a file is the same and has not been written to between two looks.
  static func isSame(_ one: stat, _ other: stat) -> Bool {
    guard one.st_dev == other.st_dev, one.st_ino == other.st_ino, one.st_size == other.st_size else {
      return false
    }
    #if canImport(Darwin)
      let (first, second) = (one.st_mtimespec, other.st_mtimespec)
    #else
      let (first, second) = (one.st_mtim, other.st_mtim)
    #endif
    return first.tv_sec == second.tv_sec && first.tv_nsec == second.tv_nsec
  }

  /// Replaces bytes of a file in one write, and waits until the disk has them.
  static func overwrite(_ path: String, _ bytes: [UInt8], at offset: Int64) throws(AACKitError) {
    // unsafe: open reads the path up to its zero byte, which Swift provides.
    let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw AACKitError(.cannotWrite(message(errno)), path: path) }
    defer { _ = close(descriptor) }
    // unsafe: as many bytes are taken as the array has.
    let written = unsafe bytes.withUnsafeBytes {
      unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset))
    }
    guard written == bytes.count, synchronize(descriptor) else {
      throw AACKitError(.cannotWrite(message(errno)), path: path)
    }
  }

  /// Makes a new name outlive a crash, as far as the file system does that.
  static func synchronizeFolder(of path: String) {
    let folder = split(path).folder
    // unsafe: open reads the path up to its zero byte, which Swift provides.
    let descriptor = unsafe open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = fsync(descriptor)
    close(descriptor)
  }

  /// Waits until the disk has a file's bytes. True where there is nothing to wait for: pipes and devices.
  static func synchronize(_ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
      let status = fsync(descriptor)
    #else
      let status = fdatasync(descriptor)
    #endif
    return status == 0 || errno == EINVAL || errno == EROFS
  }
}
