public import PCM

/// Whether a device takes sound in or gives it out.
public enum DeviceDirection: String, Sendable, Hashable, CaseIterable {
  case input
  case output
}

/// A microphone, a loudspeaker, or what stands for one.
public struct DeviceInfo: Sendable, Hashable, Identifiable {
  /// What to open the device by: a name of the backend's own that stays the same over restarts.
  public var id: String
  /// A name for people.
  public var name: String
  public var direction: DeviceDirection
  /// The format that the device works in, channels in WAVE order as far as they have places.
  public var format: PCMFormat
  /// Whether the device is opened where none is named.
  public var isDefault: Bool
  /// Whether the input hears what an output plays.
  public var isMonitor: Bool

  public init(
    id: String, name: String, direction: DeviceDirection, format: PCMFormat, isDefault: Bool = false,
    isMonitor: Bool = false
  ) {
    self.id = id
    self.name = name
    self.direction = direction
    self.format = format
    self.isDefault = isDefault
    self.isMonitor = isMonitor
  }
}
