/// The containers of AAC, by the names that the command uses.
public enum ContainerFormat: String, Sendable, Hashable, CaseIterable {
  case adts
  case adif
  case loas
  /// MP4 with its tables in one place.
  case m4a
  /// MP4 in fragments.
  case fmp4
  /// Access units and nothing between them, described by a sidecar.
  case raw
  /// MPEG transport stream.
  case ts
  /// Flash video: read only.
  case flv

  /// Those that are written.
  public static let outputs: [ContainerFormat] = allCases.filter { $0 != .flv }

  /// For people.
  public var name: String {
    switch self {
    case .adts: "ADTS"
    case .adif: "ADIF"
    case .loas: "LOAS/LATM"
    case .m4a: "MP4"
    case .fmp4: "fragmented MP4"
    case .raw: "raw access units"
    case .ts: "MPEG transport stream"
    case .flv: "Flash video"
    }
  }

  /// The format that a file name's extension stands for (for outputs; inputs are probed).
  public init?(fileExtension: String) {
    switch fileExtension.lowercased() {
    case "aac", "adts": self = .adts
    case "adif": self = .adif
    case "loas", "latm": self = .loas
    case "m4a", "mp4", "m4b": self = .m4a
    case "raw": self = .raw
    case "ts", "mts", "m2ts", "mpg": self = .ts
    case "flv": self = .flv
    default: return nil
    }
  }
}
