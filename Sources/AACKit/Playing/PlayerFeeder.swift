import AACStreaming
import AudioDevices
import AudioFiles
import PCM
import Synchronization

/// The thread that reads, decodes and converts, and fills the device's stream.
final class PlayerFeeder {
  private let core: PlayerCore
  private let stream: PlayoutStream
  private var path: SoundPath
  private var ramp: VolumeRamp
  private var item: OpenItem?
  /// The item that is read, or is to be opened next.
  private var index = 0
  private var lastError: AACKitError?
  private var lead: LiveLead?
  private var input: PCMBuffer
  private var output: PCMBuffer

  /// Frames that are read at once.
  private static let portion = 2048
  /// Seconds between two looks at everything, where there is nothing else to wait for.
  private static let tick = 0.02

  init(_ core: PlayerCore) {
    self.core = core
    stream = core.stream
    path = SoundPath(to: core.stream.format)
    ramp = VolumeRamp(core.volume)
    input = PCMBuffer(format: core.stream.format)
    output = input
  }

  func run() {
    do {
      while !core.isOver { try step() }
    } catch {
      core.finish(.failed(AACKitError(.device(error))))
    }
  }

  private func step() throws(AudioDeviceError) {
    if let seconds = core.takeSeek() { try jump(to: seconds) }
    guard let item else {
      if index < core.items.count {
        open(at: index == 0 && stream.position == 0 ? core.settings.start : 0)
      } else {
        try end()
      }
      return
    }
    try hold(item)
    do throws(AACKitError) {
      guard try item.read(Self.portion, into: &input) > 0 else { return try close(item) }
      do { try path.convert(input, into: &output) } catch {
        throw AACKitError(.audioFile(error), path: item.item.name)
      }
    } catch { return fail(error) }
    try write()
  }

  // MARK: Items

  private func open(at seconds: Double, jumpingAfter played: Int64? = nil) {
    let core = core
    do throws(AACKitError) {
      let made = try OpenItem(
        core.items[index], index, core.settings, core.cancellation,
        onHTTP: { [index] event in core.take(event, of: index) }, adopt: core.adopt)
      let start = seconds > 0 ? try made.skip(to: seconds) : 0
      if path.needsDraining(before: made) { drainPath() }
      do { try path.prepare(for: made) } catch {
        throw AACKitError(.audioFile(error), path: made.item.name)
      }
      lead = made.info.isLive ? LiveLead(made, core) : nil
      item = made
      core.timeline.withLock { timeline in
        let heard = PlayerTimeline.Heard(
          index: index, info: made.info, frame: stream.position, seconds: start)
        if let played {
          timeline.jump(to: heard, after: played)
        } else {
          timeline.add(.begin(heard), at: heard.frame)
        }
      }
    } catch { fail(error) }
  }

  /// Gives the item up and goes on with the next one.
  private func fail(_ error: AACKitError) {
    item = nil
    if error.reason == .cancelled, core.isOver { return }
    lastError = error
    core.timeline.withLock { $0.add(.failure(index, error), at: stream.position) }
    core.monitor.signal()
    index += 1
  }

  private func close(_ item: OpenItem) throws(AACKitError) {
    self.item = nil
    index += 1
    if index == core.items.count { drainPath() }
    core.timeline.withLock { $0.add(.end(item.index), at: stream.position) }
  }

  /// Another place of the item that is heard, which may be in front of the one that is read.
  private func jump(to seconds: Double) throws(AudioDeviceError) {
    let played = stream.playedFrames
    let heard = core.timeline.withLock { $0.heard(at: played) }
    if stream.position > 0 { try stream.flush() }
    path.reset()
    index = heard?.index ?? index
    item = nil
    open(at: seconds, jumpingAfter: heard == nil ? nil : played)
  }

  // MARK: Writing

  private func drainPath() {
    guard (try? path.finish(into: &output)) != nil, output.frameCount > 0 else { return }
    try? write()
  }

  /// Writes the output, and waits for room; gives up where something more urgent is asked for.
  private func write() throws(AudioDeviceError) {
    guard output.frameCount > 0 else { return }
    ramp.apply(core.volume, to: &output)
    var done = 0
    while done < output.frameCount {
      if core.isDisturbed { return }
      let count = stream.write(output, from: done)
      done += count
      if try isReadyToStart(isFull: count == 0) { try core.startStream() }
      guard count == 0 else { continue }
      if stream.end != nil { return pause() }
      // An event is the monitor's to take.
      if stream.wait(forRoom: 1024, timeout: .seconds(Self.tick)) == .event { pause(0.002) }
    }
    if let lead, core.isStarted, let bend = lead.bend(after: output.frameCount) { path.setBend(bend) }
  }

  private func isReadyToStart(isFull: Bool) throws(AudioDeviceError) -> Bool {
    guard !core.isStarted else { return false }
    if let lead { return lead.isThere }
    let enough = 2 * stream.grantedLatency.seconds * Double(stream.format.sampleRate)
    return isFull || Double(stream.position) >= enough
  }

  /// Waits while a live stream has too little to go on with.
  private func hold(_ item: OpenItem) throws(AudioDeviceError) {
    guard let lead, core.isStarted, core.takeStarved() else { return }
    while !core.isDisturbed, !lead.isThere { pause() }
    lead.restart()
  }

  private func pause(_ seconds: Double = tick) {
    _ = core.feeder.wait(until: .now.advanced(bySeconds: seconds)) { core.isDisturbed }
  }

  // MARK: The end

  /// Everything is written: waits until it is heard, as long as nobody asks for another place.
  private func end() throws(AudioDeviceError) {
    drainPath()
    guard stream.position > 0 else {
      return core.finish(lastError.map { .failed($0) } ?? .finished)
    }
    try core.startStream()
    let latency = Int64(stream.grantedLatency.seconds * Double(stream.format.sampleRate))
    // A stream that is drained cannot go back: so it is drained only when the device has nearly all.
    while core.isPaused || stream.position - stream.deviceFrames > latency || !core.beginDraining() {
      if core.isDisturbed || stream.end != nil { return pause() }
      pause()
      try core.startStream()
    }
    try stream.drain()
    core.finish(.finished)
  }
}

extension PlayerCore {
  /// What a transfer tells; titles come on the feeder's thread, when they are read.
  func take(_ event: HTTPEvent, of index: Int) {
    switch event {
    case .title(let text): timeline.withLock { $0.add(.title(text), at: stream.position) }
    case .reconnecting(let attempt, let error):
      events.post(.reconnecting(attempt: attempt, error))
    case .connected(let response): events.post(.connected(response))
    }
  }
}
