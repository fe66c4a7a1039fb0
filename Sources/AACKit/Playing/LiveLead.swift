import AudioDevices

/// How much of a live stream waits to be heard: in bytes at the source, and in samples at the device.
final class LiveLead {
  private let item: OpenItem
  private let core: PlayerCore
  private let wanted: Double
  private var controller: DriftController
  private var frames = 0

  init(_ item: OpenItem, _ core: PlayerCore) {
    self.item = item
    self.core = core
    wanted = min(max(0, core.settings.liveBuffer), 30)
    controller = DriftController(least: wanted)
  }

  /// Seconds of sound that wait.
  private var amount: Double {
    let frames = max(0, core.stream.position - core.stream.deviceFrames)
    return item.bufferedSeconds + Double(frames) / Double(core.stream.format.sampleRate)
  }

  /// Enough waits, or more cannot be had.
  var isThere: Bool {
    let amount = amount
    guard amount < wanted, let http = item.http, !http.isFull, !http.isOver else { return true }
    core.events.post(.buffering(seconds: amount, of: wanted))
    return false
  }

  /// How much faster than usual to play from now on; `nil`: as before.
  func bend(after frames: Int) -> Double? {
    if core.takeHeld() { restart() }
    self.frames += frames
    let seconds = Double(self.frames) / Double(core.stream.format.sampleRate)
    guard seconds >= 0.5 else { return nil }
    self.frames = 0
    let isHeld = item.http.map { $0.isFull || $0.isOver } ?? true
    return controller.bend(amount: amount, seconds: seconds, isHeld: isHeld)
  }

  func restart() { controller.restart() }
}
