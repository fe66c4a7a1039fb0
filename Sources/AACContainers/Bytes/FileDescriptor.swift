#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The operating system's file calls. All unsafe code of this module is here: each call gets a pointer to
/// a part of an array whose bounds are checked just before.
struct FileDescriptor: Sendable {
  let number: Int32

  enum Access {
    case read
    /// Makes a new file, readable too; `replacing` an existing one only if asked.
    case create(replacing: Bool)
  }

  static func open(_ path: String, _ access: Access) throws(ContainerError) -> FileDescriptor {
    let flags: Int32 =
      switch access {
      case .read: O_RDONLY
      case .create(let replacing): O_RDWR | O_CREAT | (replacing ? O_TRUNC : O_EXCL)
      }
    while true {
      // The path is copied to a C string that lives for the call.
      let number = unsafe path.withCString { unsafe openFile($0, flags | O_CLOEXEC, 0o644) }
      if number >= 0 { return FileDescriptor(number: number) }
      if errno != EINTR { throw failure("cannot open \(path)") }
    }
  }

  func close() { _ = closeFile(number) }

  /// Size where this is a file that can be read at any place, else `nil`.
  var seekableSize: Int64? {
    var status = stat()
    // `status` is a local of the right type.
    guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(status.st_size)
  }

  /// Reads once. `offset` `nil`: from where the last read ended. Returns 0 at the end.
  func read(
    into buffer: inout [UInt8], _ range: Range<Int>, at offset: Int64?
  ) throws(ContainerError) -> Int {
    precondition(range.lowerBound >= 0 && range.upperBound <= buffer.count)
    guard !range.isEmpty else { return 0 }
    while true {
      let got = unsafe buffer.withUnsafeMutableBytes { bytes in
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[range])
        return if let offset {
          unsafe pread(number, part.baseAddress, part.count, off_t(offset))
        } else {
          unsafe readFile(number, part.baseAddress, part.count)
        }
      }
      if got >= 0 { return got }
      if errno != EINTR { throw Self.failure("cannot read", at: offset) }
    }
  }

  /// Writes all of `range`. `offset` `nil`: behind the last write.
  func write(_ buffer: [UInt8], _ range: Range<Int>, at offset: Int64?) throws(ContainerError) {
    precondition(range.lowerBound >= 0 && range.upperBound <= buffer.count)
    var done = range.lowerBound
    while done < range.upperBound {
      let rest = done..<range.upperBound
      let put = unsafe buffer.withUnsafeBytes { bytes in
        let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[rest])
        return if let offset {
          unsafe pwrite(number, part.baseAddress, part.count, off_t(offset + Int64(done - range.lowerBound)))
        } else {
          unsafe writeFile(number, part.baseAddress, part.count)
        }
      }
      if put < 0 {
        if errno != EINTR { throw Self.failure("cannot write", at: offset) }
      } else {
        done += put
      }
    }
  }

  /// Waits until the disk has it.
  func synchronize() throws(ContainerError) {
    // Pipes and terminals have nothing to synchronise and say EINVAL.
    if fsync(number) != 0, errno != EINVAL, errno != EROFS { throw Self.failure("cannot synchronise") }
  }

  /// Whether bytes written can be read back.
  var canReadBack: Bool {
    let flags = fcntl(number, F_GETFL)
    return flags >= 0 && flags & O_ACCMODE == O_RDWR
  }

  /// Present position, `nil` for a pipe.
  var position: Int64? {
    let place = lseek(number, 0, SEEK_CUR)
    return place < 0 ? nil : Int64(place)
  }

  private static func failure(_ operation: String, at offset: Int64? = nil) -> ContainerError {
    let code = errno
    // strerror's text lives until the next call in this thread; it is copied at once.
    let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    return ContainerError(.system("\(operation): \(reason)", code: code), at: offset)
  }
}

// The system's names, told apart from the methods above.
private func openFile(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
  unsafe open(path, flags, mode)
}
private func readFile(_ number: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(number, bytes, count)
}
private func writeFile(_ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(number, bytes, count)
}
private func closeFile(_ number: Int32) -> Int32 { close(number) }
