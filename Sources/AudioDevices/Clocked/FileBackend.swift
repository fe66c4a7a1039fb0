/// Sources and sinks of the caller's, files for instance, in the places of microphones and loudspeakers.
///
/// A source that reads a file goes on where it was when it is opened a second time, unless it looks at the positions
/// that it is asked for.
public final class FileBackend: AudioBackend {
  public let name = "file"
  private let devicesValue: ClockedDevices

  /// The first source and the first sink are the defaults.
  public init(sources: [SoundSource] = [], sinks: [SoundSink] = [], pacing: Pacing = .free) {
    devicesValue = ClockedDevices(backend: "file", sources: sources, sinks: sinks, pacing: pacing)
  }

  public func devices() -> [DeviceInfo] { devicesValue.list }

  public func deviceEvents() -> AsyncStream<DeviceEvent> { ClockedDevices.noEvents }

  public func openCapture(_ request: StreamRequest) throws(AudioDeviceError) -> CaptureStream {
    try devicesValue.openCapture(request, try device(request, .input))
  }

  public func openPlayout(_ request: StreamRequest) throws(AudioDeviceError) -> PlayoutStream {
    try devicesValue.openPlayout(request, try device(request, .output))
  }
}
