public import PCM

/// `program_config_element()`: channels listed one by one instead of by a channelConfiguration.
public struct ProgramConfig: Sendable, Hashable {
  /// A channel element by kind and tag.
  public struct Element: Sendable, Hashable {
    public var isPair: Bool  // is_cpe
    public var tag: Int  // tag_select
    public init(isPair: Bool, tag: Int) {
      self.isPair = isPair
      self.tag = tag
    }
  }
  /// A coupling channel, and whether its switching is independent of its targets.
  public struct CouplingElement: Sendable, Hashable {
    public var isIndependent: Bool  // cc_element_is_ind_sw
    public var tag: Int
  }
  /// How surround is to be mixed to stereo, where the element says so.
  public struct MatrixMixdown: Sendable, Hashable {
    public var index: Int  // matrix_mixdown_idx
    public var pseudoSurround: Bool  // pseudo_surround_enable
    public init(index: Int, pseudoSurround: Bool) {
      self.index = index
      self.pseudoSurround = pseudoSurround
    }
    /// The gain of the surround channels: 1/√2, 1/2, 1/(2√2) or 0.
    public var surroundGain: Float {
      switch index {
      case 0: Float(0.5).squareRoot()
      case 1: 0.5
      case 2: Float(0.125).squareRoot()
      default: 0
      }
    }
  }

  public var tag = 0  // element_instance_tag
  /// Object type minus one, as sent.
  public var profile = 1  // object_type
  public var samplingRateIndex = 4
  public var front: [Element] = []
  public var side: [Element] = []
  public var back: [Element] = []
  public var lowFrequencyTags: [Int] = []
  public var associatedDataTags: [Int] = []
  public var coupling: [CouplingElement] = []
  public var monoMixdown: Int?
  public var stereoMixdown: Int?
  public var matrixMixdown: MatrixMixdown?
  public var comment: [UInt8] = []

  public init() {}
}

extension ProgramConfig {
  /// Reads the element after its id. Its alignment counts from the reader's start.
  public init(parsing bits: inout BitReader) throws(AACError) {
    tag = try bits.uint(4)
    profile = try bits.uint(2)
    let start = bits.position
    samplingRateIndex = try bits.uint(4)
    guard samplingRateIndex < SamplingRate.indexed.count else {
      throw AACError(
        .reserved("sampling_frequency_index", value: samplingRateIndex), bitOffset: start)
    }
    let frontCount = try bits.uint(4)
    let sideCount = try bits.uint(4)
    let backCount = try bits.uint(4)
    let lowFrequencyCount = try bits.uint(2)
    let dataCount = try bits.uint(3)
    let couplingCount = try bits.uint(4)
    if try bits.flag() { monoMixdown = try bits.uint(4) }
    if try bits.flag() { stereoMixdown = try bits.uint(4) }
    if try bits.flag() {
      matrixMixdown = MatrixMixdown(index: try bits.uint(2), pseudoSurround: try bits.flag())
    }
    front = try Self.elements(frontCount, parsing: &bits)
    side = try Self.elements(sideCount, parsing: &bits)
    back = try Self.elements(backCount, parsing: &bits)
    for _ in 0..<lowFrequencyCount { lowFrequencyTags.append(try bits.uint(4)) }
    for _ in 0..<dataCount { associatedDataTags.append(try bits.uint(4)) }
    for _ in 0..<couplingCount {
      coupling.append(CouplingElement(isIndependent: try bits.flag(), tag: try bits.uint(4)))
    }
    try bits.alignToByte()
    let commentCount = try bits.uint(8)
    for _ in 0..<commentCount { comment.append(UInt8(try bits.uint(8))) }
  }

  private static func elements(_ count: Int, parsing bits: inout BitReader) throws(AACError) -> [Element] {
    var elements: [Element] = []
    for _ in 0..<count {
      elements.append(Element(isPair: try bits.flag(), tag: try bits.uint(4)))
    }
    return elements
  }

  /// Writes the element after its id. Its alignment counts from the writer's start.
  public func write(to bits: inout BitWriter) {
    bits.put(tag, 4)
    bits.put(profile, 2)
    bits.put(samplingRateIndex, 4)
    bits.put(front.count, 4)
    bits.put(side.count, 4)
    bits.put(back.count, 4)
    bits.put(lowFrequencyTags.count, 2)
    bits.put(associatedDataTags.count, 3)
    bits.put(coupling.count, 4)
    for mixdown in [monoMixdown, stereoMixdown] {
      bits.put(mixdown != nil)
      if let mixdown { bits.put(mixdown, 4) }
    }
    bits.put(matrixMixdown != nil)
    if let matrixMixdown {
      bits.put(matrixMixdown.index, 2)
      bits.put(matrixMixdown.pseudoSurround)
    }
    for element in front + side + back {
      bits.put(element.isPair)
      bits.put(element.tag, 4)
    }
    for tag in lowFrequencyTags { bits.put(tag, 4) }
    for tag in associatedDataTags { bits.put(tag, 4) }
    for element in coupling {
      bits.put(element.isIndependent)
      bits.put(element.tag, 4)
    }
    bits.alignToByte()
    bits.put(comment.count, 8)
    for byte in comment { bits.put(Int(byte), 8) }
  }
}

extension ProgramConfig {
  /// The channel elements with their places, in the order front, side, back, low frequency.
  ///
  /// An odd number of front channels starts with the centre; pairs go from the centre outwards. An odd
  /// number of back channels ends with the rear centre. Two single elements in a row make a pair.
  public var elements: [ChannelElement] {
    let heights = heights
    var all = Self.places(front, heights?.front, top: (.topFrontCenter, [.topFrontLeft, .topFrontRight])) {
      var pairs: [[Speaker]] = [[.frontLeft, .frontRight]]
      if $0.channelCount > 3 { pairs.insert([.frontLeftOfCenter, .frontRightOfCenter], at: 0) }
      return Self.places($0, first: .frontCenter, pairs: pairs, last: nil)
    }
    all += Self.places(side, heights?.side, top: nil) {
      Self.places($0, first: nil, pairs: [[.sideLeft, .sideRight]], last: nil)
    }
    all += Self.places(back, heights?.back, top: (.topBackCenter, [.topBackLeft, .topBackRight])) {
      Self.places($0, first: nil, pairs: [[.backLeft, .backRight]], last: .backCenter)
    }
    all += lowFrequencyTags.indices.map {
      ChannelElement(.lowFrequency, [$0 == 0 ? .lowFrequency : nil])
    }
    return all
  }

  /// Places the elements of one list height by height; the list's order stays.
  private static func places(
    _ elements: [Element], _ heights: [ProgramHeights.Height]?, top: (center: Speaker, pair: [Speaker])?,
    normal: ([Element]) -> [ChannelElement]
  ) -> [ChannelElement] {
    guard let heights, heights.count == elements.count else { return normal(elements) }
    var placed = elements.map { element in
      ChannelElement(element.isPair ? .pair : .single, element.isPair ? [nil, nil] : [nil])
    }
    let low = elements.indices.filter { heights[$0] == .normal }
    for (index, element) in zip(low, normal(low.map { elements[$0] })) { placed[index] = element }
    guard let top else { return placed }
    let high = elements.indices.filter { heights[$0] == .top }
    let tops = places(high.map { elements[$0] }, first: top.center, pairs: [top.pair], last: nil)
    for (index, element) in zip(high, tops) { placed[index] = element }
    return placed
  }

  private static func places(
    _ elements: [Element], first: Speaker?, pairs: [[Speaker]], last: Speaker?
  ) -> [ChannelElement] {
    let count = elements.channelCount
    var places: [Speaker?] = pairs.prefix(count / 2).flatMap { $0 }
    if count % 2 == 1 {
      if first != nil { places.insert(first, at: 0) } else { places.append(last) }
    }
    while places.count < count { places.append(nil) }
    var next = 0
    return elements.map { element in
      let width = element.isPair ? 2 : 1
      defer { next += width }
      return ChannelElement(element.isPair ? .pair : .single, Array(places[next..<next + width]))
    }
  }

  /// A config that carries `layout`; `nil` where a place has no list of its own (heights, say).
  public init?(layout: ChannelLayout, samplingRateIndex: Int, profile: Int = 1) {
    self.init()
    self.samplingRateIndex = samplingRateIndex
    self.profile = profile
    let present = Set(layout.speakers)
    var singles = 0
    var pairs = 0
    func single() -> Element {
      defer { singles += 1 }
      return Element(isPair: false, tag: singles)
    }
    func pair() -> Element {
      defer { pairs += 1 }
      return Element(isPair: true, tag: pairs)
    }
    if present.contains(.frontCenter) { front.append(single()) }
    if present.isSuperset(of: [.frontLeftOfCenter, .frontRightOfCenter]) { front.append(pair()) }
    if present.isSuperset(of: [.frontLeft, .frontRight]) { front.append(pair()) }
    if present.isSuperset(of: [.sideLeft, .sideRight]) { side.append(pair()) }
    if present.isSuperset(of: [.backLeft, .backRight]) { back.append(pair()) }
    if present.contains(.backCenter) { back.append(single()) }
    if present.contains(.lowFrequency) { lowFrequencyTags.append(0) }
    guard elements.layout == layout else { return nil }
  }
}

extension [ProgramConfig.Element] {
  var channelCount: Int { reduce(0) { $0 + ($1.isPair ? 2 : 1) } }
}
