#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What is in a folder.
package struct FolderListing {
  /// Names in the order of their bytes, without `.` and `..`.
  package private(set) var names: [String] = []
  /// Names that are no UTF-8, as near as text comes to them.
  package private(set) var unreadableNames: [String] = []

  /// `nil` where the folder cannot be read.
  package init?(_ path: String) {
    // unsafe: the system makes the stream, which is closed in the end; each entry is copied before the next call.
    guard let stream = unsafe opendir(path.isEmpty ? "." : path) else { return nil }
    defer { unsafe closedir(stream) }
    while let entry = unsafe readdir(stream) {
      let bytes = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { name in
        unsafe [UInt8](name.prefix { $0 != 0 })
      }
      if bytes == [0x2E] || bytes == [0x2E, 0x2E] { continue }
      if let name = String(validating: bytes, as: UTF8.self) {
        names.append(name)
      } else {
        unreadableNames.append(String(decoding: bytes, as: UTF8.self))
      }
    }
    names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    unreadableNames.sort()
  }
}
