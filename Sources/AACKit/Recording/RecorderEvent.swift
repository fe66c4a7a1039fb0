public import AudioDevices

/// Something that happened to a recording. Times are seconds of the recording, over all its files.
public enum RecorderEvent: ChannelEvent {
  /// A file was begun; `nil` for a pipe.
  case fileStarted(number: Int, path: String?)
  case fileFinished(RecordedFile)
  case levels(RecordingLevels)
  case paused(at: Double)
  case resumed(at: Double)
  /// There is sound after silence, or the recorder was waiting for it.
  case soundBegan(at: Double)
  case silenceBegan(at: Double)
  /// So many frames of the device found no room. There is silence of their length in their place.
  case lost(frames: Int64, at: Double)
  /// So many samples of the device were no numbers, or far beyond full scale.
  case repairedSamples(count: Int, at: Double)
  /// What the device or its server told. Its position counts the device's frames.
  case device(StreamEvent, at: Double)
  /// The device went away and is looked for.
  case reconnecting(AACKitError, at: Double)
  /// It is there again; silence was recorded for the time between.
  case reconnected(DeviceInfo, silence: Double, at: Double)
  /// The recording is over. This is the last event.
  case finished(RecordingSummary)
  case eventsLost(Int)

  public var isOutdatedByNext: Bool { if case .levels = self { true } else { false } }
}

/// A file of a recording that is complete.
public struct RecordedFile: Sendable, Equatable {
  /// From 1 on.
  public var number: Int
  /// `nil` for a pipe.
  public var path: String?
  /// Frames of sound, at the file's rate.
  public var frames: Int64
  public var packetCount: Int64
  /// Bytes of the packets, without the container.
  public var payloadBytes: Int64
  /// What kept the file from being finished as asked. Its sound is there all the same: `Transcoder.repair` finishes it.
  public var problem: AACKitError?
}

/// What came of a recording.
public struct RecordingSummary: Sendable, Equatable {
  public var files: [RecordedFile] = []
  /// Rate of the files in Hz.
  public var sampleRate: Int
  /// Frames of sound in all files.
  public var frames: Int64 = 0
  /// Frames of the device that found no room.
  public var lostFrames: Int64 = 0
  /// What ended the recording before it was stopped; what had come until then is in the files.
  public var error: AACKitError?

  public var seconds: Double { sampleRate > 0 ? Double(frames) / Double(sampleRate) : 0 }
}
