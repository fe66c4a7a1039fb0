import CSndFile
import PCM

/// Writes a PCM file through libsndfile, to a descriptor that can seek.
final class SoundFileWriter: AudioWriter {
  let format: PCMFormat
  let encoding: SampleEncoding
  private(set) var frameCount: Int64 = 0
  private var file: SoundFile?
  private let path: String?
  private var quantizer: SampleQuantizer
  private var shorts: [Int16] = []
  private var words: [Int32] = []
  private var floats: [Float] = []

  /// Bytes of samples that the type's header can tell of.
  private let largestSize: Int64
  private let typeName: String

  var clippedCount: Int { quantizer.clippedCount }

  /// Takes over `descriptor`, also when it throws.
  init(
    descriptor: Int32, path: String?, _ type: AudioFileType, _ format: PCMFormat,
    _ encoding: SampleEncoding, dither: Bool, expectedFrames: Int64? = nil, largestSize: Int64 = 0xFFFF_0000
  ) throws(AudioFileError) {
    self.format = format
    self.encoding = encoding
    self.path = path
    quantizer = SampleQuantizer(dither: dither)
    let layout = format.layout
    let expected = expectedFrames.map {
      $0.multipliedReportingOverflow(by: Int64(encoding.bytesPerSample * layout.channelCount))
    }
    let isLarge = expected.map { $0.overflow || $0.partialValue > largestSize } ?? false
    // A WAV file beyond 4 GiB is one of its 64-bit kind.
    let type = type == .wav && isLarge ? .rf64 : type
    typeName = type.rawValue.uppercased()
    self.largestSize = type == .wav || type == .aiff ? largestSize : .max
    let isPlain = layout == .mono || layout == .stereo
    let major =
      switch type {
      case .wav: isPlain ? SF_FORMAT_WAV : SF_FORMAT_WAVEX
      case .aiff: SF_FORMAT_AIFF
      case .flac: SF_FORMAT_FLAC
      case .caf: SF_FORMAT_CAF
      case .w64: SF_FORMAT_W64
      case .rf64: SF_FORMAT_RF64
      }
    let minor =
      switch encoding {
      case .int16: SF_FORMAT_PCM_16
      case .int24: SF_FORMAT_PCM_24
      case .float32: SF_FORMAT_FLOAT
      }
    do {
      file = try SoundFile(
        writing: descriptor, Int32(major | minor), rate: format.sampleRate, channels: layout.channelCount)
    } catch { throw AudioFileError(error.reason, path: path) }
    // The peak chunk carries a time stamp: equal sound should give equal files.
    file?.set(Int32(SFC_SET_ADD_PEAK_CHUNK), false)
    if !isPlain, let map = layout.soundFileMap { _ = file?.setChannelMap(map) }
  }

  func write(_ buffer: PCMBuffer) throws(AudioFileError) {
    guard let file else { throw AudioFileError(.misuse("the file is closed"), path: path) }
    guard buffer.format == format else {
      throw AudioFileError(.misuse("a buffer of another format than the file's"), path: path)
    }
    let frames = buffer.frameCount
    let size = (frameCount + Int64(frames)) * Int64(encoding.bytesPerSample * format.channelCount)
    guard size <= largestSize else {
      throw AudioFileError(.tooLong(typeName), path: path, frame: frameCount)
    }
    let written: Int
    switch encoding {
    case .int16:
      quantizer.quantize(buffer, 0..<frames, into: &shorts)
      written = file.write(shorts, frames: frames)
    case .int24:
      quantizer.quantize(buffer, 0..<frames, bits: 24, shift: 8, into: &words)
      written = file.write(words, frames: frames)
    case .float32:
      buffer.interleave(0..<frames, into: &floats)
      written = file.write(floats, frames: frames)
    }
    if written < frames { throw failure(file) }
    frameCount += Int64(frames)
  }

  func close() throws(AudioFileError) {
    guard let file else { return }
    file.flush()
    let message = file.message
    self.file = nil
    if message != nil { throw failure(file) }
  }

  private func failure(_ file: SoundFile) -> AudioFileError {
    let message = file.message ?? "not all frames were written"
    let isFull = message.contains("No space left")
    return AudioFileError(isFull ? .diskFull : .writeFailed(message), path: path, frame: frameCount)
  }
}
