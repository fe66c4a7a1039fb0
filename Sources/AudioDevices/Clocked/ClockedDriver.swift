import PCM
import Synchronization
import Threads

/// What capture and playout of the backends without hardware have in common: a thread that moves sound in portions, by
/// the monotonic clock or as fast as the other side goes.
class ClockedDriver: @unchecked Sendable, StreamDriver {
  let core: StreamCore
  let pacing: Pacing
  /// Frames that are moved at once: half of the latency.
  let portion: Int
  private let isStoppingValue = Atomic<Bool>(false)
  private let isPausedValue = Atomic<Bool>(false)
  private let thread = Guarded<WorkerThread?>(nil)
  // For the thread: the clock's start and the frame that it had then.
  private var base = MonotonicTime.now
  private var baseFrame: Int64 = 0
  private var isStanding = true

  init(core: StreamCore, pacing: Pacing, latency: Duration) {
    self.core = core
    self.pacing = pacing
    portion = max(16, min(StreamRequest.frames(latency, at: core.format.sampleRate), core.ring.capacity) / 2)
  }

  /// The work of the thread, until `isStopping` or the end of the sound. It finishes the stream.
  func run() {}

  /// Ends the stream for its caller; on the thread, or when it has ended.
  func finish(_ end: StreamEnd, _ words: String? = nil) {}

  /// Where the caller's stream is.
  var position: Int64 { 0 }

  var isStopping: Bool { isStoppingValue.load(ordering: .acquiring) }
  var isPaused: Bool { isPausedValue.load(ordering: .acquiring) }
  var latency: Duration? { .seconds(Double(portion) / Double(core.format.sampleRate)) }

  func start() throws(AudioDeviceError) {
    let isStarted = thread.withLock { thread in
      thread = WorkerThread { [self] in run() }
      return thread != nil
    }
    guard isStarted else { throw AudioDeviceError(.outOfResources("threads")) }
  }

  func setPaused(_ isPaused: Bool) throws(AudioDeviceError) {
    isPausedValue.store(isPaused, ordering: .releasing)
    core.driver.signal()
  }

  func stop() {
    isStoppingValue.store(true, ordering: .releasing)
    core.driver.signal()
    thread.withLock { $0?.join() }
    finish(.stopped)
  }

  /// On the thread: waits until the portion that starts at `frame` is to be moved, and tells its time. False: look
  /// again at everything else first.
  func isTime(for frame: Int64, after portion: Int, when isReady: () -> Bool) -> Bool {
    if isPaused {
      if !isStanding { core.clock.stand(at: position) }
      isStanding = true
      wait(0.1) { !isPaused }
      return false
    }
    guard let speed = pacing.framesPerSecond(core.format.sampleRate) else {
      if isReady() { return true }
      wait(0.1, for: isReady)
      return false
    }
    if isStanding {
      base = .now
      baseFrame = frame
      isStanding = false
    }
    let start = base.advanced(bySeconds: Double(frame - baseFrame) / speed)
    let due = start.advanced(bySeconds: Double(portion) / speed)
    if MonotonicTime.now < due {
      _ = core.driver.wait(until: due) { isStopping || isPaused }
      return false
    }
    return true
  }

  /// The moment of a frame by this clock, once it runs.
  func moment(of frame: Int64) -> MonotonicTime? {
    guard !isStanding, let speed = pacing.framesPerSecond(core.format.sampleRate) else { return nil }
    return base.advanced(bySeconds: Double(frame - baseFrame) / speed)
  }

  /// Tells the caller the time of a frame.
  func publish(_ frame: Int64, at time: MonotonicTime?) {
    guard let time, let speed = pacing.framesPerSecond(core.format.sampleRate) else { return }
    core.clock.publish(StreamClock.Anchor(frame: frame, time: time, framesPerSecond: speed))
  }

  func wait(_ seconds: Double, for isReady: () -> Bool) {
    _ = core.driver.wait(until: .now.advanced(bySeconds: seconds)) { isStopping || isReady() }
  }
}
