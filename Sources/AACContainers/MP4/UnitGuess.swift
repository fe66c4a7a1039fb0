import AAC
import PCM

/// The configuration with which access units without tables read furthest.
struct UnitGuess {
  var configuration: AudioSpecificConfig
  /// Rates that fit as well.
  var otherRates: [Int] = []
  /// Where the first access unit is.
  var start: Int64
  var walk: UnitWalk

  /// In the order in which they are preferred.
  private static let usualRates = [
    44100, 48000, 32000, 22050, 24000, 16000, 8000, 11025, 12000, 96000, 88200, 64000, 7350,
  ]
  private static let trialLength = 1000
  /// How far the first access unit may be behind the start of the data.
  private static let reach: Int64 = 1 << 15

  private struct Trial {
    var rate: Int
    var configuration: AudioSpecificConfig
    var start: Int64
    var count = 0
    var bytes: Int64 = 0
    var reachesEnd = false
    var shape: UnitWalk.Shape?

    /// Bits a second.
    var bitRate: Double { Double(bytes) * 8 * Double(rate) / (1024 * Double(max(1, count))) }

    /// Encoders are set to whole multiples of 8 kbit/s.
    var hasUsualBitRate: Bool {
      let steps = bitRate / 8000
      return steps >= 1 && abs(steps - steps.rounded()) < 0.004 * steps
    }
  }

  init(
    _ data: MediaData, _ hint: UnfinishedMP4Reader.Hint, in source: any ByteSource
  ) throws(ContainerError) {
    var trials: [Trial] = []
    for candidate in try Self.candidates(hint) {
      if let trial = try Self.run(candidate, from: data.start, data, hint, in: source) {
        trials.append(trial)
      }
    }
    if trials.allSatisfy({ !Self.isProof($0) }) {
      trials = []
      for candidate in try Self.candidates(hint) {
        var walk = try UnitWalk(candidate.configuration, to: data.end)
        guard let start = try walk.find(behind: data.start, reach: Self.reach, in: source) else { continue }
        if let trial = try Self.run(candidate, from: start, data, hint, in: source) { trials.append(trial) }
      }
    }
    trials.removeAll { !Self.isProof($0) }
    guard let furthest = trials.map({ $0.start + $0.bytes }).max() else {
      throw ContainerError(
        .malformed("the sound (mdat) has no access units that can be read without tables"), at: data.start)
    }
    let best = trials.filter { $0.start + $0.bytes == furthest }
    let chosen = best.first(where: \.hasUsualBitRate) ?? best[0]
    configuration = chosen.configuration
    otherRates = best.map(\.rate).filter { $0 != chosen.rate }
    start = chosen.start
    walk = try UnitWalk(chosen.configuration, to: data.end, shape: chosen.shape)
    try completeChannels(chosen, hint)
  }

  private static func isProof(_ trial: Trial) -> Bool {
    trial.count >= UnitWalk.proof || trial.count >= 1 && trial.reachesEnd
  }

  private static func candidates(_ hint: UnfinishedMP4Reader.Hint) throws(ContainerError) -> [(
    rate: Int, configuration: AudioSpecificConfig
  )] {
    do throws(AACError) {
      if let bytes = hint.configurationBytes {
        let configuration = try AudioSpecificConfig(parsing: bytes)
        return [(configuration.samplingRate.hertz, configuration)]
      }
      var candidates: [(rate: Int, configuration: AudioSpecificConfig)] = []
      for rate in hint.sampleRate.map({ [$0] }) ?? usualRates {
        candidates.append(
          (rate, try AudioSpecificConfig(samplingRate: try SamplingRate(rate), layout: .stereo)))
      }
      return candidates
    } catch { throw ContainerError(.configuration(error)) }
  }

  private static func run(
    _ candidate: (rate: Int, configuration: AudioSpecificConfig), from start: Int64, _ data: MediaData,
    _ hint: UnfinishedMP4Reader.Hint, in source: any ByteSource
  ) throws(ContainerError) -> Trial? {
    var walk = try UnitWalk(candidate.configuration, to: data.end)
    let chain = try walk.chain(from: start, atMost: trialLength, in: source)
    if let count = hint.channelCount, let shape = walk.shape, shape.channelCount != count { return nil }
    return Trial(
      rate: candidate.rate, configuration: candidate.configuration, start: start, count: chain.count,
      bytes: chain.bytes, reachesEnd: chain.reachesEnd, shape: walk.shape)
  }

  /// Puts the channels that were found into a configuration that was made up.
  private mutating func completeChannels(
    _ trial: Trial, _ hint: UnfinishedMP4Reader.Hint
  ) throws(ContainerError) {
    guard hint.configurationBytes == nil, let shape = trial.shape else { return }
    if let config = shape.programConfig {
      configuration.channelConfiguration = 0
      configuration.programConfig = config
      return
    }
    let known = (1...7).first { number in
      let elements = ChannelConfiguration.elements(of: number) ?? []
      return elements.count == shape.elementCount
        && elements.reduce(0) { $0 + $1.channelCount } == shape.channelCount
    }
    guard let known else {
      throw ContainerError(
        .unsupported(
          "sound of \(shape.channelCount) channels in \(shape.elementCount) elements without its configuration"
        ),
        at: trial.start)
    }
    configuration.channelConfiguration = known
  }
}
