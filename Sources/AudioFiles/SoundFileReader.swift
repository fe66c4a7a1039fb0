import CSndFile
import PCM

/// Reads whatever libsndfile can from a descriptor that can seek.
final class SoundFileReader: AudioReader {
  let format: PCMFormat
  let frameCount: Int64?
  private let file: SoundFile
  private let cancellation: Cancellation?
  private let path: String?
  private var samples: [Float] = []
  private var position: Int64 = 0

  /// Takes over `descriptor`, also when it throws.
  init(
    descriptor: Int32, path: String?, cancellation: Cancellation? = nil
  ) throws(AudioFileError) {
    do { file = try SoundFile(reading: descriptor) } catch {
      throw AudioFileError(error.reason, path: path)
    }
    self.path = path
    self.cancellation = cancellation
    guard file.info.channels > 0, file.info.samplerate > 0 else {
      throw AudioFileError(
        .damaged("\(file.info.channels) channels at \(file.info.samplerate) Hz cannot be"), path: path)
    }
    format = PCMFormat(sampleRate: Int(file.info.samplerate), layout: ChannelLayout(of: file))
    frameCount = file.info.frames >= 0 ? Int64(file.info.frames) : nil
  }

  func read(_ frames: Int, into buffer: inout PCMBuffer) throws(AudioFileError) -> Int {
    if cancellation?.isCancelled == true { throw AudioFileError(.interrupted, path: path) }
    let needed = frames * format.channelCount
    if samples.count < needed {
      samples.append(contentsOf: repeatElement(0, count: needed - samples.count))
    }
    let got = file.read(frames, into: &samples)
    if got <= 0, let message = file.message {
      throw AudioFileError(.readFailed(message), path: path, frame: position)
    }
    buffer.format = format
    buffer.fill(interleaved: samples, frames: max(0, got))
    position += Int64(max(0, got))
    return max(0, got)
  }
}
