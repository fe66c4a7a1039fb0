public import AACContainers

/// The file of a container, and beside it the one that describes it where the container needs one. Both
/// appear under their names when they are whole.
public final class OutputFiles {
  public let sink: FileSink
  public let sidecar: FileSink?
  private let file: AtomicFile
  private let sidecarFile: AtomicFile?

  /// - Throws: `exists`, `isInput`, `isDirectory`, `cannotWrite`; `container` where a file cannot be opened.
  public init(
    _ path: String, _ container: ContainerFormat, replacing: Bool, inputs: [String] = []
  ) throws(AACKitError) {
    file = try AtomicFile(path, replacing: replacing, inputs: inputs)
    sink = try Self.open(file)
    if container == .raw {
      let beside = try AtomicFile(path + ".json", replacing: replacing, inputs: inputs)
      sidecarFile = beside
      sidecar = try Self.open(beside)
    } else {
      sidecarFile = nil
      sidecar = nil
    }
  }

  /// Writes what is still held back, and gives the files their names.
  public func commit() throws(AACKitError) {
    do {
      try sidecar?.close()
      try sink.close()
    } catch { throw AACKitError(.container(error), path: file.path) }
    try sidecarFile?.commit()
    try file.commit()
  }

  private static func open(_ file: AtomicFile) throws(AACKitError) -> FileSink {
    do { return try FileSink(path: file.writingPath, replacing: true) } catch {
      throw AACKitError(.container(error), path: file.path)
    }
  }
}
