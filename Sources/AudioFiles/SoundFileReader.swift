import CSndFile
import DSP
import PCM

/// Reads whatever libsndfile can from a descriptor that can seek.
final class SoundFileReader: AudioReader {
  let format: PCMFormat
  let frameCount: Int64?
  let tags: [AudioTag]
  private let file: SoundFile
  private let cancellation: Cancellation?
  private let path: String?
  private var samples: [Float] = []
  /// In their place for files of 16 bits.
  private var shortSamples: [Int16] = []
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
    tags = file.tags
    frameCount = file.info.frames >= 0 ? Int64(file.info.frames) : nil
  }

  func read(_ frames: Int, into buffer: inout PCMBuffer) throws(AudioFileError) -> Int {
    if cancellation?.isCancelled == true { throw AudioFileError(.interrupted, path: path) }
    let isShort = file.hasShortSamples
    let stride = format.channelCount
    let got = isShort ? readShort(frames * stride, frames) : readFloat(frames * stride, frames)
    if got <= 0, let message = file.message {
      throw AudioFileError(.readFailed(message), path: path, frame: position)
    }
    let count = max(0, got)
    buffer.resize(to: count, format: format)
    for channel in 0..<stride {
      if isShort {
        SampleKernels.deinterleave(
          shortSamples, channel: channel, of: stride, frames: count, into: &buffer.channels[channel])
      } else {
        SampleKernels.deinterleave(
          samples, channel: channel, of: stride, frames: count, into: &buffer.channels[channel])
      }
    }
    position += Int64(count)
    return count
  }

  /// Goes to a frame, forward or back; false where the file cannot.
  func seek(to frame: Int64) -> Bool {
    guard file.info.seekable != 0, frame >= 0, frame <= frameCount ?? 0, file.seek(to: frame) else {
      return false
    }
    position = frame
    return true
  }

  private func readShort(_ needed: Int, _ frames: Int) -> Int {
    if shortSamples.count < needed {
      shortSamples.append(contentsOf: repeatElement(0, count: needed - shortSamples.count))
    }
    return file.read(frames, into: &shortSamples)
  }

  private func readFloat(_ needed: Int, _ frames: Int) -> Int {
    if samples.count < needed {
      samples.append(contentsOf: repeatElement(0, count: needed - samples.count))
    }
    return file.read(frames, into: &samples)
  }
}
