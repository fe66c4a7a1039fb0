public import AudioDevices
public import AudioFiles
import PCM
import Threads

/// The sound of a reader in a microphone's place, for a `FileBackend`.
public final class FileSoundSource: Sendable {
  private struct State {
    var reader: any AudioReader
    var buffer: PCMBuffer
  }

  // The reader is only ever used under the lock.
  private let state: Guarded<State>
  private let format: PCMFormat

  /// - Parameter reader: read by nobody else from now on.
  public init(_ reader: sending any AudioReader) {
    format = reader.format
    state = Guarded(State(reader: reader, buffer: PCMBuffer(format: reader.format)))
  }

  /// A source that goes on where the reader is. At the end of the sound the stream ends.
  public func source(id: DeviceInfo.ID) -> SoundSource {
    SoundSource(id: id, format: format) { _, frames, samples in
      try self.state.withLock { state in
        let count = try state.reader.read(frames, into: &state.buffer)
        state.buffer.interleave(0..<count, into: &samples)
        return count
      }
    }
  }
}
