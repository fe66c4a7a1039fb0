import PCM

/// The device's side of a stream, as a backend makes it. Any thread may call it; it calls nobody back but
/// through the stream's `StreamCore`.
protocol StreamDriver: AnyObject, Sendable {
  /// Lets sound pass.
  func start() throws(AudioDeviceError)
  /// Holds the sound, or lets it pass again.
  func setPaused(_ isPaused: Bool) throws(AudioDeviceError)
  /// Ends the stream at once and gives everything back; further calls do nothing.
  func stop()
  /// The latency that the device has now; `nil` where it is not known yet.
  var latency: Duration? { get }
}

/// The side of a device that plays.
protocol PlayoutDriver: StreamDriver {
  /// The ring has frames again.
  func framesArrived()
  /// Drops what the device has not played yet.
  func flush() throws(AudioDeviceError)
  /// Plays everything that was put in and waits until it has left the device.
  func drain(until deadline: MonotonicTime) throws(AudioDeviceError)
}

/// What a backend grants.
struct Grant: Sendable {
  var device: DeviceInfo
  var latency: Duration
}

/// How a wait for a stream ended.
public enum StreamWait: Sendable, Hashable {
  /// The frames or the room are there.
  case ready
  /// There is an event to be taken.
  case event
  /// The stream is over. Captured frames may still be there to be read.
  case ended
  case timedOut
}

extension StreamCore {
  /// Waits until `isReady`, an event or the end; in this order where several hold.
  func wait(_ timeout: Duration, isReady: () -> Bool) -> StreamWait {
    let deadline = MonotonicTime.now.advanced(bySeconds: max(0, timeout.seconds))
    var result = StreamWait.timedOut
    _ = caller.wait(until: deadline) {
      if isReady() {
        result = .ready
      } else if hasEvents {
        result = .event
      } else if end != nil {
        result = .ended
      } else {
        return false
      }
      return true
    }
    return result
  }
}

extension StreamCore {
  /// The error of calls to a stream that ended other than by itself.
  var error: AudioDeviceError? {
    let position = Int64(ring.offered)
    switch end {
    case .deviceGone: return AudioDeviceError(.deviceGone, position: position)
    case .serverDied:
      return AudioDeviceError(.serverDied("the connection is closed"), position: position)
    case .failed: return AudioDeviceError(.source("the source or sink failed"), position: position)
    case .stopped, .finished, nil: return nil
    }
  }

  /// The error of a call that the stream's phase does not allow.
  func misuse(_ words: String) -> AudioDeviceError {
    guard phase == .ended else { return AudioDeviceError(.misuse(words)) }
    return error ?? AudioDeviceError(.misuse("the stream is over"))
  }
}

/// What the caller's side does with the driver of either kind of stream, as far as the phase allows it.
extension StreamCore {
  func start(_ driver: any StreamDriver) throws(AudioDeviceError) {
    guard phase == .opened else { throw misuse("the stream was started before") }
    try driver.start()
    enter(.running)
  }

  func pause(_ driver: any StreamDriver) throws(AudioDeviceError) {
    guard phase == .running else { throw misuse("the stream does not run") }
    try driver.setPaused(true)
    enter(.paused)
  }

  func resume(_ driver: any StreamDriver) throws(AudioDeviceError) {
    guard phase == .paused else { throw misuse("the stream is not paused") }
    try driver.setPaused(false)
    enter(.running)
  }
}
