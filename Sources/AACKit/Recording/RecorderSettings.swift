public import AAC
public import AACContainers

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How a recording is made. Everything has a default that suits music from the default input.
public struct RecorderSettings: Sendable {
  /// Rate, effort, tools and tags; its container does not count. Where `sampleRate` is `nil` the file has the device's rate, 48 kHz at
  /// most; where `channelCount` is `nil` it has the device's channels.
  public var encoding = EncodeOptions()
  /// `nil`: by the file's name, M4A where that tells nothing.
  public var container: ContainerFormat?
  /// Seconds of sound after which the recording ends by itself.
  public var duration: Double?
  /// Seconds of sound after which a new file is begun. Not a sample is lost or doubled between two files.
  public var splitSeconds: Double?
  /// Bytes that no file is to exceed, 64 KB at least.
  public var splitBytes: Int64?
  /// Wait for ``Recorder/begin()``, or for sound where there is `start`, before anything is written.
  public var isArmed = false
  /// Begin when there is sound louder than this.
  public var start: SoundLevel?
  /// What is done when there has been silence for some time.
  public var silence: SilenceRule?
  /// Seconds from before the beginning that are recorded too where the recorder waited, up to 60.
  public var preRoll: Double = 0.5
  /// Seconds of sound between two events with levels.
  public var levelInterval: Double = 0.1
  /// Bytes of packets that wait for a slow disk. When they are full sound waits in the stream's own buffer, and
  /// what finds no room there is lost, counted and replaced by silence.
  public var queueBytes = 8 << 20
  /// Seconds between two times that the file is brought to the disk, so that a power cut costs no more than that.
  public var synchronizeInterval: Double = 1
  /// Seconds for which the device is looked for again after it or its server went away; silence is recorded meanwhile.
  /// With 0 the recording ends there.
  public var reconnectTime: Double = 0
  /// Called with each packet on the recorder's thread, for sending it elsewhere too. It must not take long.
  public var onPacket: (@Sendable (Packet) -> Void)?

  public init() {}

  /// One channel at 64 kbit/s.
  public static var voice: RecorderSettings {
    var settings = RecorderSettings()
    settings.encoding.channelCount = 1
    settings.encoding.rate = .constant(64_000)
    return settings
  }

  /// - Throws: `unsupported` with what is possible.
  func check() throws(AACKitError) {
    func refuse(_ words: String) -> AACKitError { AACKitError(.unsupported(words)) }
    for (name, value) in [("duration", duration), ("split", splitSeconds)] {
      if let value, !(value > 0 && value <= 1e7) {
        throw refuse("a \(name) of \(value) s: more than 0 and up to 10 million are possible")
      }
    }
    if let splitBytes, splitBytes < 65536 {
      throw refuse("files of \(splitBytes) bytes: 65536 and more are possible")
    }
    guard preRoll >= 0, preRoll <= 60 else {
      throw refuse("a pre-roll of \(preRoll) s: 0 to 60 are possible")
    }
    if let silence, !(silence.seconds >= 0.1 && silence.seconds <= 86400) {
      throw refuse("a silence of \(silence.seconds) s: 0.1 to 86400 are possible")
    }
    for level in [start, silence?.level] {
      if let level, !(level.decibels >= -120 && level.decibels < 0) {
        throw refuse("a level of \(level.decibels) dB: -120 up to, but not 0 are possible")
      }
    }
    guard levelInterval >= 0.01, synchronizeInterval >= 0.1, reconnectTime >= 0, queueBytes >= 1024 else {
      throw refuse("an interval, time or queue that is too small")
    }
  }
}

/// The level that parts sound from silence: the effective level of the loudest channel over 20 ms.
public struct SoundLevel: Sendable, Hashable {
  /// dB of full scale, below 0.
  public var decibels: Double

  public init(decibels: Double = -50) { self.decibels = decibels }

  /// As an amplitude, 1 for full scale.
  var amplitude: Float { Float(pow(10, decibels / 20)) }
}

/// What is done in silence.
public struct SilenceRule: Sendable, Hashable {
  /// What is done after a silence.
  public enum Action: String, Sendable, Hashable, CaseIterable {
    /// The recording ends.
    case stop
    /// The file ends; the next one begins with the next sound, and the pre-roll before it.
    case split
    /// Nothing is written until there is sound again, and the pre-roll before it is.
    case skip
  }

  public var level: SoundLevel
  /// How long it must last. This much of it is recorded.
  public var seconds: Double
  public var action: Action

  public init(_ action: Action, after seconds: Double = 2, level: SoundLevel = SoundLevel()) {
    self.action = action
    self.seconds = seconds
    self.level = level
  }
}
