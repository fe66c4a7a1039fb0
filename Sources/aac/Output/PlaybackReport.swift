import AACContainers
import AACKit
import AudioDevices

/// Tells of playing on standard error: a line on a terminal with position, duration and title, or a JSON object for each
/// event; and what went wrong in either case.
final class PlaybackReport {
  private let mode: ProgressReport.Mode
  private let console: Console
  private let isQuiet: Bool
  private var name = ""
  private var title: String?
  private var hasLine = false

  init(_ mode: ProgressReport.Mode, _ console: Console, isQuiet: Bool) {
    self.mode = mode
    self.console = console
    self.isQuiet = isQuiet
  }

  func tell(_ event: PlayerEvent, of player: Player) {
    if mode == .json { console.say(JSON.object(Self.members(event, player)).line) }
    switch event {
    case .itemStarted(_, let info):
      name = Self.plain(info.tags[Tags.Key.title] ?? info.response?.stationName ?? info.name)
      title = nil
      if mode != .json { remark("\(info.name): \(Self.summary(info))") }
    case .title(let text):
      title = text
      if mode != .json { remark("title: \(text)") }
    case .position(let seconds): if mode == .line { draw(seconds, player) }
    case .itemFailed(_, let error):
      clear()
      console.say("aac: \(error)" + (error.advice.map { "; \($0)" } ?? ""))
    case .failed, .finished, .stopped: clear()
    default: if mode != .json, let text = Self.words(event) { remark("aac: \(text)") }
    }
  }

  func clear() {
    if hasLine { console.put("\r\u{1B}[K") }
    hasLine = false
  }

  private func remark(_ text: String) {
    guard !isQuiet else { return }
    clear()
    console.say(text)
  }

  private func draw(_ seconds: Double, _ player: Player) {
    let end = player.duration.map { " / " + Numbers.time($0, decimals: 0) } ?? ""
    console.put("\r\u{1B}[K\(title ?? name): \(Numbers.time(seconds, decimals: 0))\(end)")
    hasLine = true
  }

  /// Without characters that could play tricks on the terminal.
  private static func plain(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(200) {
      scalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
    }
    return String(scalars)
  }

  private static func summary(_ info: PlayerItemInfo) -> String {
    let time = info.isLive ? "live" : info.duration.map { Numbers.time($0) } ?? "length not known"
    return "\(time)  \(info.format.sampleRate) Hz \(info.format.layout.name)"
  }

  /// What is worth a line; `nil` for what is not.
  private static func words(_ event: PlayerEvent) -> String? {
    switch event {
    case .reconnecting(let attempt, let error): "the stream broke (\(error)); attempt \(attempt) to go on"
    case .damaged(let damage): "\(damage.error): concealed"
    case .underrun: "the device ran out of sound"
    case .recovered(let silence):
      "playing again after \(Numbers.fixed(silence / .seconds(1), 3)) s of silence"
    case .moved(let id): "playing on \(id) now"
    case .suspended: "the device is asleep"
    case .awake: "the device is awake again"
    case .eventsLost(let count): "\(count) events were not told"
    default: nil
    }
  }

  private static func members(_ event: PlayerEvent, _ player: Player) -> [(key: String, value: JSON)] {
    func named(_ name: String, _ rest: (key: String, value: JSON)...) -> [(key: String, value: JSON)] {
      [(key: "event", value: .string(name))] + rest
    }
    switch event {
    case .itemStarted(let index, let info):
      return named(
        "itemStarted", ("item", .integer(index)), ("name", .string(info.name)),
        ("duration", .optional(info.duration)), ("sampleRate", .integer(info.format.sampleRate)),
        ("channels", .integer(info.format.channelCount)), ("layout", .string(info.format.layout.name)),
        ("live", .bool(info.isLive)), ("seekable", .bool(info.isSeekable)),
        ("station", .optional(info.response?.stationName)))
    case .itemEnded(let index): return named("itemEnded", ("item", .integer(index)))
    case .itemFailed(let index, let error):
      return named(
        "itemFailed", ("item", .integer(index)), ("error", .string("\(error)")),
        ("advice", .optional(error.advice)))
    case .position(let seconds):
      return named(
        "position", ("item", .optional(player.currentItem)), ("seconds", .number(seconds)),
        ("duration", .optional(player.duration)))
    case .title(let text): return named("title", ("title", .string(text)))
    case .paused: return named("paused")
    case .resumed: return named("resumed")
    case .buffering(let seconds, let wanted):
      return named("buffering", ("seconds", .number(seconds)), ("of", .number(wanted)))
    case .reconnecting(let attempt, let error):
      return named("reconnecting", ("attempt", .integer(attempt)), ("error", .string("\(error)")))
    case .connected(let response):
      return named(
        "connected", ("status", .integer(response.status)), ("type", .optional(response.contentType)),
        ("station", .optional(response.stationName)), ("bitRate", .optional(response.bitRate)))
    case .damaged(let damage):
      return named(
        "damaged", ("kind", .string(damage.kind.rawValue)), ("time", .optional(damage.time)),
        ("error", .string("\(damage.error)")))
    case .underrun: return named("underrun")
    case .recovered(let silence): return named("recovered", ("silence", .number(silence / .seconds(1))))
    case .moved(let id): return named("moved", ("device", .string(id)))
    case .deviceFormatChanged(let format):
      return named(
        "deviceFormatChanged", ("sampleRate", .integer(format.sampleRate)),
        ("channels", .integer(format.channelCount)))
    case .suspended: return named("suspended")
    case .awake: return named("awake")
    case .finished: return named("finished")
    case .stopped: return named("stopped")
    case .failed(let error):
      return named("failed", ("error", .string("\(error)")), ("advice", .optional(error.advice)))
    case .eventsLost(let count): return named("eventsLost", ("count", .integer(count)))
    }
  }
}
