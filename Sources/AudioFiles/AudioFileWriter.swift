public import PCM

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes a PCM file, or a pipe of one.
///
/// A WAV pipe gets a header with open sizes and the samples as they come; other types are written to a
/// nameless file first and copied to the pipe by `close()`.
public final class AudioFileWriter: AudioWriter {
  public let type: AudioFileType
  public let format: PCMFormat
  public let encoding: SampleEncoding
  private let inner: any AudioWriter
  private let path: String?
  /// The nameless file and where it goes in the end.
  private var spool: (file: Int32, target: ByteOutput)?

  public var frameCount: Int64 { inner.frameCount }
  public var clippedCount: Int { inner.clippedCount }

  /// Makes the file at `path` anew; an older one is gone at once (see `AtomicFile` in AACKit).
  ///
  /// - Parameters:
  ///   - name: what messages call the file, where that is not its path.
  ///   - expectedFrames: how long the sound will be, as far as that is known: a WAV file that will pass
  ///     4 GiB is begun as RF64.
  /// - Throws: `cannotOpen`, `unsupported`.
  public convenience init(
    path: String, named name: String? = nil, _ type: AudioFileType, _ format: PCMFormat,
    _ encoding: SampleEncoding = .int16,
    dither: Bool = false, expectedFrames: Int64? = nil
  ) throws(AudioFileError) {
    try Self.check(type, encoding, path)
    try self.init(
      descriptor: try openForWriting(path), path: name ?? path, type, format, encoding, dither: dither,
      expectedFrames: expectedFrames)
  }

  /// Takes over `descriptor` (of a file or a pipe) and closes it in the end, also when it throws.
  public init(
    descriptor: Int32, path: String? = nil, _ type: AudioFileType, _ format: PCMFormat,
    _ encoding: SampleEncoding = .int16, dither: Bool = false, expectedFrames: Int64? = nil,
    cancellation: Cancellation? = nil
  ) throws(AudioFileError) {
    self.type = type
    self.format = format
    self.encoding = encoding
    self.path = path
    do { try Self.check(type, encoding, path) } catch {
      _ = Self.closeDescriptor(descriptor)
      throw error
    }
    if DescriptorKind(descriptor).isRegular {
      inner = try SoundFileWriter(
        descriptor: descriptor, path: path, type, format, encoding, dither: dither,
        expectedFrames: expectedFrames)
      return
    }
    let output = ByteOutput(descriptor: descriptor, closes: true, cancellation: cancellation)
    if type == .wav {
      let sample = encoding.sample
      inner = RawPCMWriter(
        output, header: WAVHeader.open(sample, format), sample, format, dither: dither, path: path)
    } else {
      let file = try openSpool()
      inner = try SoundFileWriter(
        descriptor: dup(file), path: path, type, format, encoding, dither: dither,
        expectedFrames: expectedFrames)
      spool = (file, output)
    }
  }

  deinit { if let spool { _ = Self.closeDescriptor(spool.file) } }

  public func write(_ buffer: PCMBuffer) throws(AudioFileError) { try inner.write(buffer) }

  public func close() throws(AudioFileError) {
    try inner.close()
    guard let (file, target) = spool else { return }
    spool = nil
    lseek(file, 0, SEEK_SET)
    let input = ByteInput(descriptor: file, closes: true)
    var bytes: [UInt8] = []
    while true {
      let got = try input.read(1 << 16, into: &bytes)
      if got == 0 { return }
      try target.write(bytes, count: got)
    }
  }

  private static func check(
    _ type: AudioFileType, _ encoding: SampleEncoding, _ path: String?
  ) throws(AudioFileError) {
    guard type.supports(encoding) else {
      throw AudioFileError(
        .invalidSettings("\(type.rawValue) files hold 16- or 24-bit samples, not \(encoding.rawValue)"),
        path: path)
    }
  }

  private static func closeDescriptor(_ descriptor: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.close(descriptor)
    #else
      Darwin.close(descriptor)
    #endif
  }
}

extension SampleEncoding {
  /// The same as bytes of a WAV file.
  var sample: SampleFormat {
    switch self {
    case .int16: .s16le
    case .int24: .s24le
    case .float32: .f32le
    }
  }
}
