#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system's words for an error number.
func systemMessage(_ number: Int32) -> String {
  // unsafe: strerror returns a text of its own that stays valid until the next call; it is copied here.
  guard let words = unsafe strerror(number) else { return "error \(number)" }
  return unsafe String(cString: words)
}

/// What kind of thing an open descriptor is.
struct DescriptorKind {
  var isDirectory = false
  var isRegular = false
  var size: Int64 = 0

  init(_ descriptor: Int32) {
    var status = stat()
    // unsafe: fstat fills the structure it is given.
    guard unsafe fstat(descriptor, &status) == 0 else { return }
    isDirectory = status.st_mode & S_IFMT == S_IFDIR
    isRegular = status.st_mode & S_IFMT == S_IFREG
    size = Int64(status.st_size)
  }
}
