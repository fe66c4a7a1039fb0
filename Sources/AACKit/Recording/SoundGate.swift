import PCM

/// Lets sound pass and holds silence back, in windows of 20 ms; what came just before a beginning passes with it.
struct SoundGate {
  enum Verdict: Equatable {
    /// Sound began, and passes.
    case opened
    /// It has been silent for the time of the rule.
    case silent
  }

  private let window: Int
  private let start: SoundLevel?
  private let rule: SilenceRule?
  private let silentWindows: Int
  private let heldWindows: Int
  /// Whether sound passes.
  private(set) var isOpen: Bool
  /// The window that is being filled.
  private var part: PCMBuffer
  /// The newest windows that did not pass, the oldest at `oldest`.
  private var held: [PCMBuffer] = []
  private var oldest = 0
  private var silentCount = 0

  init(_ format: PCMFormat, _ settings: RecorderSettings) {
    window = max(1, format.sampleRate / 50)
    start = settings.start
    rule = settings.silence
    silentWindows = max(1, Int(((settings.silence?.seconds ?? 0) * 50).rounded()))
    heldWindows = Int((settings.preRoll * 50).rounded(.up))
    isOpen = !settings.isArmed && settings.start == nil
    part = PCMBuffer(format: format)
  }

  /// Whether anything is ever held back.
  static func isNeeded(_ settings: RecorderSettings) -> Bool {
    settings.isArmed || settings.start != nil || settings.silence != nil
  }

  /// Opens whatever the level is, and gives what was held.
  mutating func open<Failure: Error>(_ pass: (PCMBuffer) throws(Failure) -> Void) throws(Failure) {
    guard !isOpen else { return }
    isOpen = true
    silentCount = 0
    for index in held.indices { try pass(held[(oldest + index) % held.count]) }
    held = []
    oldest = 0
  }

  /// Takes sound and gives what passes. Every change is told before what comes behind it.
  mutating func add<Failure: Error>(
    _ buffer: PCMBuffer, _ pass: (PCMBuffer) throws(Failure) -> Void,
    _ tell: (Verdict) throws(Failure) -> Void
  ) throws(Failure) {
    var taken = 0
    while taken < buffer.frameCount {
      let count = min(window - part.frameCount, buffer.frameCount - taken)
      part.append(buffer, taken..<taken + count)
      taken += count
      guard part.frameCount == window else { return }
      try judge(pass, tell)
      part.frameCount = 0
    }
  }

  /// Gives what does not fill a window.
  mutating func finish<Failure: Error>(_ pass: (PCMBuffer) throws(Failure) -> Void) throws(Failure) {
    if isOpen, part.frameCount > 0 { try pass(part) }
    part.frameCount = 0
  }

  private mutating func judge<Failure: Error>(
    _ pass: (PCMBuffer) throws(Failure) -> Void, _ tell: (Verdict) throws(Failure) -> Void
  ) throws(Failure) {
    let level = part.loudestChannel
    if isOpen {
      try pass(part)
      guard let rule else { return }
      if level > rule.level.amplitude {
        silentCount = 0
        return
      }
      silentCount += 1
      guard silentCount == silentWindows else { return }
      try tell(.silent)
      isOpen = false
      return
    }
    if let threshold = start ?? rule?.level, level > threshold.amplitude {
      try tell(.opened)
      try open(pass)
      try pass(part)
    } else {
      hold()
    }
  }

  private mutating func hold() {
    guard heldWindows > 0 else { return }
    if held.count < heldWindows {
      held.append(part)
    } else {
      held[oldest] = part
      oldest = (oldest + 1) % held.count
    }
  }
}

extension PCMBuffer {
  /// The effective level of the loudest channel.
  fileprivate var loudestChannel: Float {
    var meter = LevelMeter(channelCount: channelCount)
    meter.add(self)
    return channels.indices.map { meter.rms($0) }.max() ?? 0
  }

  /// Adds frames of another buffer of as many channels behind the own ones.
  mutating func append(_ other: PCMBuffer, _ range: Range<Int>) {
    for channel in channels.indices where channel < other.channelCount {
      if channels[channel].count < frameCount + range.count {
        let missing = frameCount + range.count - channels[channel].count
        channels[channel].append(contentsOf: repeatElement(0, count: missing))
      }
      place(other.channels[channel], range, in: &channels[channel], at: frameCount)
    }
    frameCount += range.count
  }
}

private func place(_ source: [Float], _ range: Range<Int>, in target: inout [Float], at start: Int) {
  for index in range { target[start + index - range.lowerBound] = source[index] }
}
