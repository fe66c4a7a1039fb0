import PCM
import Synchronization

/// A sink in a loudspeaker's place.
final class ClockedPlayout: ClockedDriver, PlayoutDriver, @unchecked Sendable {
  private let sink: SoundSink
  /// Frames that must be there before the first one is played.
  private let lead: Int
  private let isDrainingValue = Atomic<Bool>(false)

  init(sink: SoundSink, core: StreamCore, pacing: Pacing, latency: Duration) {
    self.sink = sink
    lead = min(StreamRequest.frames(latency, at: core.format.sampleRate), core.ring.capacity / 2)
    super.init(core: core, pacing: pacing, latency: latency)
  }

  private var isDraining: Bool { isDrainingValue.load(ordering: .acquiring) }

  override var position: Int64 { Int64(core.ring.removed) }

  override func run() {
    do {
      try play()
    } catch {
      finish(.failed, String(describing: error))
    }
  }

  private func play() throws {
    var samples = [Float](repeating: 0, count: portion * core.format.channelCount)
    var hasBegun = false
    /// Frames by the device's clock: those of the caller and silence between them.
    var elapsed: Int64 = 0
    var silence: Int64 = 0
    while !isStopping {
      core.ring.settle()
      guard hasBegun || isDraining || core.ring.available >= lead else {
        wait(0.1) { isDraining || core.ring.available >= lead }
        continue
      }
      hasBegun = true
      // A portion is handed over when it begins to sound.
      guard isTime(for: elapsed, after: 0, when: { isDraining || core.ring.available > 0 }) else { continue }
      let position = Int64(core.ring.removed)
      // Asked before the ring is looked at: what is written comes before the drain.
      let isLast = isDraining
      let count = take(into: &samples)
      if count < portion, isLast {
        if count > 0 { try sink.write(count, samples) }
        publish(position, at: moment(of: elapsed))
        core.caller.signal()
        if let end = moment(of: elapsed + Int64(count)) {
          _ = core.driver.wait(until: end) { isStopping }
        } else {
          core.clock.stand(at: Int64(core.ring.removed))
        }
        return finish(.finished)
      }
      if case .free = pacing {
        if count > 0 { try sink.write(count, samples) }
        core.clock.stand(at: Int64(core.ring.removed))
      } else {
        note(portion - count, &silence, position + Int64(count))
        for index in count * core.format.channelCount..<samples.count { samples[index] = 0 }
        try sink.write(portion, samples)
        publish(position, at: moment(of: elapsed))
        elapsed += Int64(portion)
      }
      core.caller.signal()
    }
    finish(.stopped)
  }

  private func take(into samples: inout [Float]) -> Int {
    // unsafe: the array has room for a portion.
    unsafe samples.withUnsafeMutableBufferPointer { memory in
      guard let start = memory.baseAddress else { return 0 }
      return unsafe core.ring.take(portion, into: start)
    }
  }

  /// Tells when frames begin to be missing, and how many were when they are there again.
  private func note(_ missing: Int, _ silence: inout Int64, _ position: Int64) {
    if missing > 0 {
      if silence == 0 { core.events.post(EventQueue.Record(kind: .underrun, position: position)) }
      silence += Int64(missing)
    } else if silence > 0 {
      let nanoseconds = Double(silence) / Double(core.format.sampleRate) * 1e9
      core.events.post(
        EventQueue.Record(
          kind: .recovered, position: Int64(core.ring.removed - portion), number: Int64(nanoseconds.rounded())
        ))
      silence = 0
    }
  }

  override func finish(_ end: StreamEnd, _ words: String? = nil) {
    let position = Int64(core.ring.removed)
    // unsafe: the queue copies the text.
    if let words {
      unsafe words.withCString { text in unsafe core.finish(end, position: position, text: text) }
    } else {
      unsafe core.finish(end, position: position)
    }
  }

  func framesArrived() { core.driver.signal() }

  func flush() throws(AudioDeviceError) {
    core.ring.discard()
    core.driver.signal()
  }

  func drain(until deadline: MonotonicTime) throws(AudioDeviceError) {
    isDrainingValue.store(true, ordering: .releasing)
    core.driver.signal()
    let isDone = core.caller.wait(until: deadline) { core.end != nil }
    stop()
    guard core.end == .finished else {
      throw core.error
        ?? AudioDeviceError(
          isDone ? .misuse("the stream was stopped") : .stalled, position: Int64(core.ring.removed))
    }
  }
}
