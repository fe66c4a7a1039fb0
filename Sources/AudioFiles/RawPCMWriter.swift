public import PCM

/// Writes samples to a file or a pipe, without a header or behind one that its maker has put there.
public final class RawPCMWriter: AudioWriter {
  public let sample: SampleFormat
  public let format: PCMFormat
  public private(set) var frameCount: Int64 = 0
  private let output: ByteOutput
  private let path: String?
  private var writer: SampleWriter
  private var bytes: [UInt8] = []
  private var isClosed = false

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

  public func write(_ buffer: PCMBuffer) throws(AudioFileError) {
    guard !isClosed else { throw AudioFileError(.misuse("the file is closed"), path: path) }
    guard buffer.format == format else {
      throw AudioFileError(.misuse("a buffer of another format than the file's"), path: path)
    }
    let count = writer.write(buffer, 0..<buffer.frameCount, into: &bytes)
    do { try output.write(bytes, count: count) } catch {
      throw AudioFileError(error.reason, path: path, frame: frameCount)
    }
    frameCount += Int64(buffer.frameCount)
  }

  public func close() throws(AudioFileError) { isClosed = true }
}
