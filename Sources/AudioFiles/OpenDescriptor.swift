#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An open descriptor for reading.
func openForReading(_ path: String) throws(AudioFileError) -> Int32 {
  // unsafe: open reads the path up to its zero byte, which Swift provides.
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else {
    throw AudioFileError(.cannotOpen(systemMessage(errno)), path: path)
  }
  return descriptor
}

/// An open descriptor of a new, empty file.
func openForWriting(_ path: String) throws(AudioFileError) -> Int32 {
  // unsafe: as above.
  let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
  guard descriptor >= 0 else {
    throw AudioFileError(.cannotOpen(systemMessage(errno)), path: path)
  }
  return descriptor
}

/// A file without a name: gone with its descriptor.
func openSpool() throws(AudioFileError) -> Int32 {
  // unsafe: getenv returns a text that is copied at once.
  let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
  var name = [CChar]((folder + "/aac-XXXXXX").utf8CString)
  // unsafe: mkstemp writes within the array, which ends with a zero byte; unlink reads it.
  let descriptor = unsafe mkstemp(&name)
  guard descriptor >= 0 else {
    throw AudioFileError(.cannotOpen(systemMessage(errno)), path: folder)
  }
  unsafe unlink(&name)
  return descriptor
}

/// Writes all that `input` still has to a nameless file and returns that at its start.
func spool(_ input: ByteInput) throws(AudioFileError) -> Int32 {
  let descriptor = try openSpool()
  let output = ByteOutput(descriptor: descriptor)
  var bytes: [UInt8] = []
  do {
    while true {
      let got = try input.read(1 << 16, into: &bytes)
      if got == 0 { break }
      try output.write(bytes, count: got)
    }
  } catch {
    _ = close(descriptor)
    throw error
  }
  lseek(descriptor, 0, SEEK_SET)
  return descriptor
}
