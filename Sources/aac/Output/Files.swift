#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Questions to the file system, and folders.
enum Files {
  /// What tells one file from all others, whatever it is called.
  struct Identity: Hashable, Sendable {
    var device: UInt64
    var number: UInt64
  }

  /// A moment on the file system's clock.
  struct Moment: Comparable, Sendable {
    var seconds: Int
    var nanoseconds: Int

    static func < (left: Moment, right: Moment) -> Bool {
      (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
  }

  static func exists(_ path: String) -> Bool { status(path) != nil }

  static func isFolder(_ path: String) -> Bool {
    status(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
  }

  static func isLink(_ path: String) -> Bool {
    var status = stat()
    // unsafe: lstat fills the structure it is given.
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  static func identity(_ path: String) -> Identity? {
    status(path).map { Identity(device: UInt64($0.st_dev), number: UInt64($0.st_ino)) }
  }

  /// Bytes of a file, 0 where there is none.
  static func size(_ path: String) -> Int64 { status(path).map { Int64($0.st_size) } ?? 0 }

  /// When a file's content changed last.
  static func modified(_ path: String) -> Moment? {
    status(path).map { status in
      #if canImport(Glibc)
        Moment(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
      #else
        Moment(seconds: status.st_mtimespec.tv_sec, nanoseconds: status.st_mtimespec.tv_nsec)
      #endif
    }
  }

  /// Makes a folder and those above it; false where that cannot be.
  static func makeFolders(_ path: String) -> Bool {
    if path.isEmpty || isFolder(path) { return true }
    var made = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      made += part + "/"
      // unsafe: mkdir reads the path up to its zero byte, which Swift provides.
      if !part.isEmpty, !isFolder(made), unsafe mkdir(made, 0o777) != 0, !isFolder(made) { return false }
    }
    return true
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    // unsafe: stat fills the structure it is given.
    return unsafe stat(path, &status) == 0 ? status : nil
  }
}
