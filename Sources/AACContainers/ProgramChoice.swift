import AAC
import PCM

/// Program config elements for streams whose channels a container cannot tell by a number.
struct ProgramChoice {
  private let configuration: AudioSpecificConfig
  private let rateIndex: Int
  private let elements: [ChannelElement]
  private var profile: Int { configuration.objectType.rawValue - 1 }

  /// - Throws: `cannotCarry` where no element can say the layout.
  init(_ configuration: AudioSpecificConfig, rateIndex: Int, container: String) throws(ContainerError) {
    self.configuration = configuration
    self.rateIndex = rateIndex
    elements = configuration.elements
    guard configuration.programConfig == nil else { return }
    guard !elements.isEmpty, config(tags: usualTags) != nil else {
      throw ContainerError(
        .cannotCarry("\(container) has no way to say the channel layout \(elements.layout.name)"))
    }
  }

  /// The tags of most encoders: counted for each kind of element.
  private var usualTags: [Int] {
    var next: [ChannelElement.Kind: Int] = [:]
    return elements.map { element in
      defer { next[element.kind, default: 0] += 1 }
      return next[element.kind, default: 0]
    }
  }

  private func config(tags: [Int]) -> ProgramConfig? {
    ProgramConfig(elements: elements, tags: tags, samplingRateIndex: rateIndex, profile: profile)
  }

  /// The element for a stream that starts with `accessUnit`, with the tags that stand in it.
  func config(first accessUnit: [UInt8]) -> ProgramConfig? {
    if var config = configuration.programConfig {
      config.samplingRateIndex = rateIndex
      config.profile = profile
      return config
    }
    if var scanner = try? AccessUnitScanner(configuration),
      (try? scanner.scan(accessUnit, range: 0..<accessUnit.count)) != nil,
      let config = config(tags: scanner.layout.channelTags)
    {
      return config
    }
    return config(tags: usualTags)
  }
}
