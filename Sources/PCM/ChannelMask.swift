extension ChannelLayout {
  /// The WAVE channel mask of the layout. `nil` where a channel has no place or the channels do not stand
  /// in the mask's order.
  public var mask: UInt32? {
    var mask: UInt32 = 0
    for speaker in speakers {
      guard let speaker else { return nil }
      let bit = UInt32(1) << UInt32(speaker.rawValue)
      guard mask < bit else { return nil }
      mask |= bit
    }
    return mask
  }

  /// The layout that a WAVE header with this many channels means. Channels beyond the mask's bits have no
  /// place; with an empty mask the layout is the count's own, as far as there is one.
  public init(mask: UInt32, channelCount: Int) {
    let named = Speaker.allCases.filter { mask >> UInt32($0.rawValue) & 1 == 1 }
    if named.isEmpty {
      self = Self.standard(channelCount: channelCount) ?? .discrete(channelCount)
    } else {
      let missing = max(0, channelCount - named.count)
      self.init(named.prefix(channelCount).map { $0 } + [Speaker?](repeating: nil, count: missing))
    }
  }
}
