public import PCM

/// Sound that a backend without hardware takes for a microphone's.
public struct SoundSource: Sendable {
  /// What the source is called in the list of devices.
  public var id: DeviceInfo.ID
  public var format: PCMFormat
  /// Fills the start of `samples`, which are interleaved and have room for `frames` frames, with what follows at
  /// `position` (in frames from the start), and returns how many frames that are: 0 at the end. It is called on the
  /// device's thread, with rising positions.
  public var read: @Sendable (_ position: Int64, _ frames: Int, _ samples: inout [Float]) throws -> Int

  public init(
    id: DeviceInfo.ID, format: PCMFormat,
    read: @escaping @Sendable (_ position: Int64, _ frames: Int, _ samples: inout [Float]) throws -> Int
  ) {
    self.id = id
    self.format = format
    self.read = read
  }
}

/// Where a backend without hardware brings the sound that a loudspeaker would get.
public struct SoundSink: Sendable {
  /// What the sink is called in the list of devices.
  public var id: DeviceInfo.ID
  public var format: PCMFormat
  /// Takes the first `frames` frames of `samples`, which are interleaved. Silence that fills a gap comes too. It is
  /// called on the device's thread.
  public var write: @Sendable (_ frames: Int, _ samples: [Float]) throws -> Void

  public init(
    id: DeviceInfo.ID, format: PCMFormat,
    write: @escaping @Sendable (_ frames: Int, _ samples: [Float]) throws -> Void
  ) {
    self.id = id
    self.format = format
    self.write = write
  }
}
