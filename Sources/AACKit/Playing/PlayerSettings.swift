public import AACStreaming
public import AudioDevices

/// How a ``Player`` plays.
public struct PlayerSettings: Sendable {
  /// Id of the device, `nil` for the default.
  public var device: DeviceInfo.ID?
  /// Sound between the server and the loudspeaker, 5 ms to 2 s.
  public var latency: Duration = .milliseconds(100)
  /// How far decoding runs ahead of the device, up to 60 s. Volume changes are heard behind it.
  public var bufferLength: Duration = .milliseconds(400)
  /// What happens when the device goes away.
  public var onUnplug: StreamRequest.Unplug = .moveToDefault
  /// Factor on the samples at the start, 0 to 1.
  public var volume: Float = 1
  /// Seconds at which the first item begins.
  public var start: Double = 0
  /// Seconds of a live stream that are gathered before it is heard, and again after it ran dry; 0 to 30.
  public var liveBuffer: Double = 2
  /// Seconds between two events of the position.
  public var positionInterval: Double = 0.25
  /// How addresses are fetched.
  public var http = HTTPSettings()
  /// How AAC is decoded.
  public var reading = AACReader.Options()

  public init() {}
}
