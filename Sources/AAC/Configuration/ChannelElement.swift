public import PCM

/// One channel element of a program and where its channels belong.
public struct ChannelElement: Sendable, Hashable {
  /// What an element holds: one channel, two, or a low-frequency one.
  public enum Kind: Sendable, Hashable {
    case single  // SCE
    case pair  // CPE
    case lowFrequency  // LFE
  }

  public let kind: Kind
  /// One or, for a pair, two places; `nil` where the place is not known.
  public let speakers: [Speaker?]

  public var channelCount: Int { kind == .pair ? 2 : 1 }

  public init(_ kind: Kind, _ speakers: [Speaker?]) {
    self.kind = kind
    self.speakers = speakers
  }
}

extension [ChannelElement] {
  /// The layout of the decoded sound: WAVE order where every place is known and different, else a
  /// discrete layout in element order.
  public var layout: ChannelLayout {
    let all = flatMap(\.speakers)
    let known = all.compactMap { $0 }
    guard known.count == all.count, Set(known).count == known.count else {
      return .discrete(all.count)
    }
    return ChannelLayout(known.sorted())
  }

  /// For each channel in element order, its index in `layout`.
  public var outputIndices: [Int] {
    let all = flatMap(\.speakers)
    let layout = layout
    guard layout.speakers.first != .some(nil) else { return [Int](all.indices) }
    return all.map { speaker in layout.speakers.firstIndex(of: speaker) ?? 0 }
  }
}
