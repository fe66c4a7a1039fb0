public import AudioFiles
public import PCM

/// Reads another reader's sound in another format: mixed to other channels, converted to another rate.
public final class ConvertingReader: AudioReader {
  public let format: PCMFormat
  private let inner: any AudioReader
  private var adapter: FormatAdapter
  private var input: PCMBuffer
  private var isAtEnd = false

  public init(_ inner: any AudioReader, to format: PCMFormat, downmix: Downmix = .itu) {
    self.inner = inner
    self.format = format
    adapter = FormatAdapter(to: format, downmix: downmix)
    input = PCMBuffer(format: inner.format)
  }

  /// As the input's count, at the new rate.
  public var frameCount: Int64? {
    inner.frameCount.map { frames in
      let rate = Int64(inner.format.sampleRate)
      let (product, overflow) = frames.multipliedReportingOverflow(by: Int64(format.sampleRate))
      return overflow ? .max : (product + rate / 2) / rate
    }
  }

  public var warnings: [String] { inner.warnings }
  public var tags: [AudioTag] { inner.tags }
  public var pictures: [[UInt8]] { inner.pictures }

  /// Reads what comes of up to `frames` frames of the input: with a higher rate that can be more.
  public func read(_ frames: Int, into buffer: inout PCMBuffer) throws(AudioFileError) -> Int {
    while !isAtEnd {
      if try inner.read(frames, into: &input) == 0 {
        isAtEnd = true
        try adapter.finish(into: &buffer)
      } else {
        try adapter.convert(input, into: &buffer)
      }
      if buffer.frameCount > 0 { return buffer.frameCount }
    }
    buffer.resize(to: 0, format: format)
    return 0
  }
}
