public import PCM
import Threads

/// Devices without hardware or server: an input that gives a test signal and an output that measures levels, both by a
/// real clock.
public final class NullBackend: AudioBackend {
  public let name = "null"
  private let devicesValue: ClockedDevices
  private let meter: Meter

  /// - Parameters:
  ///   - signal: what the input gives.
  ///   - frames: how long it does; `nil` for no end.
  ///   - pacing: 20 times real time, for instance, to try long recordings in a short time.
  public init(
    signal: TestSignal = .silence, frames: Int64? = nil,
    format: PCMFormat = PCMFormat(sampleRate: 48_000, layout: .stereo), pacing: Pacing = .clock(speed: 1)
  ) {
    let meter = Meter(format)
    self.meter = meter
    devicesValue = ClockedDevices(
      backend: "null", sources: [signal.source(id: "null", format: format, frames: frames)],
      sinks: [SoundSink(id: "null", format: format) { frames, samples in meter.add(frames, samples) }],
      pacing: pacing)
  }

  /// Levels of everything that was played, over all streams, since the last reset.
  public var levels: LevelMeter { meter.levels }

  public func resetLevels() { meter.reset() }

  public func devices() -> [DeviceInfo] { devicesValue.list }

  public func deviceEvents() -> AsyncStream<DeviceEvent> { ClockedDevices.noEvents }

  public func openCapture(_ request: StreamRequest) throws(AudioDeviceError) -> CaptureStream {
    try devicesValue.openCapture(request, try device(request, .input))
  }

  public func openPlayout(_ request: StreamRequest) throws(AudioDeviceError) -> PlayoutStream {
    try devicesValue.openPlayout(request, try device(request, .output))
  }

  private final class Meter: Sendable {
    private let state: Guarded<(buffer: PCMBuffer, levels: LevelMeter)>

    init(_ format: PCMFormat) {
      state = Guarded((PCMBuffer(format: format), LevelMeter(channelCount: format.channelCount)))
    }

    func add(_ frames: Int, _ samples: [Float]) {
      state.withLock { state in
        state.buffer.fill(interleaved: samples, frames: frames)
        state.levels.add(state.buffer)
      }
    }

    var levels: LevelMeter { state.withLock { $0.levels } }

    func reset() { state.withLock { $0.levels.reset() } }
  }
}
