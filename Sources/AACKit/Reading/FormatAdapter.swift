import AudioFiles
import PCM

/// Brings buffers of any formats, one after the other, to one format.
struct FormatAdapter {
  let target: PCMFormat
  let downmix: Downmix
  private var current: PCMFormat?
  private var mixer: ChannelMixer?
  private var converter: RateConverter?
  private var mixed: PCMBuffer

  init(to target: PCMFormat, downmix: Downmix) {
    self.target = target
    self.downmix = downmix
    mixed = PCMBuffer(format: target)
  }

  /// Converts `input` and replaces `output` with what came of it; that may be nothing yet.
  ///
  /// - Throws: `unsupported` where the channels cannot be mixed.
  mutating func convert(_ input: PCMBuffer, into output: inout PCMBuffer) throws(AudioFileError) {
    if current != input.format { try adopt(input.format) }
    switch (mixer, converter) {
    case (nil, nil):
      output = input
      // Layouts that mean the same (side and back surrounds) may differ in name.
      output.format = target
    case (let mixer?, nil): mixer.mix(input, into: &output)
    case (nil, let converter?): try converter.convert(input, into: &output)
    case (let mixer?, let converter?):
      mixer.mix(input, into: &mixed)
      try converter.convert(mixed, into: &output)
    }
  }

  /// Replaces `output` with what the rate converter still holds.
  mutating func finish(into output: inout PCMBuffer) throws(AudioFileError) {
    if let converter {
      try converter.finish(into: &output)
    } else {
      output.resize(to: 0, format: target)
    }
    converter = nil
    mixer = nil
    current = nil
  }

  /// Whether a change of format would leave samples in the rate converter.
  func needsDraining(before format: PCMFormat?) -> Bool { converter != nil && current != format }

  private mutating func adopt(_ format: PCMFormat) throws(AudioFileError) {
    current = format
    mixer = nil
    if format.layout != target.layout {
      guard let mixer = ChannelMixer(from: format.layout, to: target.layout, downmix: downmix) else {
        throw AudioFileError(
          .invalidSettings("channels without places (\(format.layout.name)) cannot be mixed"))
      }
      self.mixer = mixer
    }
    converter =
      format.sampleRate == target.sampleRate
      ? nil : try RateConverter(from: format.sampleRate, to: target.sampleRate, layout: target.layout)
  }
}
