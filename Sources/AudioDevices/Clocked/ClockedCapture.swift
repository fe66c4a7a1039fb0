import PCM

/// A source in a microphone's place.
final class ClockedCapture: ClockedDriver, @unchecked Sendable {
  private let source: SoundSource

  init(source: SoundSource, core: StreamCore, pacing: Pacing, latency: Duration) {
    self.source = source
    super.init(core: core, pacing: pacing, latency: latency)
  }

  override var position: Int64 { Int64(core.ring.offered) }

  override func run() {
    var samples = [Float](repeating: 0, count: portion * core.format.channelCount)
    var position: Int64 = 0
    while !isStopping {
      guard isTime(for: position, after: portion, when: { core.ring.room >= portion }) else { continue }
      do {
        let count = min(portion, try source.read(position, portion, &samples))
        guard count > 0 else { return finish(.finished) }
        guard samples.count >= portion * core.format.channelCount else {
          return finish(.failed, "the source made the room for its samples smaller")
        }
        publish(position, at: moment(of: position))
        // unsafe: the array holds the frames, as was looked at above.
        let offered = unsafe samples.withUnsafeBufferPointer { memory in
          unsafe core.ring.offer(memory.baseAddress, frames: count)
        }
        if let gap = offered.closed { core.post(gap) }
        position += Int64(count)
        core.caller.signal()
      } catch {
        return finish(.failed, String(describing: error))
      }
    }
    finish(.stopped)
  }

  override func finish(_ end: StreamEnd, _ words: String? = nil) {
    guard core.end == nil else { return }
    // unsafe: the queue copies the text.
    if let words {
      unsafe words.withCString { text in unsafe core.finishCapture(end, text: text) }
    } else {
      unsafe core.finishCapture(end)
    }
  }
}
