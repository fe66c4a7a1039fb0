import AACStreaming
public import AudioDevices
import PCM
import Threads

/// Plays files, pipes and addresses, one after the other and without a gap, on a device.
///
/// Sound whose format is the device's reaches it bit by bit; other sound is converted by libsoxr. Everything may be called
/// from any thread; what happens is told by ``events``. A player plays once.
///
/// ```swift
/// let player = Player([PlayerItem("a.m4a"), PlayerItem("b.m4a")], on: try AudioBackends.standard.open().backend)
/// try player.start()
/// for await event in player.events {
///   if case .position(let seconds) = event { show(seconds, of: player.duration) }
/// }
/// ```
public final class Player: Sendable {
  private struct State {
    var volume: Float
    var seek: Double?
    var isPaused = false
    var isStopped = false
    var core: PlayerCore?
  }

  public let items: [PlayerItem]
  public let settings: PlayerSettings
  /// What happens, in the order in which it is heard.
  public let events = EventChannel<PlayerEvent>()
  private let backend: any AudioBackend
  private let state: Guarded<State>

  public init(
    _ items: [PlayerItem], on backend: any AudioBackend, settings: PlayerSettings = PlayerSettings()
  ) {
    self.items = items
    self.backend = backend
    self.settings = settings
    state = Guarded(State(volume: Self.limit(settings.volume)))
  }

  deinit { stop() }

  /// Opens the device and begins to play. Items are opened one after the other, when their turn comes.
  ///
  /// - Throws: `device` with what the backend says, or with `misuse` for a second start.
  public func start() throws(AACKitError) {
    var request = StreamRequest(
      device: settings.device, latency: settings.latency, bufferLength: settings.bufferLength,
      onUnplug: settings.onUnplug)
    request.conversion = .caller
    do {
      try state.withLock { state throws(AudioDeviceError) in
        guard state.core == nil, !state.isStopped else {
          throw AudioDeviceError(.misuse("the player was started or stopped before"))
        }
        let stream = try backend.openPlayout(request)
        var settings = settings
        let (events, damaged) = (events, settings.reading.onDamage)
        settings.reading.onDamage = { damage in
          damaged?(damage)
          events.post(.damaged(damage))
        }
        let core = PlayerCore(
          items, settings, stream, backend: backend.name, volume: state.volume, seek: state.seek,
          events: events)
        if state.isPaused { try core.pause() }
        guard
          WorkerThread({
            PlayerFeeder(core).run()
            core.noteFeederDone()
          }) != nil,
          WorkerThread({
            var monitor = PlayerMonitor(core)
            monitor.run()
          }) != nil
        else {
          core.stop()
          throw AudioDeviceError(.outOfResources("threads"))
        }
        state.core = core
      }
    } catch { throw AACKitError(.device(error)) }
  }

  /// Holds the sound. While the last tenth of a second is played it has no effect.
  /// - Throws: `device` with what the backend says.
  public func pause() throws(AACKitError) {
    let core = state.withLock { state in
      state.isPaused = true
      return state.core
    }
    do { try core?.pause() } catch { throw AACKitError(.device(error)) }
  }

  /// Goes on where it was held.
  /// - Throws: `device` with what the backend says.
  public func resume() throws(AACKitError) {
    let core = state.withLock { state in
      state.isPaused = false
      return state.core
    }
    do { try core?.resume() } catch { throw AACKitError(.device(error)) }
  }

  /// Goes to a place of the item that is heard (before the start: of the first one); behind its end it is over.
  /// While the last tenth of a second is played it has no effect.
  ///
  /// - Throws: `unsupported` where the item cannot be rewound.
  public func seek(to seconds: Double) throws(AACKitError) {
    let place = seconds.isFinite ? max(0, seconds) : 0
    let core = state.withLock { state in
      state.seek = place
      return state.core
    }
    guard let core else { return }
    if let info = core.heard?.info, !info.isSeekable {
      throw AACKitError(.unsupported("a pipe or an address cannot be rewound"), path: info.name)
    }
    core.seek(to: place)
  }

  /// Ends the playing at once.
  public func stop() {
    let core = state.withLock { state in
      state.isStopped = true
      return state.core
    }
    if let core { return core.stop() }
    events.post(.stopped)
    events.finish()
  }

  /// Factor on the samples, 0 to 1; a change goes over a fiftieth of a second, and is heard behind what has been
  /// decoded already.
  public var volume: Float {
    get { state.withLock { $0.volume } }
    set {
      state.withLock { state in
        state.volume = Self.limit(newValue)
        state.core?.volume = state.volume
      }
    }
  }

  /// Seconds of the item that is heard now, by the device's clock.
  public var position: Double { core?.position ?? 0 }
  /// Seconds of the item that is heard; `nil` where only the end tells, and before the start.
  public var duration: Double? { core?.heard?.info.duration }
  /// The index of the item that is heard; `nil` before the start.
  public var currentItem: Int? { core?.heard?.index }
  public var isPaused: Bool { core?.isPaused ?? state.withLock { $0.isPaused } }
  /// The device that was opened; later moves are events.
  public var device: DeviceInfo? { core?.stream.device }

  private var core: PlayerCore? { state.withLock { $0.core } }

  private static func limit(_ volume: Float) -> Float { volume.isFinite ? min(max(volume, 0), 1) : 1 }
}
