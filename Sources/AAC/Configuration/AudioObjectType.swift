/// ISO/IEC 14496-3 table 1.17, as a number with names for what this library knows.
public struct AudioObjectType: RawRepresentable, Sendable, Hashable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  public static let main = AudioObjectType(rawValue: 1)
  public static let lowComplexity = AudioObjectType(rawValue: 2)
  public static let scalableSampleRate = AudioObjectType(rawValue: 3)
  public static let longTermPrediction = AudioObjectType(rawValue: 4)
  public static let spectralBandReplication = AudioObjectType(rawValue: 5)
  public static let scalable = AudioObjectType(rawValue: 6)
  public static let errorResilientLowComplexity = AudioObjectType(rawValue: 17)
  public static let errorResilientLongTermPrediction = AudioObjectType(rawValue: 19)
  public static let errorResilientScalable = AudioObjectType(rawValue: 20)
  public static let errorResilientBSAC = AudioObjectType(rawValue: 22)
  public static let lowDelay = AudioObjectType(rawValue: 23)
  public static let parametricStereo = AudioObjectType(rawValue: 29)
  public static let enhancedLowDelay = AudioObjectType(rawValue: 39)
  public static let unifiedSpeechAndAudio = AudioObjectType(rawValue: 42)

  public var name: String {
    switch rawValue {
    case 1: "Main"
    case 2: "LC"
    case 3: "SSR"
    case 4: "LTP"
    case 5: "HE"
    case 6: "Scalable"
    case 7: "TwinVQ"
    case 8: "CELP"
    case 9: "HVXC"
    case 17: "ER LC"
    case 19: "ER LTP"
    case 20: "ER Scalable"
    case 21: "ER TwinVQ"
    case 22: "ER BSAC"
    case 23: "LD"
    case 29: "HEv2"
    case 39: "ELD"
    case 42: "xHE (USAC)"
    default: "object type \(rawValue)"
    }
  }

  /// Types whose access units are er_raw_data_block()s.
  var isErrorResilient: Bool {
    self == .errorResilientLowComplexity || self == .errorResilientLongTermPrediction
      || self == .lowDelay || self == .enhancedLowDelay
  }

  /// Types that this library decodes.
  var isDecodable: Bool {
    self == .lowComplexity || self == .main || self == .longTermPrediction || isErrorResilient
  }

  /// Types whose configuration ends in epConfig.
  var hasErrorProtection: Bool { (17...27).contains(rawValue) || self == .enhancedLowDelay }

  /// Types whose configuration is a GASpecificConfig.
  var hasGASpecificConfig: Bool {
    [1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23].contains(rawValue)
  }
}

extension AudioObjectType {
  /// audioObjectType (5), audioObjectTypeExt (6) where the first is 31.
  init(parsing bits: inout BitReader) throws(AACError) {
    let value = try bits.uint(5)
    self.init(rawValue: value == 31 ? 32 + (try bits.uint(6)) : value)
  }

  func write(to bits: inout BitWriter) {
    if rawValue < 31 {
      bits.put(rawValue, 5)
    } else {
      bits.put(31, 5)
      bits.put(rawValue - 32, 6)
    }
  }
}
