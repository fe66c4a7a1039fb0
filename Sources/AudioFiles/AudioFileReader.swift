public import PCM

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads a PCM file (WAV, AIFF, FLAC, CAF, W64, RF64 and what else libsndfile knows) or a pipe of one.
///
/// A WAV pipe is read as it comes, whatever its header says of the length; other formats are copied from
/// the pipe to a nameless file first.
public final class AudioFileReader: AudioReader {
  public let path: String?
  private let inner: any AudioReader

  public var format: PCMFormat { inner.format }
  public var frameCount: Int64? { inner.frameCount }
  public var warnings: [String] { inner.warnings }
  /// What libsndfile reads; whoever knows more may say so.
  public var tags: [AudioTag] = []
  /// As `tags`; libsndfile reads none.
  public var pictures: [[UInt8]] = []

  /// - Throws: `cannotOpen`, `isDirectory`, `empty`, `notAudio`, `damaged`, `unsupported`.
  public convenience init(path: String, cancellation: Cancellation? = nil) throws(AudioFileError) {
    try self.init(descriptor: try openForReading(path), path: path, cancellation: cancellation)
  }

  /// Reads on from where the pipe `input` stands.
  public init(pipe input: ByteInput, path: String? = nil, cancellation: Cancellation? = nil)
    throws(AudioFileError)
  {
    self.path = path
    do { inner = try Self.stream(input, path, cancellation) } catch {
      throw AudioFileError(error.reason, path: error.path ?? path, frame: error.frame)
    }
    tags = inner.tags
  }

  /// Takes over `descriptor` (of a file or a pipe) and closes it in the end, also when it throws.
  public init(
    descriptor: Int32, path: String? = nil, cancellation: Cancellation? = nil
  ) throws(AudioFileError) {
    self.path = path
    let kind = DescriptorKind(descriptor)
    let input = ByteInput(descriptor: descriptor, closes: true, cancellation: cancellation)
    if kind.isDirectory { throw AudioFileError(.isDirectory, path: path) }
    do {
      inner =
        kind.isRegular
        ? try Self.file(input, kind, path, cancellation) : try Self.stream(input, path, cancellation)
    } catch {
      throw AudioFileError(error.reason, path: error.path ?? path, frame: error.frame)
    }
    tags = inner.tags
  }

  public func read(_ frames: Int, into buffer: inout PCMBuffer) throws(AudioFileError) -> Int {
    try inner.read(frames, into: &buffer)
  }

  /// Goes to a frame, forward or back, without reading what lies between; false where the file cannot, and stays
  /// where it is.
  public func seek(to frame: Int64) -> Bool { (inner as? SoundFileReader)?.seek(to: frame) ?? false }

  private static func file(
    _ input: ByteInput, _ kind: DescriptorKind, _ path: String?, _ cancellation: Cancellation?
  ) throws(AudioFileError) -> any AudioReader {
    let start = lseek(input.descriptor, 0, SEEK_CUR)
    guard start < kind.size else { throw AudioFileError(.empty) }
    let head = try input.peek(12)
    if isWAV(head), let reader = try openEnded(input, kind.size - Int64(start), path) { return reader }
    lseek(input.descriptor, start, SEEK_SET)
    do {
      // libsndfile closes what it gets, and so does `input`.
      return try SoundFileReader(
        descriptor: dup(input.descriptor), path: path, cancellation: cancellation)
    } catch {
      guard case .notAudio = error.reason else { throw error }
      throw AudioFileError(.notAudio(likeness(head)), path: path)
    }
  }

  /// A reader for a WAV file whose header leaves the length open although samples follow, which
  /// libsndfile would take for an empty one.
  private static func openEnded(
    _ input: ByteInput, _ size: Int64, _ path: String?
  ) throws(AudioFileError) -> (any AudioReader)? {
    var record: [UInt8] = []
    guard let header = try? WAVHeader(reading: input, record: &record), header.dataSize == nil,
      let sample = header.sample
    else { return nil }
    let rest = size - input.position
    if rest <= 0 || isChunkChain(input, rest) { return nil }
    lseek(input.descriptor, -off_t(rest), SEEK_END)
    let samples = ByteInput(descriptor: dup(input.descriptor), closes: true)
    return RawPCMReader(samples, sample, header.format, byteCount: rest, path: path)
  }

  /// Whether the rest of a file is nothing but whole chunks: then there are no samples.
  private static func isChunkChain(_ input: ByteInput, _ rest: Int64) -> Bool {
    var left = rest
    var head: [UInt8] = []
    while left > 0 {
      guard left >= 8, (try? input.read(8, into: &head)) == 8,
        head[0..<4].allSatisfy({ (0x20...0x7E).contains($0) })
      else { return false }
      let size = Int64(head[4]) | Int64(head[5]) << 8 | Int64(head[6]) << 16 | Int64(head[7]) << 24
      let body = left - 8 == size ? size : size + (size & 1)
      guard body <= left - 8, (try? input.skip(body)) == body else { return false }
      left -= 8 + body
    }
    return true
  }

  private static func stream(
    _ input: ByteInput, _ path: String?, _ cancellation: Cancellation?
  ) throws(AudioFileError) -> any AudioReader {
    let head = try input.peek(12)
    guard !head.isEmpty else { throw AudioFileError(.empty) }
    if isWAV(head) {
      var record: [UInt8] = []
      let header = try WAVHeader(reading: input, record: &record)
      if let sample = header.sample {
        return RawPCMReader(input, sample, header.format, byteCount: header.dataSize, path: path)
      }
      input.pushBack(record)
    }
    do {
      return try SoundFileReader(
        descriptor: try spool(input), path: path, cancellation: cancellation)
    } catch {
      guard case .notAudio = error.reason else { throw error }
      throw AudioFileError(.notAudio(likeness(head)), path: path)
    }
  }

  private static func isWAV(_ head: [UInt8]) -> Bool {
    guard head.count >= 12, head[8..<12].elementsEqual("WAVE".utf8) else { return false }
    return head[0..<4].elementsEqual("RIFF".utf8) || head[0..<4].elementsEqual("RF64".utf8)
  }

  /// What bytes look like that no reader knows.
  private static func likeness(_ head: [UInt8]) -> String? {
    if head.count >= 8, head[4..<8].elementsEqual("ftyp".utf8) { return "an MP4 file: see aac decode" }
    if head.count >= 2, head[0] == 0xFF, head[1] & 0xF6 == 0xF0 { return "an ADTS stream: see aac decode" }
    if head.starts(with: "ADIF".utf8) { return "an ADIF stream: see aac decode" }
    if head.allSatisfy({ (0x20...0x7E).contains($0) || (9...13).contains($0) }) { return "a text" }
    return nil
  }
}
