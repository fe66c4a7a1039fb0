internal import PCM

/// Which channels the elements of a block decode to.
///
/// With a program config an element is found by kind and tag, else by its turn among those of its kind.
struct ElementMap: Sendable {
  let elements: [ChannelElement]
  /// Tags of `elements`; `nil` without a program config.
  let tags: [Int]?
  let layout: ChannelLayout
  /// Place in the output of each channel, in element order.
  let outputs: [Int]
  /// First channel of each element, in element order.
  let firstChannels: [Int]
  /// Elements of the block at hand, bit e for `elements[e]`.
  private(set) var taken: UInt64 = 0

  init(_ elements: [ChannelElement], tags: [Int]? = nil) {
    self.elements = elements
    self.tags = tags
    layout = elements.layout
    outputs = elements.outputIndices
    var first = 0
    firstChannels = elements.map { element in
      defer { first += element.channelCount }
      return first
    }
  }

  init(_ config: ProgramConfig) {
    self.init(
      config.elements,
      tags: (config.front + config.side + config.back).map(\.tag) + config.lowFrequencyTags)
  }

  /// A map for the elements that a block happens to have: a standard layout, or channels without places.
  init(guessingFrom kinds: [ChannelElement.Kind]) {
    for number in ChannelConfiguration.numbers {
      if let elements = ChannelConfiguration.elements(of: number), elements.map(\.kind) == kinds {
        self.init(elements)
        return
      }
    }
    self.init(kinds.map { ChannelElement($0, $0 == .pair ? [nil, nil] : [nil]) })
  }

  mutating func beginBlock() { taken = 0 }

  /// The index of the next element of a block. Single and low-frequency elements stand in for each other
  /// where only the other one has a place left, which some encoders count on.
  mutating func take(_ kind: ChannelElement.Kind, tag: Int) throws(AACError) -> Int {
    for isExact in [true, false] {
      for index in elements.indices where taken >> UInt64(index) & 1 == 0 {
        let fits =
          isExact ? elements[index].kind == kind : tags == nil && elements[index].channelCount == kind.width
        guard fits, tags == nil || tags?[index] == tag else { continue }
        taken |= 1 << UInt64(index)
        return index
      }
    }
    throw AACError(.inconsistent("a channel element that the layout \(layout.name) has no place for"))
  }
}

extension ChannelElement.Kind {
  var width: Int { self == .pair ? 2 : 1 }
}
