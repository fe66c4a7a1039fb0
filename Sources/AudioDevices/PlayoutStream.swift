public import PCM

/// Sound to a device: the caller's thread fills a ring, a thread of the device empties it.
///
/// Open one with ``AudioBackend/openPlayout(_:)``, look at what was granted, write the first sound, `start()`,
/// go on writing, and `drain()` in the end. One thread writes; everything else may be called from any thread.
/// Positions count the frames that were written.
///
/// ```swift
/// var done = 0
/// while done < buffer.frameCount {
///   done += stream.write(buffer, from: done)
///   if done < buffer.frameCount, stream.wait(forRoom: 1024, timeout: .seconds(1)) == .ended { break }
/// }
/// ```
public final class PlayoutStream: Sendable {
  /// What was asked for.
  public let request: StreamRequest
  /// The device as it was when the stream was opened; later moves are events.
  public let device: DeviceInfo
  /// The format of the stream, which never changes.
  public var format: PCMFormat { core.format }
  /// How much sound the server holds for the stream. What the device holds comes on top: see ``latency``.
  public let grantedLatency: Duration

  private let core: StreamCore
  private let driver: any PlayoutDriver

  init(request: StreamRequest, grant: Grant, core: StreamCore, driver: any PlayoutDriver) {
    self.request = request
    device = grant.device
    grantedLatency = grant.latency
    self.core = core
    self.driver = driver
  }

  deinit { driver.stop() }

  /// Lets the device run. It begins to play when it has sound for its latency, or at `drain()`.
  /// - Throws: `misuse` for a second start; what the backend says.
  public func start() throws(AudioDeviceError) { try core.start(driver) }

  /// Writes frames of `buffer` from frame `first` on, as many as there is room for and without waiting, and
  /// returns how many. A buffer of another channel count is not taken: 0.
  public func write(_ buffer: PCMBuffer, from first: Int = 0) -> Int {
    guard first >= 0, first < buffer.frameCount, core.end == nil else { return 0 }
    let count = core.ring.push(buffer, from: first)
    if count > 0 { driver.framesArrived() }
    return count
  }

  /// Waits for room in the ring, an event or the end. Waiting for more than half of the ring is waiting for that.
  public func wait(forRoom frames: Int, timeout: Duration) -> StreamWait {
    let wanted = min(max(1, frames), core.ring.capacity / 2)
    return core.wait(timeout) { core.end == nil && core.ring.room >= wanted }
  }

  /// Holds the sound; the device keeps what it has.
  public func pause() throws(AudioDeviceError) { try core.pause(driver) }

  /// Lets the sound pass again.
  public func resume() throws(AudioDeviceError) { try core.resume(driver) }

  /// Drops everything that was written and not yet played, for a seek. Positions go on.
  /// - Throws: `misuse` when the stream is over; what the backend says.
  public func flush() throws(AudioDeviceError) {
    guard core.end == nil else { throw core.misuse("the stream is over") }
    try driver.flush()
  }

  /// Plays everything that was written, waits until the last frame has left the device, and ends the stream.
  /// - Parameter timeout: how long to wait beyond the length of the sound that is still there.
  /// - Throws: `stalled` where the device takes no sound; `serverDied`, `deviceGone`; `misuse` before the start.
  public func drain(timeout: Duration = .seconds(5)) throws(AudioDeviceError) {
    switch core.phase {
    case .opened: throw core.misuse("the stream was not started")
    case .paused: try resume()
    case .draining, .ended: throw core.misuse("the stream is being drained")
    case .running: break
    }
    core.enter(.draining)
    let length =
      Double(core.ring.available) / Double(format.sampleRate) + grantedLatency.seconds
      + (driver.latency ?? .zero).seconds
    let deadline = MonotonicTime.now.advanced(bySeconds: length + max(0, timeout.seconds))
    try driver.drain(until: deadline)
  }

  /// Ends the playing at once: what was not played yet is lost.
  public func stop() { driver.stop() }

  /// The next event that was not taken yet; `nil` where there is none.
  public func nextEvent() -> StreamEvent? { core.nextEvent() }

  /// Frames of room in the ring.
  public var roomFrames: Int { core.ring.room }
  /// Frames that the ring holds at most.
  public var bufferFrames: Int { core.ring.capacity }
  /// Frames that were written.
  public var position: Int64 { Int64(core.ring.stored) }
  /// Frames that have left the ring for the device (or were flushed).
  public var deviceFrames: Int64 { Int64(core.ring.removed) }
  /// The frame that leaves the loudspeaker now, by the device's clock; 0 before the start.
  public var playedFrames: Int64 {
    min(max(0, core.clock.wholeFrame(at: .now) ?? 0), deviceFrames)
  }
  /// Why the stream ended; `nil` while it has not.
  public var end: StreamEnd? { core.end }
  public var isPaused: Bool { core.phase == .paused }
  /// How long a frame that leaves the ring now needs to the loudspeaker; `nil` where that is not known yet.
  public var latency: Duration? { driver.latency }

  /// When a frame leaves or left the loudspeaker; `nil` before the device plays and while it is paused.
  public func time(ofFrame position: Int64) -> MonotonicTime? { core.clock.time(ofFrame: position) }
}
