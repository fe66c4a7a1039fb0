public import PCM

/// Sound from a device: a thread of the device fills a ring, the caller's thread empties it.
///
/// Open one with ``AudioBackend/openCapture(_:)``, look at what was granted, `start()` it and read. One thread
/// reads; everything else may be called from any thread. Positions count the frames that the device gave since
/// the start, lost ones included, so that `position / sampleRate` is time.
///
/// ```swift
/// while true {
///   let wait = stream.wait(forFrames: 1024, timeout: .seconds(1))
///   while let event = stream.nextEvent() { … }
///   while let block = stream.read(4096, into: &buffer) { … }   // block.position, block.lostBefore
///   if wait == .ended { break }
/// }
/// ```
public final class CaptureStream: Sendable {
  /// A contiguous stretch of captured sound.
  public struct Block: Sendable, Hashable {
    /// Position in the stream of the first frame of the buffer.
    public var position: Int64
    /// Frames in the buffer; 0 only where the stream ended with a loss.
    public var frameCount: Int
    /// Frames that were lost right in front of this block because the ring was full.
    public var lostBefore: Int64
  }

  /// What was asked for.
  public let request: StreamRequest
  /// The device as it was when the stream was opened; later moves are events.
  public let device: DeviceInfo
  /// The format of the stream, which never changes.
  public var format: PCMFormat { core.format }
  /// How much sound the server holds for the stream. What the device holds comes on top: see ``latency``.
  public let grantedLatency: Duration

  private let core: StreamCore
  private let driver: any StreamDriver

  init(request: StreamRequest, grant: Grant, core: StreamCore, driver: any StreamDriver) {
    self.request = request
    device = grant.device
    grantedLatency = grant.latency
    self.core = core
    self.driver = driver
  }

  deinit { driver.stop() }

  /// Lets the device run.
  /// - Throws: `misuse` for a second start; what the backend says.
  public func start() throws(AudioDeviceError) { try core.start(driver) }

  /// Takes no more sound from the device until `resume()`. Positions go on without a gap.
  public func pause() throws(AudioDeviceError) { try core.pause(driver) }

  /// Takes sound again, from now on.
  public func resume() throws(AudioDeviceError) { try core.resume(driver) }

  /// Ends the capture. What is in the ring can still be read.
  public func stop() { driver.stop() }

  /// Reads what is there, up to `frames` frames and not over a gap, without waiting; `nil` where there is nothing.
  ///
  /// `buffer` gets the stream's format. It grows where it has to; else nothing is allocated.
  public func read(_ frames: Int, into buffer: inout PCMBuffer) -> Block? {
    if buffer.format != format { buffer.resize(to: 0, format: format) }
    let block = core.ring.read(max(0, frames), into: &buffer)
    core.driver.signal()
    guard block.frames > 0 || block.lostBefore > 0 else { return nil }
    return Block(
      position: Int64(block.position), frameCount: block.frames, lostBefore: Int64(block.lostBefore))
  }

  /// Waits for frames to read, an event or the end. Waiting for more than half of the ring is waiting for that.
  public func wait(forFrames frames: Int, timeout: Duration) -> StreamWait {
    let wanted = min(max(1, frames), core.ring.capacity / 2)
    return core.wait(timeout) { core.ring.available >= wanted }
  }

  /// The next event that was not taken yet; `nil` where there is none.
  public func nextEvent() -> StreamEvent? { core.nextEvent() }

  /// Frames that can be read now.
  public var availableFrames: Int { core.ring.available }
  /// Frames that the ring holds at most.
  public var bufferFrames: Int { core.ring.capacity }
  /// Frames that the device has given, lost ones included.
  public var position: Int64 { Int64(core.ring.offered) }
  /// Frames that were lost because the ring was full.
  public var lostFrames: Int64 { Int64(core.ring.lost) }
  /// Why the stream ended; `nil` while it has not.
  public var end: StreamEnd? { core.end }
  public var isPaused: Bool { core.phase == .paused }
  /// How old the newest frame in the ring was when it came; `nil` where that is not known yet.
  public var latency: Duration? { driver.latency }

  /// When a frame was at the microphone; `nil` before the first frames have come.
  public func time(ofFrame position: Int64) -> MonotonicTime? { core.clock.time(ofFrame: position) }
}
