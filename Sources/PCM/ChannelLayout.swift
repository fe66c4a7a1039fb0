/// Which loudspeaker each channel of a buffer belongs to, in the buffer's channel order.
///
/// The named layouts list their speakers in WAVE order (ascending channel-mask bit).
public struct ChannelLayout: Sendable, Hashable {
  /// One entry a channel. `nil` marks a channel whose place is not known (a discrete channel).
  public let speakers: [Speaker?]

  public var channelCount: Int { speakers.count }

  public init(_ speakers: [Speaker?]) { self.speakers = speakers }

  /// `count` channels without places.
  public static func discrete(_ count: Int) -> ChannelLayout {
    ChannelLayout([Speaker?](repeating: nil, count: count))
  }

  public static let mono = ChannelLayout([.frontCenter])
  public static let stereo = ChannelLayout([.frontLeft, .frontRight])
  public static let surround30 = ChannelLayout([.frontLeft, .frontRight, .frontCenter])
  public static let surround40 = ChannelLayout([.frontLeft, .frontRight, .frontCenter, .backCenter])
  public static let quad = ChannelLayout([.frontLeft, .frontRight, .backLeft, .backRight])
  public static let surround50 = ChannelLayout([
    .frontLeft, .frontRight, .frontCenter, .backLeft, .backRight,
  ])
  public static let surround51 = ChannelLayout([
    .frontLeft, .frontRight, .frontCenter, .lowFrequency, .backLeft, .backRight,
  ])
  /// 5.1 with a rear centre (channel configuration 11).
  public static let surround61 = ChannelLayout([
    .frontLeft, .frontRight, .frontCenter, .lowFrequency, .backLeft, .backRight, .backCenter,
  ])
  /// 5.1 with side and rear pairs (channel configuration 12).
  public static let surround71 = ChannelLayout([
    .frontLeft, .frontRight, .frontCenter, .lowFrequency, .backLeft, .backRight, .sideLeft, .sideRight,
  ])
  /// 5.1 with an inner front pair (channel configuration 7).
  public static let surround71Front = ChannelLayout([
    .frontLeft, .frontRight, .frontCenter, .lowFrequency, .backLeft, .backRight, .frontLeftOfCenter,
    .frontRightOfCenter,
  ])
  /// 5.1 with two front height channels (channel configuration 14).
  public static let surround512 = ChannelLayout([
    .frontLeft, .frontRight, .frontCenter, .lowFrequency, .backLeft, .backRight, .topFrontLeft,
    .topFrontRight,
  ])

  /// The layout that a channel count alone means (`nil` above eight or at zero).
  public static func standard(channelCount: Int) -> ChannelLayout? {
    switch channelCount {
    case 1: .mono
    case 2: .stereo
    case 3: .surround30
    case 4: .surround40
    case 5: .surround50
    case 6: .surround51
    case 7: .surround61
    case 8: .surround71
    default: nil
    }
  }

  /// A name for people and JSON: `mono`, `stereo`, `5.1`, …, or the speakers joined by `+`.
  public var name: String {
    switch self {
    case .mono: "mono"
    case .stereo: "stereo"
    case .surround30: "3.0"
    case .surround40: "4.0"
    case .quad: "quad"
    case .surround50: "5.0"
    case .surround51: "5.1"
    case .surround61: "6.1"
    case .surround71: "7.1"
    case .surround71Front: "7.1(front)"
    case .surround512: "5.1.2"
    default: speakers.map { $0?.abbreviation ?? "?" }.joined(separator: "+")
    }
  }
}
