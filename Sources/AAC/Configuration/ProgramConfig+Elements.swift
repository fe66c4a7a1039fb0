import PCM

extension ProgramConfig {
  /// A config that lists `elements`, which stand in an access unit with `tags`, in that order; `nil` where
  /// a place has no list, or the list would not say the place.
  public init?(elements: [ChannelElement], tags: [Int], samplingRateIndex: Int, profile: Int) {
    guard elements.count == tags.count else { return nil }
    self.init()
    self.samplingRateIndex = samplingRateIndex
    self.profile = profile
    var heights = ProgramHeights(front: [], side: [], back: [])
    func list(_ places: [[Speaker]], add: (Element) -> Void) {
      for place in places {
        for (element, tag) in zip(elements, tags) where element.speakers == place.map({ $0 }) {
          add(Element(isPair: element.kind == .pair, tag: tag))
        }
      }
    }
    list([[.frontCenter], [.frontLeftOfCenter, .frontRightOfCenter], [.frontLeft, .frontRight]]) {
      front.append($0)
      heights.front.append(.normal)
    }
    list([[.topFrontCenter], [.topFrontLeft, .topFrontRight]]) {
      front.append($0)
      heights.front.append(.top)
    }
    list([[.sideLeft, .sideRight]]) {
      side.append($0)
      heights.side.append(.normal)
    }
    list([[.backLeft, .backRight], [.backCenter]]) {
      back.append($0)
      heights.back.append(.normal)
    }
    list([[.topBackLeft, .topBackRight], [.topBackCenter]]) {
      back.append($0)
      heights.back.append(.top)
    }
    for (element, tag) in zip(elements, tags) where element.kind == .lowFrequency {
      lowFrequencyTags.append(tag)
    }
    if (heights.front + heights.back).contains(.top) { comment = heights.comment }
    guard front.count < 16, lowFrequencyTags.count < 4, self.elements.layout == elements.layout,
      self.elements.count == elements.count
    else { return nil }
  }
}
