import AAC
public import PCM

extension ChannelLayout {
  /// The layout under which sound of this one is encoded.
  ///
  /// Where AAC has no number for the layout, side and back surrounds are taken for each other, and channels
  /// without places for the usual ones of their count, if that gives a layout with a number.
  public var codingLayout: ChannelLayout {
    if ChannelConfiguration.number(for: self) != nil { return self }
    let named = ChannelConfiguration.numbers.compactMap { ChannelConfiguration.elements(of: $0)?.layout }
    for candidate in named where candidate.channelCount == channelCount {
      if let mixer = ChannelMixer(from: self, to: candidate), mixer.isPermutation { return candidate }
    }
    if speakers.contains(nil), let usual = Self.standard(channelCount: channelCount) { return usual }
    return self
  }
}

extension ChannelMixer {
  /// Each channel goes to one place unchanged.
  var isPermutation: Bool {
    input.channelCount == output.channelCount
      && gains.allSatisfy { row in row.filter { $0 != 0 } == [1] }
  }
}
