public import AACContainers

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
  do { return try FileSource(path: path) } catch { throw AACKitError(.container(error), path: path) }
}
