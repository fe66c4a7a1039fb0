public import PCM

/// Reads samples without any header from a file or a pipe.
public final class RawPCMReader: AudioReader {
  public let sample: SampleFormat
  public let format: PCMFormat
  public let frameCount: Int64?
  public private(set) var warnings: [String] = []
  private let input: ByteInput
  private let path: String?
  /// Bytes of samples that are left; `nil`: up to the end of the input.
  private var left: Int64?
  private var bytes: [UInt8] = []
  private var position: Int64 = 0

  /// Reads from where `input` stands. `byteCount`: stop after so many bytes; `nil`: at the end.
  public init(
    _ input: ByteInput, _ sample: SampleFormat, _ format: PCMFormat, byteCount: Int64? = nil,
    path: String? = nil
  ) {
    self.input = input
    self.sample = sample
    self.format = format
    self.path = path
    left = byteCount
    frameCount = byteCount.map { $0 / Int64(sample.bytesPerSample * format.channelCount) }
  }

  /// Reads the file at `path`.
  public convenience init(
    path: String, _ sample: SampleFormat, _ format: PCMFormat, cancellation: Cancellation? = nil
  ) throws(AudioFileError) {
    let descriptor = try openForReading(path)
    let kind = DescriptorKind(descriptor)
    let input = ByteInput(descriptor: descriptor, closes: true, cancellation: cancellation)
    if kind.isDirectory { throw AudioFileError(.isDirectory, path: path) }
    if kind.isRegular, kind.size == 0 { throw AudioFileError(.empty, path: path) }
    self.init(input, sample, format, byteCount: kind.isRegular ? kind.size : nil, path: path)
  }

  public func read(_ frames: Int, into buffer: inout PCMBuffer) throws(AudioFileError) -> Int {
    let frameSize = sample.bytesPerSample * format.channelCount
    var wanted = frames * frameSize
    if let left { wanted = Int(min(Int64(wanted), left)) }
    let got: Int
    do { got = try input.read(wanted, into: &bytes) } catch {
      throw AudioFileError(error.reason, path: path, frame: position)
    }
    if let left { self.left = left - Int64(got) }
    if got < wanted, let left, left > 0 {
      let missing = (left - Int64(got)) / Int64(frameSize)
      warnings.append("the input ends \(missing) frames before the length in its header")
      self.left = 0
    } else if got % frameSize != 0 {
      warnings.append("the last \(got % frameSize) bytes are no whole frame and were left out")
    }
    let whole = got / frameSize
    buffer.format = format
    sample.decode(bytes, frames: whole, into: &buffer)
    position += Int64(whole)
    return whole
  }
}
