import AudioDevices
import Threads

/// What can go through an ``EventChannel``.
public protocol ChannelEvent: Sendable {
  /// Says that so many events in front of this one found no room.
  static func eventsLost(_ count: Int) -> Self
  /// Whether a later event of this sort makes an unread one needless: levels and positions.
  var isOutdatedByNext: Bool { get }
}

/// Events of a worker, in order, for one listener: a task (`for await`) or a thread (`next(timeout:)`).
///
/// 1000 events wait for a slow listener; what comes then is counted, and the count is an event itself. Of unread
/// levels and positions that follow each other only the newest stays.
public final class EventChannel<Event: ChannelEvent>: AsyncSequence, Sendable {
  public typealias Element = Event
  public typealias Failure = Never

  private struct State {
    var events: [Event] = []
    /// Events of `events` that were taken already.
    var taken = 0
    var lost = 0
    var isFinished = false
    var waiting: CheckedContinuation<Event?, Never>?

    mutating func take() -> Event? {
      guard taken < events.count else {
        guard lost > 0 else { return nil }
        defer { lost = 0 }
        return .eventsLost(lost)
      }
      let event = events[taken]
      taken += 1
      if taken == events.count || taken > 500 {
        events.removeFirst(taken)
        taken = 0
      }
      return event
    }
  }

  private static var capacity: Int { 1000 }
  private let state = Guarded(State())
  private let wakeup = Wakeup()

  package init() {}

  /// Adds an event. Nothing happens after `finish()`.
  package func post(_ event: Event) {
    let waiting = state.withLock { state -> CheckedContinuation<Event?, Never>? in
      guard !state.isFinished else { return nil }
      if let waiting = state.waiting {
        state.waiting = nil
        return waiting
      }
      if event.isOutdatedByNext, state.taken < state.events.count,
        state.events.last?.isOutdatedByNext == true
      {
        state.events[state.events.count - 1] = event
      } else if state.events.count - state.taken < Self.capacity, state.lost == 0 {
        state.events.append(event)
      } else {
        state.lost += 1
      }
      return nil
    }
    waiting?.resume(returning: event)
    wakeup.signal()
  }

  /// Ends the sequence behind the events that are there.
  package func finish() {
    let waiting = state.withLock { state in
      state.isFinished = true
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: nil)
    wakeup.signal()
  }

  /// Whether there will be no event any more and all were taken.
  public var isAtEnd: Bool {
    state.withLock { $0.isFinished && $0.taken == $0.events.count && $0.lost == 0 }
  }

  /// The next event, waited for on this thread; `nil` where none came in time or the channel is at its end.
  public func next(timeout: Duration) -> Event? {
    let deadline = MonotonicTime.now.advanced(bySeconds: timeout.seconds)
    var event: Event?
    _ = wakeup.wait(until: deadline) {
      state.withLock { state in
        event = state.take()
        return event != nil || state.isFinished
      }
    }
    return event
  }

  /// Gives the events to a task.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let channel: EventChannel

    /// The next event; `nil` at the end, and in a cancelled task.
    public mutating func next() async -> Event? { await channel.next() }
  }

  public func makeAsyncIterator() -> Iterator { Iterator(channel: self) }

  private func next() async -> Event? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isReady, event) = state.withLock { state -> (Bool, Event?) in
          if let event = state.take() { return (true, event) }
          if state.isFinished || Task.isCancelled { return (true, nil) }
          state.waiting?.resume(returning: nil)
          state.waiting = continuation
          return (false, nil)
        }
        if isReady { continuation.resume(returning: event) }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        defer { state.waiting = nil }
        return state.waiting
      }
      waiting?.resume(returning: nil)
    }
  }
}
