import PCM

/// Checks settings and works out what follows from them.
struct EncoderPlan {
  let configuration: AudioSpecificConfig
  let effective: AACEncoder.Effective
  let control: RateControl
  /// Channels that share the rate, the low frequency channel not counted.
  let weightyChannels: Int

  /// Those asked for that have a use at the rate.
  let tools: EncoderSettings.Tools
  /// Bits a second and channel at 44.1 kHz up to which intensity stereo helps.
  private static let highestIntensityRate = 40000.0

  /// Bits that each channel's frame may take (ISO/IEC 14496-3, 4.5.3).
  static let largestChannelFrame = 6144
  /// Bits below which a channel's frame is mostly headers.
  private static let smallestChannelFrame = 140
  /// Typical rate of the qualities 1…5 in bits a second and channel at 44.1 kHz, and the price that makes it.
  private static let qualities: [(rate: Int, price: Float)] = [
    (32000, 0.038), (48000, 0.012), (64000, 0.0054), (80000, 0.0026), (112_000, 0.0007),
  ]
  /// A rate begins with a dearer price than it comes down to: one frame too large would starve the next.
  static let caution: Float = 1.6
  /// The price that a rate comes down to on typical music: interpolated between the qualities.
  private static func typicalPrice(rate: Double) -> Float {
    var octaves = 0.0
    for (low, high) in zip(qualities, qualities.dropFirst()) {
      let slope = Double(Math.log2(high.price / low.price)) / Double(high.rate - low.rate)
      octaves = Double(Math.log2(low.price)) + slope * (rate - Double(low.rate))
      if rate < Double(high.rate) { break }
    }
    return Math.exp2(Float(octaves))
  }

  /// The inverse of `typicalPrice`.
  static func typicalRate(price: Float) -> Double {
    let octaves = Double(Math.log2(price))
    var rate = 0.0
    for (low, high) in zip(qualities, qualities.dropFirst()) {
      let start = Double(Math.log2(low.price))
      let slope = Double(high.rate - low.rate) / (Double(Math.log2(high.price)) - start)
      rate = Double(low.rate) + slope * (octaves - start)
      if octaves > Double(Math.log2(high.price)) { break }
    }
    return rate
  }

  /// The bit rates that a constant or average rate may have.
  static func bitRates(sampleRate: Int, channels: Int) -> ClosedRange<Int> {
    let frames = Double(sampleRate) / 1024
    let least = (frames * Double(smallestChannelFrame * channels) / 100).rounded(.up) * 100
    let most = (frames * Double(largestChannelFrame * channels) / 100).rounded(.down) * 100
    return Int(least)...Int(most)
  }

  init(_ settings: EncoderSettings) throws(AACError) {
    guard SamplingRate.indexed.contains(settings.sampleRate) else {
      let rates = SamplingRate.indexed.map(String.init).joined(separator: ", ")
      throw AACError(
        .invalidSettings(
          "a sampling rate of \(settings.sampleRate) Hz cannot be encoded; possible are \(rates)"))
    }
    let codec = try CodecKind.choose(preferring: settings.codecPreference)
    let channels = settings.layout.channelCount
    guard (1...8).contains(channels) else {
      throw AACError(.invalidSettings("\(channels) channels cannot be encoded; possible are 1 to 8"))
    }
    let rate = try SamplingRate(settings.sampleRate)
    configuration = try AudioSpecificConfig(samplingRate: rate, layout: settings.layout)
    let range = Self.bitRates(sampleRate: settings.sampleRate, channels: channels)
    // The low frequency channel takes next to nothing.
    let weighty = max(1, channels - configuration.elements.count { $0.kind == .lowFrequency })
    weightyChannels = weighty
    let frames = Double(settings.sampleRate) / 1024
    let largest = Double(Self.largestChannelFrame * channels)
    let bitRate: Int
    let mode: RateControl.Mode
    let price: Float
    switch settings.rate {
    case .constant(let asked), .average(let asked):
      guard range.contains(asked) else {
        throw AACError(
          .invalidSettings(
            """
            \(asked) bit/s is out of range for \(channels) channel(s) at \(settings.sampleRate) Hz; \
            possible are \(range.lowerBound) to \(range.upperBound)
            """))
      }
      bitRate = asked
      let typical = Self.typicalPrice(
        rate: Double(asked) / Double(weighty) * 44100 / Double(settings.sampleRate))
      price = Self.caution * typical
      if case .constant = settings.rate {
        mode = .constant(reservoir: largest - Double(asked) / frames)
      } else {
        mode = .average
      }
    case .quality(let level):
      guard (1...Self.qualities.count).contains(level) else {
        throw AACError(
          .invalidSettings("quality \(level) does not exist; possible are 1 to \(Self.qualities.count)"))
      }
      let quality = Self.qualities[level - 1]
      bitRate = min(quality.rate * weighty * settings.sampleRate / 44100, range.upperBound)
      mode = .fixed
      price = quality.price
    }
    let typical = Double(bitRate) / Double(weighty) * 44100 / Double(settings.sampleRate)
    tools = typical > Self.highestIntensityRate ? settings.tools.subtracting(.intensity) : settings.tools
    let nyquist = settings.sampleRate / 2
    if let asked = settings.bandwidth, !(1...nyquist).contains(asked) {
      throw AACError(
        .invalidSettings("a bandwidth of \(asked) Hz is out of range; possible are 1 to \(nyquist)"))
    }
    let bandwidth =
      settings.bandwidth
      ?? Bandwidth.edge(bitRate: bitRate, channels: weighty, sampleRate: settings.sampleRate)
    effective = AACEncoder.Effective(
      bitRate: bitRate, bandwidth: bandwidth, priming: 1024, lookahead: 1024, codec: codec)
    control = RateControl(
      mode: mode, bitsPerFrame: Double(bitRate) / frames, framesPerSecond: frames, largestFrame: largest,
      price: Double(price))
  }
}
