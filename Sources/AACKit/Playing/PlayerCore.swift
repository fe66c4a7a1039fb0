import AACStreaming
import AudioDevices
import AudioFiles
import PCM
import Threads

/// What the threads of a player share.
final class PlayerCore: Sendable {
  /// How it ended.
  enum Outcome {
    case finished
    case stopped
    case failed(AACKitError)
  }

  private struct Control {
    var volume: Float
    /// Seconds of the item that is heard, to which to go.
    var seek: Double?
    var isPaused = false
    var isStarted = false
    var isDraining = false
    /// A live stream ran dry.
    var isStarved = false
    /// Playing was held up: what waits now is another amount.
    var wasHeld = false
    var outcome: Outcome?
    var isFeederDone = false
    var cancelTransfer: (@Sendable () -> Void)?
  }

  let items: [PlayerItem]
  let settings: PlayerSettings
  let stream: PlayoutStream
  let backend: String
  let events: EventChannel<PlayerEvent>
  let timeline = Guarded(PlayerTimeline())
  let cancellation = Cancellation()
  /// Wake the two threads.
  let feeder = Wakeup()
  let monitor = Wakeup()
  private let control: Guarded<Control>

  init(
    _ items: [PlayerItem], _ settings: PlayerSettings, _ stream: PlayoutStream, backend: String,
    volume: Float, seek: Double?, events: EventChannel<PlayerEvent>
  ) {
    self.items = items
    self.settings = settings
    self.stream = stream
    self.backend = backend
    self.events = events
    control = Guarded(Control(volume: volume, seek: seek))
  }

  // MARK: What callers ask for

  func pause() throws(AudioDeviceError) {
    let isDone = try control.withLock { control throws(AudioDeviceError) in
      guard !control.isPaused, !control.isDraining, control.outcome == nil else { return false }
      if control.isStarted { try stream.pause() }
      control.isPaused = true
      return true
    }
    if isDone { events.post(.paused) }
  }

  func resume() throws(AudioDeviceError) {
    let isDone = try control.withLock { control throws(AudioDeviceError) in
      guard control.isPaused, control.outcome == nil else { return false }
      if control.isStarted { try stream.resume() }
      control.isPaused = false
      control.wasHeld = true
      return true
    }
    guard isDone else { return }
    events.post(.resumed)
    feeder.signal()
  }

  func seek(to seconds: Double) {
    control.withLock { $0.seek = seconds }
    feeder.signal()
  }

  /// Ends everything, and gives the feeder's thread a little time to give back what it has.
  func stop() {
    finish(.stopped)
    stream.stop()
    _ = monitor.wait(until: .now.advanced(bySeconds: 1)) { control.withLock { $0.isFeederDone } }
  }

  func noteFeederDone() {
    control.withLock { $0.isFeederDone = true }
    monitor.signal()
  }

  var volume: Float {
    get { control.withLock { $0.volume } }
    set { control.withLock { $0.volume = newValue } }
  }

  var isPaused: Bool { control.withLock { $0.isPaused } }

  var heard: PlayerTimeline.Heard? { timeline.withLock { $0.heard(at: stream.playedFrames) } }

  var position: Double {
    timeline.withLock { $0.position(at: stream.playedFrames, rate: stream.format.sampleRate) }
  }

  // MARK: Between the threads

  /// The first outcome counts; it ends every wait for data.
  func finish(_ outcome: Outcome) {
    let (isFirst, cancel) = control.withLock { control -> (Bool, (@Sendable () -> Void)?) in
      guard control.outcome == nil else { return (false, nil) }
      control.outcome = outcome
      return (true, control.cancelTransfer)
    }
    guard isFirst else { return }
    cancellation.cancel()
    cancel?()
    feeder.signal()
    monitor.signal()
  }

  var outcome: Outcome? { control.withLock { $0.outcome } }
  var isOver: Bool { control.withLock { $0.outcome != nil } }

  /// Takes what ends the transfer that begins now.
  func adopt(_ cancel: @escaping @Sendable () -> Void) {
    let isOver = control.withLock { control in
      control.cancelTransfer = cancel
      return control.outcome != nil
    }
    if isOver { cancel() }
  }

  func takeSeek() -> Double? { control.withLock { $0.seek.take() } }

  /// The feeder has something more urgent to do than to write.
  var isDisturbed: Bool { control.withLock { $0.seek != nil || $0.outcome != nil } }

  /// Lets the device run, once and unless it is to be held.
  func startStream() throws(AudioDeviceError) {
    try control.withLock { control throws(AudioDeviceError) in
      guard !control.isStarted, !control.isPaused, control.outcome == nil else { return }
      try stream.start()
      control.isStarted = true
    }
  }

  var isStarted: Bool { control.withLock { $0.isStarted } }

  /// From here on there is no pause any more; false where there is one now, or a jump is asked for.
  func beginDraining() -> Bool {
    control.withLock { control in
      guard !control.isPaused, control.seek == nil, control.outcome == nil, control.isStarted else {
        return false
      }
      control.isDraining = true
      return true
    }
  }

  func starve() { control.withLock { $0.isStarved = true } }

  func takeStarved() -> Bool {
    control.withLock { control in
      defer { control.isStarved = false }
      return control.isStarved
    }
  }

  func takeHeld() -> Bool {
    control.withLock { control in
      defer { control.wasHeld = false }
      return control.wasHeld
    }
  }
}
