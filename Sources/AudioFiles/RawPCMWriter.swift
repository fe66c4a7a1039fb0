public import PCM

/// Writes samples to a file or a pipe, without a header.
public final class RawPCMWriter: AudioWriter {
  public let sample: SampleFormat
  public let format: PCMFormat
  public private(set) var frameCount: Int64 = 0
  private let output: ByteOutput
  private let path: String?
  private var writer: SampleWriter
  private var bytes: [UInt8] = []
  private var isClosed = false
  /// A header that goes out together with the first samples: readers that guess the type of a pipe want
  /// more than a header in their first read.
  private var header: [UInt8] = []

  public var clippedCount: Int { writer.clippedCount }

  public init(
    _ output: ByteOutput, _ sample: SampleFormat, _ format: PCMFormat, dither: Bool = false,
    path: String? = nil
  ) {
    self.output = output
    self.sample = sample
    self.format = format
    self.path = path
    writer = SampleWriter(sample, dither: dither)
  }

  convenience init(
    _ output: ByteOutput, header: [UInt8], _ sample: SampleFormat, _ format: PCMFormat, dither: Bool,
    path: String?
  ) {
    self.init(output, sample, format, dither: dither, path: path)
    self.header = header
  }

  public func write(_ buffer: PCMBuffer) throws(AudioFileError) {
    guard !isClosed else { throw AudioFileError(.misuse("the file is closed"), path: path) }
    guard buffer.format == format else {
      throw AudioFileError(.misuse("a buffer of another format than the file's"), path: path)
    }
    let count = writer.write(buffer, 0..<buffer.frameCount, into: &bytes)
    if header.isEmpty {
      try put(bytes, count)
    } else {
      header.append(contentsOf: bytes.prefix(count))
      try putHeader()
    }
    frameCount += Int64(buffer.frameCount)
  }

  public func close() throws(AudioFileError) {
    if !isClosed { try putHeader() }
    isClosed = true
  }

  private func putHeader() throws(AudioFileError) {
    guard !header.isEmpty else { return }
    try put(header, header.count)
    header = []
  }

  private func put(_ bytes: [UInt8], _ count: Int) throws(AudioFileError) {
    do { try output.write(bytes, count: count) } catch {
      throw AudioFileError(error.reason, path: path, frame: frameCount)
    }
  }
}
