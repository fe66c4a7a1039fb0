/// How a sample is written in a stream of bytes. The raw value is the name that commands take.
public enum SampleFormat: String, Sendable, Hashable, CaseIterable {
  case u8
  case s16le
  case s16be
  case s24le
  case s24be
  case s32le
  case s32be
  case f32le
  case f32be
  case f64le
  case f64be

  public var bytesPerSample: Int {
    switch self {
    case .u8: 1
    case .s16le, .s16be: 2
    case .s24le, .s24be: 3
    case .s32le, .s32be, .f32le, .f32be: 4
    case .f64le, .f64be: 8
    }
  }

  public var isFloat: Bool {
    switch self {
    case .f32le, .f32be, .f64le, .f64be: true
    default: false
    }
  }

  public var isBigEndian: Bool {
    switch self {
    case .s16be, .s24be, .s32be, .f32be, .f64be: true
    default: false
    }
  }

  /// All names, for messages.
  public static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
