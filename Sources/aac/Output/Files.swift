#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Questions to the file system.
enum Files {
  static func exists(_ path: String) -> Bool { status(path) != nil }

  static func isFolder(_ path: String) -> Bool {
    status(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    // unsafe: stat fills the structure it is given.
    return unsafe stat(path, &status) == 0 ? status : nil
  }
}
