package import AACContainers
package import AudioFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that grows in place while it is recorded, and is worth keeping at every moment.
///
/// A new name is made at once. Where a file is replaced, that one stays until the first bytes of the new one are
/// on the disk. Devices and named pipes are written to directly. What a container throws of it is to be told
/// with `path`: `AACKitError(.container(error), path: file.path)`.
package final class RecordingFile: ByteSink {
  private static let blockSize = 1 << 16

  /// The name asked for.
  package let path: String
  private let target: String
  private let isRegular: Bool
  /// Where the bytes are until the first of them are safe.
  private var temporary: String?
  private var descriptor: Int32
  private var pending: [UInt8] = []
  private var written: Int64 = 0
  /// Why nothing more can be written.
  private var fault: ContainerError?

  /// Bytes appended so far.
  package var length: Int64 { written + Int64(pending.count) }
  /// It only grows, so that MP4 is written in fragments.
  package var isSeekable: Bool { false }

  /// - Throws: `exists` where the name is taken and `replacing` is false, or leads nowhere as a symbolic link;
  ///   `isDirectory`, `cannotWrite`.
  package init(_ path: String, replacing: Bool) throws(AACKitError) {
    self.path = path
    target = FileSystem.resolve(path)
    var flags = O_WRONLY | O_CLOEXEC
    var mode: mode_t = 0o666
    var isRegular = true
    if let status = FileSystem.status(target) {
      if status.st_mode & S_IFMT == S_IFDIR { throw AACKitError(.isDirectory, path: path) }
      isRegular = status.st_mode & S_IFMT == S_IFREG
      if isRegular {
        guard replacing else { throw AACKitError(.exists, path: path) }
        temporary = FileSystem.temporaryName(beside: target)
        mode = status.st_mode & 0o777
      }
    }
    self.isRegular = isRegular
    if isRegular { flags |= O_CREAT | O_EXCL }
    guard !FileSystem.split(target).name.isEmpty else { throw AACKitError(.isDirectory, path: path) }
    // unsafe: open reads the path up to its zero byte, which Swift provides.
    descriptor = unsafe open(temporary ?? target, flags, mode)
    guard descriptor >= 0 else {
      let number = errno
      temporary = nil
      throw AACKitError(number == EEXIST ? .exists : .cannotWrite(FileSystem.message(number)), path: path)
    }
  }

  deinit { close() }

  package func append(_ bytes: [UInt8]) throws(ContainerError) {
    if let fault { throw fault }
    guard descriptor >= 0 else { throw ContainerError(.misuse("the recording is finished"), at: length) }
    pending.append(contentsOf: bytes)
    if pending.count >= Self.blockSize { try writePending() }
  }

  package func rewrite(_ bytes: [UInt8], at offset: Int64) throws(ContainerError) { throw refusal }

  package func read(
    at offset: Int64, into buffer: inout [UInt8], _ range: Range<Int>
  ) throws(ContainerError) {
    throw refusal
  }

  private var refusal: ContainerError {
    ContainerError(.needsSeeking("a recording only grows"), at: length)
  }

  /// Hands everything to the system: a program that dies loses nothing of it, a machine that does might.
  package func flush() throws(ContainerError) {
    if let fault { throw fault }
    try writePending()
  }

  /// Waits until the disk has everything. Meant about once a second.
  ///
  /// - Throws: `container` with the system's words.
  package func synchronize() throws(AACKitError) {
    do throws(ContainerError) {
      try flush()
      guard descriptor >= 0, written > 0 else { return }
      guard FileSystem.synchronize(descriptor) else { throw fail("cannot synchronise", errno) }
    } catch { throw AACKitError(.container(error), path: path) }
  }

  private func writePending() throws(ContainerError) {
    guard !pending.isEmpty else { return }
    var done = 0
    while done < pending.count {
      let start = done
      // unsafe: write reads the bytes behind `start`, which the array has.
      let put = unsafe pending.withUnsafeBytes { bytes in
        unsafe write(descriptor, bytes.baseAddress.map { unsafe $0 + start }, bytes.count - start)
      }
      if put > 0 {
        done += put
        written += Int64(put)
      } else if put == 0 || errno != EINTR {
        let number = put == 0 ? ENOSPC : errno
        pending.removeFirst(done)
        throw fail("cannot write", number)
      }
    }
    pending.removeAll(keepingCapacity: true)
    try takeName()
  }

  /// Puts the first bytes, once they are safe, in the place of the old file.
  private func takeName() throws(ContainerError) {
    guard let temporary else { return }
    guard FileSystem.synchronize(descriptor) else { throw fail("cannot synchronise", errno) }
    // unsafe: both paths end with a zero byte, which Swift provides.
    guard unsafe rename(temporary, target) == 0 else { throw fail("cannot replace the old file", errno) }
    self.temporary = nil
    FileSystem.synchronizeFolder(of: target)
  }

  private func fail(_ operation: String, _ number: Int32) -> ContainerError {
    let error = ContainerError(
      .system("\(operation): \(FileSystem.message(number))", code: number), at: written)
    fault = error
    return error
  }

  /// Removes what never held a byte: the new file, or what was to replace an old one.
  private func close() {
    guard descriptor >= 0 else { return }
    _ = closeDescriptor(descriptor)
    descriptor = -1
    // unsafe: unlink reads the path up to its zero byte, which Swift provides.
    if let temporary {
      unsafe unlink(temporary)
    } else if isRegular, written == 0 {
      unsafe unlink(target)
    }
    temporary = nil
  }
}

private func closeDescriptor(_ number: Int32) -> Int32 { close(number) }

extension RecordingFile {
  /// What became of a recording.
  package enum Outcome: Sendable, Equatable {
    /// It is as it was written.
    case asWritten
    /// Its fragments became a plain M4A file with this many packets.
    case plain(packetCount: Int64)
    /// Its fragments stay, whole and playable, because no plain file could be made of them.
    case fragments(AACKitError)
  }

  /// Ends the recording. It is on the disk then. After a write that failed, what came before it is kept.
  ///
  /// - Parameters:
  ///   - makesPlain: the file is MP4 in fragments and is to become plain: exact in samples and tags, its tables in
  ///     front. That is made beside it and takes its name once it is whole, or is left out, which is told.
  ///   - cancellation: stops that; the fragments stay.
  /// - Throws: where the last bytes could not be written.
  package func finish(
    makesPlain: Bool, cancellation: Cancellation? = nil
  ) throws(AACKitError) -> Outcome {
    guard descriptor >= 0 else { return .asWritten }
    defer { close() }
    if fault == nil {
      try synchronize()
    } else {
      _ = FileSystem.synchronize(descriptor)
    }
    guard isRegular, temporary == nil, written > 0 else { return .asWritten }
    FileSystem.synchronizeFolder(of: target)
    guard makesPlain else { return .asWritten }
    do throws(AACKitError) {
      let source = try openByteSource(target)
      let file = try AtomicFile(target, replacing: true)
      let sink: FileSink
      do { sink = try FileSink(path: file.writingPath, replacing: true) } catch {
        throw AACKitError(.container(error), path: path)
      }
      var salvage = Salvage(try openPackets(source, path: path), path: path)
      let copy = try salvage.copy(to: sink, PacketOutput(.m4a), path: path, cancellation: cancellation)
      guard copy.keptCount > 0 else { throw AACKitError(.noSamples, path: path) }
      do { try sink.close(synchronize: true) } catch { throw AACKitError(.container(error), path: path) }
      try file.commit()
      FileSystem.synchronizeFolder(of: target)
      return .plain(packetCount: copy.keptCount + copy.silenceCount)
    } catch {
      return .fragments(error)
    }
  }
}
