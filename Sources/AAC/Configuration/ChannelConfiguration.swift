public import PCM

/// channelConfiguration (ISO/IEC 14496-3, table 1.19): the channel arrangements that have a number.
public enum ChannelConfiguration {
  /// Numbers that this library knows; 0 means that a program config element describes the channels.
  public static let numbers = [1, 2, 3, 4, 5, 6, 7, 11, 12, 14]

  /// The elements of an arrangement in bit-stream order; `nil` for a number without one.
  public static func elements(of number: Int) -> [ChannelElement]? {
    let center = ChannelElement(.single, [.frontCenter])
    let front = ChannelElement(.pair, [.frontLeft, .frontRight])
    let back = ChannelElement(.pair, [.backLeft, .backRight])
    let low = ChannelElement(.lowFrequency, [.lowFrequency])
    let rear = ChannelElement(.single, [.backCenter])
    return switch number {
    case 1: [center]
    case 2: [front]
    case 3: [center, front]
    case 4: [center, front, rear]
    case 5: [center, front, back]
    case 6: [center, front, back, low]
    case 7: [center, ChannelElement(.pair, [.frontLeftOfCenter, .frontRightOfCenter]), front, back, low]
    case 11: [center, front, back, rear, low]
    case 12: [center, front, ChannelElement(.pair, [.sideLeft, .sideRight]), back, low]
    case 14: [center, front, back, low, ChannelElement(.pair, [.topFrontLeft, .topFrontRight])]
    default: nil
    }
  }

  /// The number whose arrangement decodes to `layout`.
  public static func number(for layout: ChannelLayout) -> Int? {
    numbers.first { elements(of: $0)?.layout == layout }
  }
}
