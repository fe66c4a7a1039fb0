/// The upper band edge from frame to frame.
///
/// The rate alone gives the edge that typical sounds can pay for. A sound that takes less than that leaves
/// the price of a bit low; the edge is then the one of the rate that would begin with that price.
struct BandwidthChoice: Sendable {
  /// Frames over which the price is averaged.
  private static let memory: Float = 20
  /// Changes of the edge below this (Hz) are not made.
  private static let hysteresis = 700

  let sampleRate: Int
  private let channels: Int
  private let least: Int
  private let isFixed: Bool
  private var edge: Int
  private var octaves: Float

  init(_ settings: EncoderSettings, plan: EncoderPlan) {
    sampleRate = settings.sampleRate
    channels = plan.weightyChannels
    least = plan.effective.bandwidth
    edge = least
    octaves = Math.log2(plan.control.price)
    isFixed = settings.bandwidth != nil || plan.control.mode == .fixed
  }

  /// - Returns: the edge in Hz, where it is another than before.
  mutating func next(price: Float) -> Int? {
    guard !isFixed else { return nil }
    octaves += (Math.log2(price) - octaves) / Self.memory
    let typical = EncoderPlan.typicalRate(price: Math.exp2(octaves) / EncoderPlan.caution)
    let rate = typical * Double(channels * sampleRate) / 44100
    let wanted = max(
      least, Bandwidth.edge(bitRate: Int(rate), channels: channels, sampleRate: sampleRate))
    guard abs(wanted - edge) > Self.hysteresis || (wanted == least && edge != least) else { return nil }
    edge = wanted
    return edge
  }
}
