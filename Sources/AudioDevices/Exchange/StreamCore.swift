import PCM
import Synchronization
import Threads

/// What the device's thread and the caller's thread of a stream share.
final class StreamCore: Sendable {
  enum Phase: UInt8 { case opened, running, paused, draining, ended }

  let format: PCMFormat
  let ring: SampleRing
  let events = EventQueue()
  let clock = StreamClock()
  /// Wakes the caller: frames or room, an event, the end.
  let caller = Wakeup()
  /// Wakes the thread of a driver that waits for the caller.
  let driver = Wakeup()
  private let phaseValue = Atomic<UInt8>(Phase.opened.rawValue)
  private let endValue = Atomic<UInt8>(0)
  /// An event that was taken together with a loss, and is to be given after it. For callers' threads only.
  private let held = Guarded<StreamEvent?>(nil)

  init(format: PCMFormat, bufferFrames: Int) {
    self.format = format
    ring = SampleRing(channelCount: format.channelCount, frames: bufferFrames)
  }

  var phase: Phase { Phase(rawValue: phaseValue.load(ordering: .acquiring)) ?? .ended }

  /// Why the stream ended; `nil` while it has not.
  var end: StreamEnd? { StreamEnd(rawValue: endValue.load(ordering: .acquiring)) }

  /// Goes to another phase, unless the stream has ended.
  func enter(_ phase: Phase) {
    var current = phaseValue.load(ordering: .acquiring)
    while current != Phase.ended.rawValue {
      let (done, now) = phaseValue.compareExchange(
        expected: current, desired: phase.rawValue, ordering: .acquiringAndReleasing)
      if done { return }
      current = now
    }
  }

  /// Ends the stream, once. Only the thread that posts events may call it.
  @unsafe
  func finish(_ end: StreamEnd, position: Int64, text: UnsafePointer<CChar>? = nil) {
    let (first, _) = endValue.compareExchange(
      expected: 0, desired: end.rawValue, ordering: .acquiringAndReleasing)
    guard first else { return }
    unsafe events.post(
      EventQueue.Record(kind: .ended, position: position, number: Int64(end.rawValue)), text: text)
    phaseValue.store(Phase.ended.rawValue, ordering: .releasing)
    caller.signal()
    driver.signal()
  }

  /// Ends a capture: a last loss is told first.
  @unsafe
  func finishCapture(_ end: StreamEnd, text: UnsafePointer<CChar>? = nil) {
    guard self.end == nil else { return }
    if let gap = ring.finish() { post(gap) }
    unsafe finish(end, position: Int64(ring.offered), text: text)
  }

  func post(_ gap: SampleRing.Gap) {
    events.post(
      EventQueue.Record(kind: .overrun, position: Int64(gap.position), number: Int64(gap.frames)))
  }

  /// The next event, for the caller's thread.
  func nextEvent() -> StreamEvent? {
    held.withLock { held in
      if let waiting = held.take() { return waiting }
      guard let (record, text, lost) = events.take() else { return nil }
      let event = record.map { Self.event($0, text) }
      guard lost > 0 else { return event }
      held = event
      return StreamEvent(
        kind: .eventsLost(lost), position: event?.position ?? Int64(ring.offered),
        time: event?.time ?? .now)
    }
  }

  var hasEvents: Bool { !events.isEmpty || held.withLock { $0 != nil } }

  private static func event(_ record: EventQueue.Record, _ text: String) -> StreamEvent {
    let kind: StreamEvent.Kind =
      switch record.kind {
      case .overrun: .overrun(frames: record.number)
      case .hole: .hole(frames: record.number)
      case .underrun: .underrun
      case .recovered: .recovered(silence: .nanoseconds(record.number))
      case .moved: .moved(to: text)
      case .suspended: .suspended
      case .awake: .awake
      case .format: .deviceFormatChanged(format(record))
      case .ended:
        .ended(
          StreamEnd(rawValue: UInt8(clamping: record.number)) ?? .failed, text.isEmpty ? nil : text)
      }
    return StreamEvent(kind: kind, position: record.position, time: record.time)
  }

  private static func format(_ record: EventQueue.Record) -> PCMFormat {
    let speakers = (0..<min(32, Int(record.channelCount))).map { Speaker(rawValue: record.layout[$0]) }
    return PCMFormat(sampleRate: Int(record.number), layout: ChannelLayout(speakers))
  }
}
