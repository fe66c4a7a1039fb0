public import AACContainers
import AudioFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file at `path` as a source of bytes, with the plain faults told apart.
public func openByteSource(_ path: String) throws(AACKitError) -> any ByteSource {
  var status = stat()
  // unsafe: stat fills the structure it is given.
  if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
    throw AACKitError(.isDirectory, path: path)
  }
  // unsafe: access reads the path up to its zero byte, which Swift provides.
  if unsafe access(path, R_OK) != 0 {
    let words = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
    throw AACKitError(.audioFile(AudioFileError(.cannotOpen(words), path: path)), path: path)
  }
  do { return try FileSource(path: path) } catch { throw AACKitError(.container(error), path: path) }
}
