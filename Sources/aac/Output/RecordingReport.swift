import AACKit
import AudioDevices

/// Tells of a recording on standard error: a line of levels on a terminal, or JSON objects for scripts.
final class RecordingReport {
  private let mode: ProgressReport.Mode
  private let console: Console
  private let label: String
  private let printsLevels: Bool
  private let isQuiet: Bool
  private var hasLine = false
  /// Seconds at which levels were last shown or printed.
  private var lastLevels = -1.0

  init(
    _ mode: ProgressReport.Mode, _ console: Console, label: String, printsLevels: Bool, isQuiet: Bool
  ) {
    self.mode = mode
    self.console = console
    self.label = label
    self.printsLevels = printsLevels && mode != .json
    self.isQuiet = isQuiet
  }

  /// Says what is recorded, and from where.
  func begin(_ recorder: Recorder) {
    if mode == .json {
      print(
        "started", at: 0,
        [
          (key: "device", value: .string(recorder.device.id)),
          (key: "deviceRate", value: .integer(recorder.deviceFormat.sampleRate)),
          (key: "deviceChannels", value: .integer(recorder.deviceFormat.channelCount)),
          (key: "latency", value: .number(seconds(recorder.grantedLatency))),
          (key: "sampleRate", value: .integer(recorder.encoding.sampleRate)),
          (key: "channels", value: .integer(recorder.encoding.layout.channelCount)),
          (key: "bitRate", value: .integer(recorder.effective.bitRate)),
        ])
    } else if !isQuiet {
      let format = "\(recorder.encoding.sampleRate) Hz \(recorder.encoding.layout.name)"
      console.say("\(label): \(format) from \(recorder.device.name); Ctrl-C ends it")
    }
  }

  func tell(_ event: RecorderEvent) {
    switch event {
    case .levels(let levels): show(levels)
    case .finished: break
    default:
      let (name, time, members, words) = Self.describe(event)
      if mode == .json { print(name, at: time, members) } else { remark(words) }
    }
  }

  /// Says what came of it.
  func finish(_ summary: RecordingSummary) {
    clear()
    if mode == .json {
      print(
        "finished", at: summary.seconds,
        [
          (key: "files", value: .strings(summary.files.compactMap(\.path))),
          (key: "samples", value: .integer(summary.frames)),
          (key: "lost", value: .integer(summary.lostFrames)),
          (key: "error", value: .optional(summary.error?.description)),
        ])
    } else if !isQuiet {
      let files = summary.files.count == 1 ? "" : " in \(summary.files.count) files"
      let lost = summary.lostFrames > 0 ? ", \(summary.lostFrames) frames were lost" : ""
      console.say("\(label): \(Numbers.time(summary.seconds))\(files)\(lost)")
    }
  }

  // MARK: Levels

  private func show(_ levels: RecordingLevels) {
    switch mode {
    case .json:
      print(
        "levels", at: levels.time,
        [
          (key: "peak", value: .array(levels.peaks.map { .number(Self.decibels($0)) })),
          (key: "rms", value: .array(levels.rms.map { .number(Self.decibels($0)) })),
          (key: "clipped", value: .integer(levels.clippedSamples)),
          (key: "momentary", value: .number(levels.loudness.momentary)),
          (key: "shortTerm", value: .number(levels.loudness.shortTerm)),
          (key: "integrated", value: .number(levels.loudness.integrated)),
          (key: "truePeak", value: .number(levels.loudness.truePeak)),
        ])
    case .line:
      console.put("\r\u{1B}[K\(label): \(Self.line(levels))")
      hasLine = true
    case .none:
      guard printsLevels, levels.time - lastLevels >= 1 || levels.time < lastLevels else { return }
      lastLevels = levels.time
      console.say(Self.line(levels))
    }
  }

  private static func line(_ levels: RecordingLevels) -> String {
    func text(_ value: Double) -> String { value.isFinite ? Numbers.fixed(value, 1) : "-inf" }
    let rms = levels.rms.map { text(decibels($0)) }.joined(separator: " ")
    let peak = text(decibels(levels.peaks.max() ?? 0))
    return "\(Numbers.time(levels.time, decimals: 1))  \(rms) dB, peak \(peak)"
      + (levels.clippedSamples > 0 ? " CLIP" : "") + ", \(text(levels.loudness.momentary)) LUFS"
  }

  private static func decibels(_ level: Float) -> Double { Double(LevelMeter.decibels(level)) }

  // MARK: Remarks

  private typealias Description = (
    name: String, time: Double?, members: [(key: String, value: JSON)], words: String?
  )

  private static func describe(_ event: RecorderEvent) -> Description {
    switch event {
    case .fileStarted(let number, let path):
      return ("fileStarted", nil, [("number", .integer(number)), ("path", .optional(path))], nil)
    case .fileFinished(let file):
      let members: [(key: String, value: JSON)] = [
        ("number", .integer(file.number)), ("path", .optional(file.path)), ("samples", .integer(file.frames)),
        ("frames", .integer(file.packetCount)), ("bytes", .integer(file.payloadBytes)),
        ("problem", .optional(file.problem?.description)),
      ]
      let words = file.problem.map {
        "\(file.path ?? "the file") was not finished, but its sound is kept: \($0)"
      }
      return ("fileFinished", nil, members, words)
    case .paused(let time): return ("paused", time, [], nil)
    case .resumed(let time): return ("resumed", time, [], nil)
    case .soundBegan(let time): return ("sound", time, [], nil)
    case .silenceBegan(let time): return ("silence", time, [], nil)
    case .lost(let frames, let time):
      return (
        "lost", time, [("frames", .integer(frames))],
        "\(frames) frames were lost at \(Numbers.time(time)): the machine or the disk was too slow"
      )
    case .repairedSamples(let count, let time):
      return (
        "repaired", time, [("samples", .integer(count))],
        "\(count) samples of the device were no sound at \(Numbers.time(time))"
      )
    case .device(let event, let time): return describe(event, time)
    case .reconnecting(let error, let time):
      return ("reconnecting", time, [("error", .string(error.description))], "\(error); looking for it again")
    case .reconnected(let device, let silence, let time):
      return (
        "reconnected", time, [("device", .string(device.id)), ("silence", .number(silence))],
        "recording goes on from \(device.name) after \(Numbers.fixed(silence, 3)) s of silence"
      )
    case .eventsLost(let count): return ("eventsLost", nil, [("count", .integer(count))], nil)
    case .levels, .finished: return ("", nil, [], nil)
    }
  }

  private static func describe(_ event: StreamEvent, _ time: Double) -> Description {
    switch event.kind {
    case .hole(let frames):
      return (
        "hole", time, [("frames", .integer(frames))],
        "the server had no sound for \(frames) frames at \(Numbers.time(time))"
      )
    case .moved(let device):
      return ("moved", time, [("device", .string(device))], "the recording moved to \(device)")
    case .suspended: return ("suspended", time, [], "the device sleeps")
    case .awake: return ("awake", time, [], nil)
    case .deviceFormatChanged(let format):
      return (
        "deviceFormat", time,
        [("rate", .integer(format.sampleRate)), ("channels", .integer(format.channelCount))], nil
      )
    case .ended(let end, let words):
      return ("deviceEnded", time, [("reason", .string("\(end)")), ("words", .optional(words))], nil)
    case .overrun(let frames): return ("overrun", time, [("frames", .integer(frames))], nil)
    case .underrun: return ("underrun", time, [], nil)
    case .recovered(let silence): return ("recovered", time, [("silence", .number(seconds(silence)))], nil)
    case .eventsLost(let count): return ("eventsLost", time, [("count", .integer(count))], nil)
    }
  }

  private func remark(_ words: String?) {
    guard let words, !isQuiet else { return }
    clear()
    console.say("aac: \(words)")
  }

  private func clear() {
    if hasLine { console.put("\r\u{1B}[K") }
    hasLine = false
  }

  private func print(_ event: String, at time: Double?, _ members: [(key: String, value: JSON)]) {
    console.say(
      JSON.object([(key: "event", value: .string(event)), (key: "time", value: .optional(time))] + members)
        .line)
  }
}

private func seconds(_ duration: Duration) -> Double {
  Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
}
