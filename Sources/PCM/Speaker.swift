/// A loudspeaker position. The raw value is the bit number of the WAVE channel mask, so sorting by it
/// gives the channel order of WAV files and of every `PCMBuffer` here.
public enum Speaker: UInt8, Sendable, Hashable, CaseIterable, Comparable {
  case frontLeft = 0
  case frontRight = 1
  case frontCenter = 2
  case lowFrequency = 3
  case backLeft = 4
  case backRight = 5
  case frontLeftOfCenter = 6
  case frontRightOfCenter = 7
  case backCenter = 8
  case sideLeft = 9
  case sideRight = 10
  case topCenter = 11
  case topFrontLeft = 12
  case topFrontCenter = 13
  case topFrontRight = 14
  case topBackLeft = 15
  case topBackCenter = 16
  case topBackRight = 17

  public static func < (left: Speaker, right: Speaker) -> Bool { left.rawValue < right.rawValue }

  /// The usual short name: `FL`, `FR`, `FC`, `LFE`, …
  public var abbreviation: String {
    switch self {
    case .frontLeft: "FL"
    case .frontRight: "FR"
    case .frontCenter: "FC"
    case .lowFrequency: "LFE"
    case .backLeft: "BL"
    case .backRight: "BR"
    case .frontLeftOfCenter: "FLC"
    case .frontRightOfCenter: "FRC"
    case .backCenter: "BC"
    case .sideLeft: "SL"
    case .sideRight: "SR"
    case .topCenter: "TC"
    case .topFrontLeft: "TFL"
    case .topFrontCenter: "TFC"
    case .topFrontRight: "TFR"
    case .topBackLeft: "TBL"
    case .topBackCenter: "TBC"
    case .topBackRight: "TBR"
    }
  }
}
