public import AudioFiles
public import PCM

extension Transcoder {
  /// Copies all that `source` has to `sink` and closes it.
  ///
  /// - Parameter progress: called after each block of the source.
  /// - Throws: what reading or writing throws; `cancelled`.
  public static func copy(
    _ source: any AudioReader, to sink: any AudioWriter, cancellation: Cancellation? = nil,
    progress: (Progress) -> Void = { _ in }
  ) throws(AACKitError) {
    var buffer = PCMBuffer(format: source.format)
    let sampleRate = source.format.sampleRate
    do throws(AudioFileError) {
      while try source.read(8192, into: &buffer) > 0 {
        if cancellation?.isCancelled == true { throw AudioFileError(.interrupted) }
        try sink.write(buffer)
        progress(Progress(frames: sink.frameCount, total: source.frameCount, sampleRate: sampleRate))
      }
      try sink.close()
    } catch { throw AACKitError(.audioFile(error)) }
  }
}

/// A writer that counts what it is given and keeps nothing.
public final class DiscardingWriter: AudioWriter {
  public private(set) var frameCount: Int64 = 0
  public let clippedCount = 0

  public init() {}
  public func write(_ buffer: PCMBuffer) throws(AudioFileError) { frameCount += Int64(buffer.frameCount) }
  public func close() throws(AudioFileError) {}
}
