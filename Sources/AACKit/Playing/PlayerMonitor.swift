import AudioDevices
import Synchronization

/// The thread that tells what is heard and what happens to the device, whatever the feeder waits for.
struct PlayerMonitor {
  private let core: PlayerCore
  private var nextPosition = MonotonicTime.now
  private var lastPosition = -1.0

  init(_ core: PlayerCore) { self.core = core }

  mutating func run() {
    while !core.isOver {
      _ = core.monitor.wait(until: .now.advanced(bySeconds: 0.02)) { core.isOver }
      takeDeviceEvents()
      tell(core.timeline.withLock { $0.pass(core.stream.playedFrames) })
      tellPosition()
      if let end = core.stream.end, let error = Self.error(end, core) { core.finish(.failed(error)) }
    }
    takeDeviceEvents()
    switch core.outcome {
    case .finished:
      tell(core.timeline.withLock { $0.pass(.max) })
      core.events.post(.finished)
    case .failed(let error):
      tell(core.timeline.withLock { $0.pass(core.stream.playedFrames) })
      core.events.post(.failed(error))
    case .stopped, nil: core.events.post(.stopped)
    }
    core.events.finish()
    core.stream.stop()
  }

  private func tell(_ marks: [PlayerTimeline.Mark]) {
    for mark in marks {
      switch mark {
      case .begin(let heard): core.events.post(.itemStarted(heard.index, heard.info))
      case .end(let index): core.events.post(.itemEnded(index))
      case .failure(let index, let error): core.events.post(.itemFailed(index, error))
      case .title(let text): core.events.post(.title(text))
      }
    }
  }

  private mutating func tellPosition() {
    let now = MonotonicTime.now
    guard now >= nextPosition, core.timeline.withLock({ $0.hasBegun }) else { return }
    let position = core.position
    guard position != lastPosition else { return }
    lastPosition = position
    nextPosition = now.advanced(bySeconds: max(0.02, core.settings.positionInterval))
    core.events.post(.position(position))
  }

  private func takeDeviceEvents() {
    while let event = core.stream.nextEvent() {
      switch event.kind {
      case .underrun:
        core.starve()
        core.events.post(.underrun)
      case .recovered(let silence): core.events.post(.recovered(silence: silence))
      case .moved(let id): core.events.post(.moved(to: id))
      case .suspended: core.events.post(.suspended)
      case .awake: core.events.post(.awake)
      case .deviceFormatChanged(let format): core.events.post(.deviceFormatChanged(format))
      case .eventsLost(let count): core.events.post(.eventsLost(count))
      case .ended(let end, let words):
        if let error = Self.error(end, core, words) { core.finish(.failed(error)) }
      case .overrun, .hole: break
      }
    }
  }

  /// The error of a stream that ended other than by itself.
  private static func error(_ end: StreamEnd, _ core: PlayerCore, _ words: String? = nil) -> AACKitError? {
    let reason: AudioDeviceError.Reason =
      switch end {
      case .deviceGone: .deviceGone
      case .serverDied: .serverDied(words ?? "the connection is closed")
      case .failed: .source(words ?? "the sink failed")
      case .stopped, .finished: .misuse("the stream is over")
      }
    if case .misuse = reason { return nil }
    return AACKitError(
      .device(AudioDeviceError(reason, backend: core.backend, position: core.stream.deviceFrames)))
  }
}
