public import AAC
public import AudioDevices
public import PCM
import Threads

/// Records: device → ring → encoder → file, as it comes.
///
/// ```swift
/// let recorder = try Recorder(from: .defaultInput, to: .file("take.m4a"), settings: .voice)
/// try recorder.start()
/// for await event in recorder.events { … }          // levels, losses, the device's changes; .finished is the last
/// ```
///
/// The file has one format from its first sample to its last one, whatever the device does. It can be played at any
/// moment, also after a crash: ADTS is written as it comes, M4A in fragments of a quarter of a second, which become a
/// plain M4A file in the end. Every method may be called from any thread. A recorder that nobody holds any more ends
/// its recording.
public final class Recorder: Sendable {
  /// What happens. One task or thread listens.
  public let events: EventChannel<RecorderEvent>
  /// The input as it was opened.
  public let device: DeviceInfo
  /// What the device gives.
  public let deviceFormat: PCMFormat
  /// How much sound the server holds.
  public let grantedLatency: Duration
  /// What the encoder was asked for: rate and layout of the file among it.
  public let encoding: EncoderSettings
  /// What the encoder made of it.
  public let effective: AACEncoder.Effective
  public let configuration: AudioSpecificConfig

  private let stream: CaptureStream
  private let control = RecorderControl()
  private let pipe: PacketPipe
  private let run: RecordingRun
  private let writer: RecordingWriter
  private let state = Guarded(State())

  private struct State {
    var hasStarted = false
    var summary: RecordingSummary?
    var waiting: [CheckedContinuation<RecordingSummary, Never>] = []
  }

  /// Opens the device and the file; nothing is recorded before `start()`.
  ///
  /// - Throws: `device` for what the device or its server says; `exists`, `cannotWrite`, `isDirectory` for the file;
  ///   `unsupported` and `codec` for settings that cannot be met.
  public init(
    from source: RecordingSource, to target: RecordingTarget, settings: RecorderSettings = RecorderSettings()
  ) throws(AACKitError) {
    try settings.check()
    do { stream = try source.open() } catch { throw AACKitError(.device(error)) }
    device = stream.device
    deviceFormat = stream.format
    grantedLatency = stream.grantedLatency
    encoding = try settings.encoding.encoderSettings(recording: stream.format)
    do {
      let encoder = try AACEncoder(encoding)
      effective = encoder.effective
      configuration = encoder.configuration
    } catch { throw AACKitError(.codec(error)) }
    events = EventChannel()
    pipe = PacketPipe(bytes: settings.queueBytes)
    do {
      run = try RecordingRun(stream, of: source, settings, encoding, control, events, pipe)
    } catch { throw AACKitError(.audioFile(error)) }
    writer = try RecordingWriter(target, settings, pipe, events)
  }

  deinit { control.add(.stop) }

  /// Begins to record.
  /// - Throws: `device`; `unsupported` for a second start.
  public func start() throws(AACKitError) {
    let isFirst = state.withLock { state in
      defer { state.hasStarted = true }
      return !state.hasStarted
    }
    guard isFirst else { throw AACKitError(.unsupported("the recorder was started already")) }
    do { try stream.start() } catch {
      finish(with: AACKitError(.device(error)))
      throw AACKitError(.device(error))
    }
    let ending = RecordingEnding()
    let hasWriter = WorkerThread { [writer, ending] in ending.writing(writer.run()) } != nil
    let hasRun =
      hasWriter
      && WorkerThread { [weak self, run, pipe, writer, events, ending, encoding] in
        let failure = run.run()
        pipe.close()
        let summary = RecordingSummary(
          files: [], sampleRate: encoding.sampleRate, frames: run.frames, lostFrames: run.lostFrames,
          error: failure)
        let whole = ending.wait(summary, writer)
        if let self { self.finish(with: whole) } else { Recorder.tell(whole, events) }
      } != nil
    if !hasRun {
      pipe.close()
      let error = AACKitError(.device(AudioDeviceError(.outOfResources("threads"))))
      finish(with: error)
      throw error
    }
  }

  /// Lets what waits for it begin (``RecorderSettings/isArmed``), with the pre-roll.
  public func begin() { control.add(.begin) }

  /// Records nothing from this moment on, until `resume()`. The file has no gap there. Levels go on.
  public func pause() { control.add(.pause) }
  public func resume() { control.add(.resume) }

  /// Begins a new file at this moment.
  public func split() { control.add(.split) }

  /// Ends the recording at this moment: what the microphone heard before it is still recorded. Returns at once.
  public func stop() {
    control.add(.stop)
    let wasStarted = state.withLock { state in
      defer { state.hasStarted = true }
      return state.hasStarted
    }
    if !wasStarted {
      stream.stop()
      writer.discard()
      finish(with: nil)
    }
  }

  /// Bytes of packets that wait for the disk.
  public var waitingBytes: Int { pipe.waitingBytes }

  /// What came of the recording; `nil` while it goes on.
  public var summary: RecordingSummary? { state.withLock { $0.summary } }

  /// Waits for the end of the recording, which something else has to bring about.
  public func finished() async -> RecordingSummary {
    await withCheckedContinuation { continuation in
      let summary = state.withLock { state in
        if state.summary == nil { state.waiting.append(continuation) }
        return state.summary
      }
      if let summary { continuation.resume(returning: summary) }
    }
  }

  /// The same for a thread: what came of the recording, `nil` where it goes on after `timeout`.
  public func wait(timeout: Duration) -> RecordingSummary? {
    _ = end.wait(until: .now.advanced(bySeconds: timeout.seconds)) { summary != nil }
    return summary
  }

  private let end = Wakeup()

  private func finish(with error: AACKitError?) {
    finish(with: RecordingSummary(sampleRate: encoding.sampleRate, error: error))
  }

  private func finish(with summary: RecordingSummary) {
    let waiting = state.withLock { state in
      state.summary = summary
      defer { state.waiting = [] }
      return state.waiting
    }
    Self.tell(summary, events)
    for continuation in waiting { continuation.resume(returning: summary) }
    end.signal()
  }

  private static func tell(_ summary: RecordingSummary, _ events: EventChannel<RecorderEvent>) {
    events.post(.finished(summary))
    events.finish()
  }
}

/// Brings together what the two threads of a recorder end with.
private final class RecordingEnding: Sendable {
  private let result = Guarded<(isDone: Bool, failure: AACKitError?)>((false, nil))
  private let wakeup = Wakeup()

  func writing(_ failure: AACKitError?) {
    result.withLock { $0 = (true, failure) }
    wakeup.signal()
  }

  /// Waits for the writer and adds its files.
  func wait(_ summary: RecordingSummary, _ writer: RecordingWriter) -> RecordingSummary {
    while !wakeup.wait(until: .now.advanced(bySeconds: 10), for: { result.withLock { $0.isDone } }) {}
    var summary = summary
    summary.files = writer.files
    summary.error = result.withLock { $0.failure } ?? summary.error
    return summary
  }
}
