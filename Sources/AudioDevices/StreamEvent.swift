public import PCM

/// Why a stream ended.
public enum StreamEnd: UInt8, Sendable, Hashable {
  /// `stop()` was called.
  case stopped = 1
  /// The source has no more sound, or everything was played (`drain()`).
  case finished
  /// The device went away and the stream was not to move, or had nowhere to go.
  case deviceGone
  /// The audio server ended or the connection to it broke.
  case serverDied
  /// The source or sink that was given failed.
  case failed
}

/// Something that happened to a stream.
public struct StreamEvent: Sendable, Equatable {
  /// What happened.
  public enum Kind: Sendable, Equatable {
    /// Captured frames found no room and were dropped. `position` of the event is the first of them.
    case overrun(frames: Int64)
    /// The server had no sound for these frames; there is silence in their place.
    case hole(frames: Int64)
    /// The device had nothing to play: silence from here on, until `recovered`.
    case underrun
    /// Playing goes on after an underrun, with about so much silence in between.
    case recovered(silence: Duration)
    /// The stream is at another device now, which is named.
    case moved(to: DeviceInfo.ID)
    /// The device is asleep: no frames pass until `awake`.
    case suspended
    case awake
    /// The device works in another format now. The stream keeps its own; the server converts.
    case deviceFormatChanged(PCMFormat)
    /// The stream is over; the text has the server's or the source's words, where there are some.
    case ended(StreamEnd, String?)
    /// So many events before this one found no room and are not known.
    case eventsLost(Int)
  }

  public var kind: Kind
  /// Position in the stream, in frames, that belongs to the event.
  public var position: Int64
  /// When it was noticed.
  public var time: MonotonicTime
}
