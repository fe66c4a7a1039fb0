import AAC
import AudioDevices
import AudioFiles
import PCM

/// The recorder's own thread: takes what the device gave, makes sound of the file's format of it, measures, and encodes.
///
/// Everything here belongs to that thread once it runs.
final class RecordingRun: @unchecked Sendable {
  /// Frames that are looked for at a time.
  private static let portion = 512

  private let source: RecordingSource
  private let settings: RecorderSettings
  private let format: PCMFormat
  private let control: RecorderControl
  private let events: EventChannel<RecorderEvent>
  private var stream: CaptureStream
  private var adapter: FormatAdapter
  private var meter: RecordingMeter
  private var gate: SoundGate?
  private var parts: PartEncoder
  private var captured: PCMBuffer
  private var converted: PCMBuffer
  private var isPaused = false
  private var isOver = false
  /// Frames that were lost in streams before this one.
  private var lostBefore: Int64 = 0
  /// When the last frame was at the microphone.
  private var lastTime: MonotonicTime?
  /// Frames that came since the stream was opened, the lost ones too.
  private var lastFrames: Int64 = 0
  /// Whether the next block is the first one of a stream that was opened again.
  private var isBridging = false

  init(
    _ stream: CaptureStream, of source: RecordingSource, _ settings: RecorderSettings,
    _ encoding: EncoderSettings, _ control: RecorderControl, _ events: EventChannel<RecorderEvent>,
    _ pipe: PacketPipe
  ) throws(AudioFileError) {
    self.stream = stream
    self.source = source
    self.settings = settings
    self.control = control
    self.events = events
    format = PCMFormat(sampleRate: encoding.sampleRate, layout: encoding.layout)
    adapter = FormatAdapter(to: format, downmix: .itu)
    meter = try RecordingMeter(format, interval: settings.levelInterval)
    gate = SoundGate.isNeeded(settings) ? SoundGate(format, settings) : nil
    parts = PartEncoder(encoding, settings, pipe)
    captured = PCMBuffer(format: stream.format)
    converted = PCMBuffer(format: format)
  }

  var frames: Int64 { parts.frames }
  var lostFrames: Int64 { lostBefore + stream.lostFrames }

  /// Records until it is stopped, or has what was asked for. What ended it before that.
  func run() -> AACKitError? {
    var failure: AACKitError?
    do { try record() } catch { failure = error }
    stream.stop()
    forwardEvents()
    do {
      try drain()
      try gate?.finish { window throws(AACKitError) in try parts.add(window) }
      try parts.endPart()
    } catch {
      failure = failure ?? error
    }
    return failure
  }

  private func record() throws(AACKitError) {
    while !isOver {
      let wait = stream.wait(forFrames: Self.portion, timeout: .milliseconds(100))
      forwardEvents()
      while !isOver, let block = stream.read(Self.portion, into: &captured) { try take(block) }
      if wait == .ended, !isOver {
        try obeyAll()
        if !isOver { try goOn() }
      }
      while !isOver, let command = control.nextOverdue() { try obey(command) }
      if !parts.isWriting { isOver = true }
    }
  }

  // MARK: Sound

  private func take(_ block: CaptureStream.Block) throws(AACKitError) {
    let time = stream.time(ofFrame: block.position)
    while !isOver, let command = control.next(until: time) { try obey(command) }
    guard !isOver else { return }
    try bridge(to: stream.time(ofFrame: block.position - block.lostBefore))
    if block.lostBefore > 0, !isPaused {
      events.post(.lost(frames: block.lostBefore, at: parts.seconds))
      try addSilence(block.lostBefore, stream.format)
    }
    let repaired = SampleRepair.repair(&captured)
    if repaired > 0 { events.post(.repairedSamples(count: repaired, at: parts.seconds)) }
    try convert(captured)
    lastFrames = block.position + Int64(block.frameCount)
    lastTime = stream.time(ofFrame: lastFrames)
  }

  private func convert(_ buffer: PCMBuffer) throws(AACKitError) {
    if adapter.needsDraining(before: buffer.format) { try drain() }
    do { try adapter.convert(buffer, into: &converted) } catch {
      throw AACKitError(.audioFile(error), time: parts.seconds)
    }
    try add(converted)
  }

  /// Takes what the rate converter still holds.
  private func drain() throws(AACKitError) {
    do { try adapter.finish(into: &converted) } catch { throw AACKitError(.audioFile(error)) }
    try add(converted)
  }

  /// Adds sound in the file's format.
  private func add(_ sound: PCMBuffer) throws(AACKitError) {
    guard sound.frameCount > 0 else { return }
    do {
      if let levels = try meter.add(sound, at: parts.seconds) { events.post(.levels(levels)) }
    } catch { throw AACKitError(.audioFile(error), time: parts.seconds) }
    guard !isPaused else { return }
    if gate == nil {
      try parts.add(sound)
    } else {
      try gate?.add(
        sound, { window throws(AACKitError) in try pass(window) },
        { verdict throws(AACKitError) in try heed(verdict) })
    }
    if parts.isFull { isOver = true }
  }

  private func pass(_ sound: PCMBuffer) throws(AACKitError) { if !isOver { try parts.add(sound) } }

  private func heed(_ verdict: SoundGate.Verdict) throws(AACKitError) {
    guard !isOver else { return }
    switch verdict {
    case .opened: events.post(.soundBegan(at: parts.seconds))
    case .silent:
      events.post(.silenceBegan(at: parts.seconds))
      switch settings.silence?.action {
      case .stop: isOver = true
      case .split: try parts.endPart()
      case .skip, nil: break
      }
    }
  }

  private func addSilence(_ frames: Int64, _ format: PCMFormat) throws(AACKitError) {
    var left = frames
    while left > 0, !isOver, parts.isWriting {
      let silence = PCMBuffer(format: format, frameCount: Int(min(left, 8192)))
      left -= Int64(silence.frameCount)
      try convert(silence)
    }
  }

  // MARK: Commands and events

  private func obey(_ command: RecorderControl.Command) throws(AACKitError) {
    switch command {
    case .begin: try gate?.open { window throws(AACKitError) in try pass(window) }
    case .pause where !isPaused:
      isPaused = true
      events.post(.paused(at: parts.seconds))
    case .resume where isPaused:
      isPaused = false
      events.post(.resumed(at: parts.seconds))
    case .split: try parts.endPart()
    case .stop: isOver = true
    case .pause, .resume: break
    }
  }

  /// Obeys what was asked for, be the sound of its moment there or not.
  private func obeyAll() throws(AACKitError) {
    while !isOver, let command = control.next(until: nil) { try obey(command) }
  }

  private func forwardEvents() {
    while let event = stream.nextEvent() {
      // A loss is told where its place in the file is known; the end by how it is dealt with.
      switch event.kind {
      case .overrun: break
      default: events.post(.device(event, at: parts.seconds))
      }
    }
  }

  // MARK: The device goes away

  /// Opens the stream again after its end, or throws why it ended.
  private func goOn() throws(AACKitError) {
    switch stream.end {
    case .finished, .stopped, nil:
      isOver = true
      return
    case .deviceGone, .serverDied, .failed: break
    }
    let reason = AACKitError(.device(streamError), time: parts.seconds)
    guard settings.reconnectTime > 0, stream.end != .failed else { throw reason }
    events.post(.reconnecting(reason, at: parts.seconds))
    let deadline = MonotonicTime.now.advanced(bySeconds: settings.reconnectTime)
    lostBefore += stream.lostFrames
    let pause = Wakeup()
    while MonotonicTime.now < deadline {
      if control.isStopping {
        isOver = true
        return
      }
      if let next = try? source.open(), (try? next.start()) != nil {
        stream = next
        isBridging = true
        return
      }
      _ = pause.wait(until: .now.advanced(bySeconds: 0.25)) { false }
    }
    throw reason
  }

  /// Fills the time since the last frame of the stream before this one with silence.
  private func bridge(to time: MonotonicTime?) throws(AACKitError) {
    guard isBridging else { return }
    isBridging = false
    try drain()
    var gap = 0.0
    if let time, let lastTime {
      gap = min(max(0, time.seconds(since: lastTime)), settings.reconnectTime + 10)
    }
    events.post(.reconnected(stream.device, silence: gap, at: parts.seconds))
    if !isPaused { try addSilence(Int64((gap * Double(format.sampleRate)).rounded()), format) }
  }

  private var streamError: AudioDeviceError {
    switch stream.end {
    case .deviceGone: AudioDeviceError(.deviceGone, position: lastFrames)
    case .serverDied: AudioDeviceError(.serverDied("the connection broke"), position: lastFrames)
    default: AudioDeviceError(.source("the sound's source failed"), position: lastFrames)
    }
  }
}
