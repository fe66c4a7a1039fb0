/// A way to the devices of a machine: a sound server, or what stands for one.
///
/// Every method may be called from any thread; those that ask a server wait for its answer, five seconds at most.
public protocol AudioBackend: AnyObject, Sendable {
  /// The name that ``AudioBackends`` knows it by.
  var name: String { get }

  /// All devices there are now, inputs first.
  /// - Throws: `noServer`, `serverDied`, `timedOut`.
  func devices() throws(AudioDeviceError) -> [DeviceInfo]

  /// Changes among the devices from now on. Every call makes a stream of its own, which ends when nobody
  /// iterates it any more; it holds 64 events, and tells how many it had no room for.
  func deviceEvents() -> AsyncStream<DeviceEvent>

  /// Opens an input. It takes no sound before ``CaptureStream/start()``.
  /// - Throws: `invalidRequest`, `noDevice`, `noDefaultDevice`, `noServer`, `refused`.
  func openCapture(_ request: StreamRequest) throws(AudioDeviceError) -> CaptureStream

  /// Opens an output. It plays nothing before ``PlayoutStream/start()``.
  /// - Throws: as for capture.
  func openPlayout(_ request: StreamRequest) throws(AudioDeviceError) -> PlayoutStream
}

extension AudioBackend {
  /// The default device of a direction; `nil` where there is none.
  public func defaultDevice(_ direction: DeviceDirection) throws(AudioDeviceError) -> DeviceInfo? {
    try devices().first { $0.isDefault && $0.direction == direction }
  }

  /// The device that a request means.
  func device(
    _ request: StreamRequest, _ direction: DeviceDirection
  ) throws(AudioDeviceError) -> DeviceInfo {
    let all = try devices().filter { $0.direction == direction }
    if let id = request.device {
      if let device = all.first(where: { $0.id == id }) { return device }
      throw AudioDeviceError(.noDevice(id, existing: all.map(\.id)), backend: name)
    }
    if let device = all.first(where: \.isDefault) { return device }
    throw AudioDeviceError(.noDefaultDevice(direction, existing: all.map(\.id)), backend: name)
  }
}
