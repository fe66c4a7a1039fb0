public import PCM

/// Reads samples without any header from a file or a pipe.
public final class RawPCMReader: AudioReader {
  public let sample: SampleFormat
  public let format: PCMFormat
  public let frameCount: Int64?
  public private(set) var warnings: [String] = []
  private let input: ByteInput
  private let path: String?
  private let frameSize: Int
  /// Bytes of samples that are left; `nil`: up to the end of the input.
  private var left: Int64?
  private var bytes: [UInt8] = []
  /// Bytes of an unfinished frame at the start of `bytes`.
  private var carried = 0
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
    let byteCount = byteCount.map { min(max(0, $0), 1 << 62) }
    left = byteCount
    frameSize = max(1, sample.bytesPerSample * format.channelCount)
    let size = Int64(frameSize)
    frameCount = byteCount.map { $0 / size }
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

  /// As the protocol says; from a pipe, takes what is there without waiting for more.
  public func read(_ frames: Int, into buffer: inout PCMBuffer) throws(AudioFileError) -> Int {
    var wanted = max(1, frames) * frameSize
    if let left { wanted = Int(min(Int64(wanted), left + Int64(carried))) }
    var filled = carried
    while filled < min(frameSize, wanted) {
      let got: Int
      do { got = try input.read(filled..<wanted, into: &bytes) } catch {
        carried = filled
        throw AudioFileError(error.reason, path: path, frame: position)
      }
      filled += got
      if let left { self.left = left - Int64(got) }
      if got == 0 {
        noteEnd(filled)
        break
      }
    }
    let whole = filled / frameSize
    buffer.format = format
    sample.decode(bytes, frames: whole, into: &buffer)
    carried = filled - whole * frameSize
    for index in 0..<carried { bytes[index] = bytes[whole * frameSize + index] }
    position += Int64(whole)
    if left == 0, carried > 0 { noteEnd(carried) }
    return whole
  }

  private func noteEnd(_ rest: Int) {
    if let left, left > 0 {
      warnings.append("the input ends \(left / Int64(frameSize)) frames before the length in its header")
    } else if rest > 0 {
      warnings.append("the last \(rest) bytes are no whole frame and were left out")
    }
    left = 0
    carried = 0
  }
}
