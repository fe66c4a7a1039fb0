import AudioFiles
import PCM

/// What a sound goes through on its way to the device: channels are mixed, the rate is converted where it differs.
struct SoundPath {
  /// The device's stream.
  let format: PCMFormat
  private var adapter: FormatAdapter
  private var bender: VariableRateConverter?
  private var mixer: ChannelMixer?
  private var mixed: PCMBuffer

  init(to format: PCMFormat) {
    self.format = format
    adapter = FormatAdapter(to: format, downmix: .itu)
    mixed = PCMBuffer(format: format)
  }

  /// Whether an item that follows needs to have what is inside taken out first.
  func needsDraining(before item: OpenItem) -> Bool {
    guard bender == nil else { return true }
    let changesMatrix = adapter.downmix != DownmixChoice.stream.downmix(of: item.reader)
    return adapter.needsDraining(before: changesMatrix ? nil : item.reader.format)
  }

  /// Prepares for an item's sound. What goes on in the same format goes on without a seam.
  mutating func prepare(for item: OpenItem) throws(AudioFileError) {
    bender = nil
    mixer = nil
    let downmix = DownmixChoice.stream.downmix(of: item.reader)
    if adapter.downmix != downmix {
      adapter = FormatAdapter(to: format, downmix: downmix)
    }
    guard item.info.isLive else { return }
    let own = item.reader.format
    if own.layout != format.layout {
      guard let made = ChannelMixer(from: own.layout, to: format.layout, downmix: downmix) else {
        throw AudioFileError(
          .invalidSettings("channels without places (\(own.layout.name)) cannot be mixed"))
      }
      mixer = made
    }
    bender = try VariableRateConverter(
      from: own.sampleRate, to: format.sampleRate, layout: format.layout)
  }

  /// Forgets what is inside, for a jump.
  mutating func reset() { adapter = FormatAdapter(to: format, downmix: adapter.downmix) }

  /// Converts `input`; `output` may stay empty for now.
  mutating func convert(_ input: PCMBuffer, into output: inout PCMBuffer) throws(AudioFileError) {
    guard let bender else { return try adapter.convert(input, into: &output) }
    guard let mixer else { return try bender.convert(input, into: &output) }
    mixer.mix(input, into: &mixed)
    try bender.convert(mixed, into: &output)
  }

  /// What is still inside, at the end.
  mutating func finish(into output: inout PCMBuffer) throws(AudioFileError) {
    guard let bender else { return try adapter.finish(into: &output) }
    bender.finish(into: &output)
    self.bender = nil
  }

  /// How much faster than usual a live stream is played, from 1 s on.
  func setBend(_ bend: Double) { bender?.setSpeed(1 + bend, within: format.sampleRate) }
}
