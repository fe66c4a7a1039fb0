/// What a stream of samples is: its rate and what its channels are.
public struct PCMFormat: Sendable, Hashable {
  /// Frames (samples per channel) a second, in Hz.
  public var sampleRate: Int
  public var layout: ChannelLayout

  public var channelCount: Int { layout.channelCount }

  public init(sampleRate: Int, layout: ChannelLayout) {
    self.sampleRate = sampleRate
    self.layout = layout
  }
}
